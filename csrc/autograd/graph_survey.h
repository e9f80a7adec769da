// Who holds shares of whom among tensors and graph nodes. What they hold of each other alone, and
// nobody else, is a cycle that counting shares never ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "csrc/tensor/grad_node.h"

namespace garboard {

/// A look at everything that can be reached from where it starts. No thread may change those graphs
/// while it lives, and it holds no share of them.
class GraphSurvey {
 public:
  struct Thing {
    TensorBody* body;  // this, or
    GradNode* node;    // this
    std::uint32_t shares_found = 0;
    bool is_kept = false;               // somebody beyond the survey has a share that leads here
    std::vector<std::size_t> behind{};  // as often as it holds a share

    std::uint32_t share_count() const { return body ? body->share_count() : node->share_count(); }
    GradientHooks* hooks() const noexcept;
    /// What a node holds of others; none of a body.
    std::vector<Foreign*> foreign() const;
  };

  /// Returns the place of what the survey starts from, or has met.
  std::size_t meet(TensorBody* body) { return meet(body, {body, nullptr}); }
  std::size_t meet(GradNode* node) { return meet(node, {nullptr, node}); }
  /// Counts a share that somebody has whom the caller looks after.
  void note_share(std::size_t place) { ++things_[place].shares_found; }
  /// Follows all shares, once, and finds who is kept.
  void run();

  const std::vector<Thing>& things() const { return things_; }

 private:
  std::size_t meet(const void* at, Thing thing);
  template <class T>
  void hold(std::size_t holder, T* held);
  void look_behind(std::size_t place);
  void keep_what_others_hold();

  std::vector<Thing> things_;
  std::unordered_map<const void*, std::size_t> places_;
};

/// Ends the gradients that only a cycle through themselves holds: of a tensor that nobody has any
/// more, which its `.grad`, recorded by `create_graph`, was computed from. Returns how many.
///
/// Needs the outer lock, with nobody at work beyond it. Asks for little where no gradient was ever
/// recorded.
std::size_t end_cyclic_gradients();

}  // namespace garboard
