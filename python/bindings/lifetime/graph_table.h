// The graphs that live, as a table of numbers: of a million nodes the leak watcher asks which
// tensor leads to which, over how many steps, and what is left. Knows no Python, and holds nothing
// alive.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace garboard::python {

/// One node, as it is told to the table. Serials order nodes as they were recorded.
struct NodeRow {
  std::uint64_t serial, site;
  std::uint32_t step;
  std::string_view name;
  bool is_released, was_retained, was_walked;
  std::int64_t saved_bytes;
  std::span<const std::uint64_t> next, saved, leaves;  // nodes, storages, storages
};

/// Where something was born.
struct BirthRow {
  std::uint64_t serial, site;
  std::uint32_t step;
  std::int64_t bytes;
};

/// Births of one site and step.
struct BirthGroup {
  std::uint64_t site;
  std::uint32_t step;
  std::int64_t count, bytes;
};

/// What one tensor leads to. A node stands in one chain, that of the newest tensor above it.
struct ChainRow {
  std::uint64_t head;  // the tensor that carries it on from step to step
  std::uint64_t node, site;
  std::string_view name;  // of the head's own node
  std::int64_t count, saved_bytes;
  bool was_walked, is_retained;
  std::map<std::uint32_t, std::int64_t> steps;  // how many nodes each has
  std::set<std::string_view> link;  // ops between the head of one step and that of the step before
};

/// What some nodes lead to, these included.
struct BehindRow {
  std::int64_t count = 0, saved_bytes = 0, leaf_bytes = 0;  // of leaves that no tensor has
  bool is_retained = false;
  std::set<std::string_view> names;
};

class GraphTable {
 public:
  /// Nodes come in the order of their serials, each once; then `finish`, which joins them.
  void add_node(const NodeRow& row);
  /// A tensor, by its serial, with its node. Heads of nodes that are not here are left out.
  void add_head(std::uint64_t tensor, std::uint64_t node) { heads_.push_back({node, tensor}); }
  /// A storage that no tensor of Python's has.
  void add_unheld(const BirthRow& row) { unheld_.push_back(row); }
  void finish();

  std::size_t size() const noexcept { return nodes_.size(); }
  /// The distinct steps of nodes and storages; and new numbers for them.
  std::set<std::uint32_t> steps() const;
  void set_steps(const std::map<std::uint32_t, std::uint32_t>& numbers);

  /// The chains of at least so many steps, and those of heads older than `before`; newest first.
  std::vector<ChainRow> chains(std::size_t least_steps, std::uint64_t before);
  BehindRow behind(std::span<const std::uint64_t> nodes);
  /// Those of some storages that a node has saved.
  std::vector<std::uint64_t> saved_among(std::vector<std::uint64_t> storages) const;
  /// Those of some nodes to which no head leads.
  std::vector<BirthRow> headless(std::span<const std::uint64_t> nodes);
  std::vector<std::uint64_t> unheld() const;
  std::vector<BirthRow> unheld_among(std::vector<std::uint64_t> storages) const;

  /// What neither heads nor the nodes and storages in `carried` lead to: nodes, then storages.
  std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> unexplained(
      std::span<const std::uint64_t> carried_nodes, std::vector<std::uint64_t> carried_storages);
  /// Those of these that are here, counted by site and step.
  std::vector<BirthGroup> count_nodes(std::span<const std::uint64_t> nodes) const;
  std::vector<BirthGroup> count_unheld(std::vector<std::uint64_t> storages) const;

 private:
  using Position = std::uint32_t;
  static constexpr Position none = ~Position{0};

  struct Node {
    std::uint64_t serial, site;
    std::int64_t saved_bytes;
    std::uint32_t step, name;
    std::uint32_t next_end, saved_end, leaf_end;  // in the lists below
    bool is_released, was_retained, was_walked;
  };
  struct Head {
    std::uint64_t node, tensor;
  };
  /// Of a node in its chain, which is named by its newest node.
  struct Place {
    Position newest = none;
    std::uint32_t oldest_step = 0;  // of what the node leads to
  };

  Position find(std::uint64_t serial) const noexcept;
  template <auto End, class Item>
  std::span<const Item> part(const std::vector<Item>& of, Position at) const noexcept {
    const std::size_t first = at ? nodes_[at - 1].*End : 0;
    return std::span(of).subspan(first, nodes_[at].*End - first);
  }
  std::span<const Position> after(Position at) const noexcept {
    return part<&Node::next_end>(edges_, at);
  }
  std::span<const std::uint64_t> saved_by(Position at) const noexcept {
    return part<&Node::saved_end>(saved_, at);
  }
  std::span<const std::uint64_t> leaves_of(Position at) const noexcept {
    return part<&Node::leaf_end>(leaves_, at);
  }
  std::string_view name_of(Position at) const noexcept { return names_[nodes_[at].name]; }

  /// Appends to `found` what `from` leads to and no walk with this mark has met.
  void walk(Position from, std::uint32_t mark, std::vector<Position>& found);
  std::uint32_t new_mark() noexcept { return ++mark_; }
  /// Marks all that heads lead to.
  std::uint32_t mark_headed();
  ChainRow chain_of(std::span<const Position> reached, std::vector<Place>& places) const;
  void set_head(ChainRow& row, const Head& head) const;
  /// Takes for the head of a chain a tensor beside it, where that is what carries it on.
  void prefer_beside(ChainRow& row, const std::vector<Place>& places) const;
  /// Whether the step of `head` uses, of an older step, what was made by the same op and line.
  bool is_begun_with(Position head, const std::vector<Place>& places) const;
  /// Tells whether two nodes were recorded by one op of one line. PyTorch's nodes have a line where
  /// their tensor lives; of others the op alone is known.
  bool is_alike(Position a, Position b) const noexcept {
    const bool is_known = nodes_[a].site != 0 && nodes_[b].site != 0;
    if (is_known && nodes_[a].site != nodes_[b].site) return false;
    return nodes_[a].name == nodes_[b].name;
  }
  bool leads_to(Position from, Position to) const;
  /// The next of a node on the way to the oldest step; none at its end.
  Position back_from(Position at, const std::vector<Place>& places) const;
  std::set<std::string_view> link_of(Position head, bool is_of_one_step,
                                     const std::vector<Place>& places) const;
  std::span<const Head> heads_at(Position at) const noexcept;

  std::vector<Node> nodes_;
  std::vector<std::uint64_t> next_;  // serials until `finish`
  std::vector<Position> edges_;      // none: to a node that is not here
  std::vector<std::uint64_t> saved_, leaves_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> name_numbers_;
  std::vector<Head> heads_;       // sorted by node and serial
  std::vector<BirthRow> unheld_;  // sorted
  std::vector<std::uint32_t> marks_;
  std::uint32_t mark_ = 0;
};

}  // namespace garboard::python
