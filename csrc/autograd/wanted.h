// What a walk is asked for, where it is not all leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

#include "csrc/autograd/accumulate.h"
#include "csrc/ops/op/record.h"

namespace garboard {

/// The tensors whose gradients are asked for, by where an edge to them leads.
class Wanted {
 public:
  explicit Wanted(const std::vector<Tensor>& inputs) {
    for (const Tensor& input : inputs) edges_.push_back(edge_of(input));
    for (std::size_t i = 0; i < edges_.size(); ++i) keys_.emplace_back(key_of(edges_[i]), i);
    std::ranges::sort(keys_);
    gradients_.resize(inputs.size());
  }

  bool has(const void* node_or_leaf) const noexcept { return find(node_or_leaf) < keys_.size(); }
  /// True where `node` may have led to what is wanted, whatever its edges were: they led to older
  /// nodes, and to leaves, which may be of any age.
  bool may_lie_behind(const GradNode& node) const noexcept {
    return std::ranges::any_of(edges_, [&](const Edge& edge) {
      return !edge.node || edge.node->serial < node.serial;
    });
  }
  /// A tensor may be asked for twice.
  void add(const void* node_or_leaf, const Tensor& gradient) {
    for (std::size_t k = find(node_or_leaf); k < keys_.size() && keys_[k].first == node_or_leaf;
         ++k)
      accumulate(gradients_[keys_[k].second], gradient, true);
  }
  std::vector<Tensor> take() { return std::move(gradients_); }

  /// Nodes of another walk that were met on the way to what is wanted; see GraphWalk::select in
  /// engine.cpp.
  std::unordered_set<const GradNode*> claimed_by_others;

 private:
  using Key = std::pair<const void*, std::size_t>;
  static const void* key_of(const Edge& edge) {
    return edge.node ? static_cast<const void*>(edge.node.get()) : edge.leaf.body();
  }
  /// The first of its keys; as many as there are, where there is none.
  std::size_t find(const void* node_or_leaf) const noexcept {
    const auto is_it = [=](const Key& key) { return key.first == node_or_leaf; };
    if (keys_.size() <= 8)  // the usual few: sooner compared than halved
      return static_cast<std::size_t>(std::ranges::find_if(keys_, is_it) - keys_.begin());
    const auto it = std::ranges::lower_bound(keys_, node_or_leaf, {}, &Key::first);
    return it != keys_.end() && is_it(*it) ? static_cast<std::size_t>(it - keys_.begin())
                                           : keys_.size();
  }

  std::vector<Edge> edges_;
  std::vector<Key> keys_;  // sorted
  std::vector<Tensor> gradients_;
};

}  // namespace garboard
