#include "python/bindings/lifetime/graph_table.h"

#include <algorithm>
#include <tuple>

namespace garboard::python {
namespace {

std::vector<BirthGroup> counted(std::vector<BirthRow> rows) {
  const auto key = [](const BirthRow& it) { return std::tuple(it.site, it.step); };
  std::ranges::sort(rows, {}, key);
  std::vector<BirthGroup> found;
  for (const BirthRow& it : rows) {
    if (found.empty() || std::tuple(found.back().site, found.back().step) != key(it))
      found.push_back({it.site, it.step, 0, 0});
    ++found.back().count;
    found.back().bytes += it.bytes;
  }
  return found;
}

}  // namespace

void GraphTable::add_node(const NodeRow& row) {
  auto name = name_numbers_.find(row.name);
  if (name == name_numbers_.end()) {
    const auto number = static_cast<std::uint32_t>(names_.size());
    name = name_numbers_.emplace(std::string(row.name), number).first;
    names_.emplace_back(row.name);
  }
  next_.insert(next_.end(), row.next.begin(), row.next.end());
  saved_.insert(saved_.end(), row.saved.begin(), row.saved.end());
  leaves_.insert(leaves_.end(), row.leaves.begin(), row.leaves.end());
  nodes_.push_back({.serial = row.serial,
                    .site = row.site,
                    .saved_bytes = row.saved_bytes,
                    .step = row.step,
                    .name = name->second,
                    .next_end = static_cast<std::uint32_t>(next_.size()),
                    .saved_end = static_cast<std::uint32_t>(saved_.size()),
                    .leaf_end = static_cast<std::uint32_t>(leaves_.size()),
                    .is_released = row.is_released,
                    .was_retained = row.was_retained,
                    .was_walked = row.was_walked});
}

void GraphTable::finish() {
  edges_.resize(next_.size());
  std::ranges::transform(next_, edges_.begin(), [&](std::uint64_t it) { return find(it); });
  next_ = {};
  marks_.assign(nodes_.size(), 0);
  std::erase_if(heads_, [&](const Head& it) { return find(it.node) == none; });
  std::ranges::sort(heads_, {}, [](const Head& it) { return std::pair(it.node, it.tensor); });
  std::ranges::sort(unheld_, {}, &BirthRow::serial);
}

// Serials are nearly dense where all nodes live on: the place is guessed, and sought below it.
GraphTable::Position GraphTable::find(std::uint64_t serial) const noexcept {
  if (nodes_.empty() || serial < nodes_.front().serial || serial > nodes_.back().serial)
    return none;
  const std::uint64_t guess = serial - nodes_.front().serial;
  const auto last = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(guess, nodes_.size() - 1));
  std::ptrdiff_t first = last, reach = 1;
  while (first > 0 && nodes_[static_cast<std::size_t>(first)].serial > serial) {
    first = std::max<std::ptrdiff_t>(first - reach, 0);
    reach *= 2;
  }
  const auto at = std::ranges::lower_bound(nodes_.begin() + first, nodes_.begin() + last + 1,
                                           serial, {}, &Node::serial);
  if (at == nodes_.end() || at->serial != serial) return none;
  return static_cast<Position>(at - nodes_.begin());
}

std::set<std::uint32_t> GraphTable::steps() const {
  std::set<std::uint32_t> found;
  std::uint32_t last = 0;
  const auto add = [&](std::uint32_t step) {
    if (found.empty() || step != last) found.insert(last = step);
  };
  for (const Node& it : nodes_) add(it.step);
  for (const BirthRow& it : unheld_) add(it.step);
  return found;
}

void GraphTable::set_steps(const std::map<std::uint32_t, std::uint32_t>& numbers) {
  const auto set = [&](std::uint32_t& step) {
    if (const auto found = numbers.find(step); found != numbers.end()) step = found->second;
  };
  for (Node& it : nodes_) set(it.step);
  for (BirthRow& it : unheld_) set(it.step);
}

void GraphTable::walk(Position from, std::uint32_t mark, std::vector<Position>& found) {
  if (marks_[from] == mark) return;
  marks_[from] = mark;
  std::size_t next = found.size();
  found.push_back(from);
  for (; next < found.size(); ++next) {
    for (const Position it : after(found[next])) {
      if (it == none || marks_[it] == mark) continue;
      marks_[it] = mark;
      found.push_back(it);
    }
  }
}

std::span<const GraphTable::Head> GraphTable::heads_at(Position at) const noexcept {
  const auto found = std::ranges::equal_range(heads_, nodes_[at].serial, {}, &Head::node);
  return {found.begin(), found.end()};
}

std::vector<ChainRow> GraphTable::chains(std::size_t least_steps, std::uint64_t before) {
  std::vector<ChainRow> found;
  std::vector<Position> reached;
  std::vector<Place> places(nodes_.size());
  const std::uint32_t mark = new_mark();
  for (auto head = heads_.rbegin(); head != heads_.rend(); ++head) {
    reached.clear();
    walk(find(head->node), mark, reached);
    if (reached.empty() || (reached.size() < least_steps && before == 0)) continue;
    std::ranges::sort(reached);  // an edge leads to an older node
    ChainRow row = chain_of(reached, places);
    if (row.steps.size() < least_steps && row.head >= before) continue;
    row.link = link_of(find(row.node), row.steps.size() == 1, places);
    if (row.steps.size() > 1) prefer_beside(row, places);
    found.push_back(std::move(row));
  }
  return found;
}

// The head is not what was computed from the past last, such as a loss, but the first tensor of the
// newest step that leads as far back as anything does.
ChainRow GraphTable::chain_of(std::span<const Position> reached, std::vector<Place>& places) const {
  ChainRow row{};
  const Head* carrier = nullptr;
  std::tuple<std::uint32_t, std::int64_t> best;
  for (const Position at : reached) {
    const Node& node = nodes_[at];
    places[at] = {.newest = reached.back(), .oldest_step = node.step};
    for (const Position it : after(at)) {
      if (it != none && places[it].newest == reached.back())
        places[at].oldest_step = std::min(places[at].oldest_step, places[it].oldest_step);
    }
    ++row.count;
    ++row.steps[node.step];
    row.saved_bytes += node.saved_bytes;
    row.was_walked |= node.was_walked;
    row.is_retained |= node.was_retained && !node.is_released;
    const std::tuple here(places[at].oldest_step, -std::int64_t{node.step});
    if (carrier && best <= here) continue;
    if (const auto heads = heads_at(at); !heads.empty()) {
      carrier = &heads.front();
      best = here;
    }
  }
  set_head(row, *carrier);
  return row;
}

void GraphTable::set_head(ChainRow& row, const Head& head) const {
  const Position at = find(head.node);
  row.head = head.tensor;
  row.node = nodes_[at].serial;
  row.site = nodes_[at].site;
  row.name = name_of(at);
}

// A recurrent layer gives outputs and a state: what comes of the outputs is newer, and leads as far
// back, but it is the state that the next step begins with. So what the newest step has begun with
// is looked at: where a tensor of this step was made as that one was, it is the next one's.
void GraphTable::prefer_beside(ChainRow& row, const std::vector<Place>& places) const {
  const Position carrier = find(row.node);
  if (is_begun_with(carrier, places)) return;
  Position entry = carrier;
  while (entry != none && nodes_[entry].step == nodes_[carrier].step)
    entry = back_from(entry, places);
  if (entry == none) return;
  for (auto head = heads_.rbegin(); head != heads_.rend(); ++head) {
    const Position at = find(head->node);
    if (nodes_[at].step < nodes_[carrier].step) return;
    if (!is_alike(at, entry) || !leads_to(at, entry)) continue;
    set_head(row, *head);
    row.link = link_of(entry, false, places);
    return;
  }
}

bool GraphTable::is_begun_with(Position head, const std::vector<Place>& places) const {
  const Position newest = places[head].newest;
  for (Position at = newest + 1; at-- > 0 && nodes_[at].step >= nodes_[head].step;) {
    if (places[at].newest != newest) continue;
    for (const Position it : after(at)) {
      if (it != none && nodes_[it].step < nodes_[head].step && is_alike(it, head)) return true;
    }
  }
  return false;
}

bool GraphTable::leads_to(Position from, Position to) const {
  std::set<Position> reached{from};
  while (!reached.empty()) {
    const Position newest = *reached.rbegin();
    if (newest <= to) return newest == to;
    reached.erase(newest);
    for (const Position it : after(newest)) {
      if (it != none && it >= to) reached.insert(it);
    }
  }
  return false;
}

// The way that leads farthest back.
GraphTable::Position GraphTable::back_from(Position at, const std::vector<Place>& places) const {
  Position best = none;
  const auto rank = [&](Position it) {
    return std::pair(places[it].oldest_step, -std::int64_t{it});
  };
  for (const Position it : after(at)) {
    if (it == none || places[it].newest != places[at].newest) continue;
    if (best == none || rank(it) < rank(best)) best = it;
  }
  return best;
}

std::set<std::string_view> GraphTable::link_of(Position head, bool is_of_one_step,
                                               const std::vector<Place>& places) const {
  std::set<std::string_view> names{name_of(head)};
  if (is_of_one_step) return names;
  for (Position at = head; at != none && nodes_[at].step + 1 >= nodes_[head].step;
       at = back_from(at, places))
    names.insert(name_of(at));
  return names;
}

BehindRow GraphTable::behind(std::span<const std::uint64_t> nodes) {
  std::vector<Position> reached;
  const std::uint32_t mark = new_mark();
  for (const std::uint64_t serial : nodes) {
    if (const Position at = find(serial); at != none) walk(at, mark, reached);
  }
  BehindRow row;
  std::vector<std::uint64_t> leaves;
  std::vector<bool> is_named(names_.size());
  for (const Position at : reached) {
    const Node& node = nodes_[at];
    ++row.count;
    row.saved_bytes += node.saved_bytes;
    row.is_retained |= node.was_retained && !node.is_released;
    is_named[node.name] = true;
    leaves.insert(leaves.end(), leaves_of(at).begin(), leaves_of(at).end());
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (is_named[i]) row.names.insert(names_[i]);
  }
  for (const BirthRow& it : unheld_among(std::move(leaves))) row.leaf_bytes += it.bytes;
  return row;
}

std::vector<std::uint64_t> GraphTable::saved_among(std::vector<std::uint64_t> storages) const {
  std::ranges::sort(storages);
  std::vector<bool> is_saved(storages.size());
  for (const std::uint64_t it : saved_) {
    const auto at = std::ranges::lower_bound(storages, it);
    if (at != storages.end() && *at == it)
      is_saved[static_cast<std::size_t>(at - storages.begin())] = true;
  }
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < storages.size(); ++i) {
    if (is_saved[i]) found.push_back(storages[i]);
  }
  return found;
}

std::uint32_t GraphTable::mark_headed() {
  const std::uint32_t mark = new_mark();
  std::vector<Position> reached;
  for (const Head& it : heads_) {
    reached.clear();
    walk(find(it.node), mark, reached);
  }
  return mark;
}

std::vector<BirthRow> GraphTable::headless(std::span<const std::uint64_t> nodes) {
  const std::uint32_t mark = mark_headed();
  std::vector<BirthRow> found;
  for (const std::uint64_t serial : nodes) {
    const Position at = find(serial);
    if (at == none || marks_[at] == mark) continue;
    found.push_back({serial, nodes_[at].site, nodes_[at].step, nodes_[at].saved_bytes});
  }
  return found;
}

std::vector<std::uint64_t> GraphTable::unheld() const {
  std::vector<std::uint64_t> found;
  found.reserve(unheld_.size());
  for (const BirthRow& it : unheld_) found.push_back(it.serial);
  return found;
}

std::vector<BirthRow> GraphTable::unheld_among(std::vector<std::uint64_t> storages) const {
  std::ranges::sort(storages);
  const auto repeated = std::ranges::unique(storages);
  storages.erase(repeated.begin(), repeated.end());
  std::vector<BirthRow> found;
  auto at = unheld_.begin();
  for (const std::uint64_t it : storages) {
    at = std::ranges::lower_bound(at, unheld_.end(), it, {}, &BirthRow::serial);
    if (at == unheld_.end()) break;
    if (at->serial == it) found.push_back(*at);
  }
  return found;
}

std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> GraphTable::unexplained(
    std::span<const std::uint64_t> carried_nodes, std::vector<std::uint64_t> carried_storages) {
  const std::uint32_t mark = mark_headed();
  std::vector<Position> reached;
  for (const std::uint64_t serial : carried_nodes) {
    if (const Position at = find(serial); at != none) walk(at, mark, reached);
  }
  std::vector<std::uint64_t>& kept = carried_storages;
  std::vector<std::uint64_t> nodes, storages;
  for (Position at = 0; at < nodes_.size(); ++at) {
    if (marks_[at] != mark) {
      nodes.push_back(nodes_[at].serial);
      continue;
    }
    kept.insert(kept.end(), saved_by(at).begin(), saved_by(at).end());
    kept.insert(kept.end(), leaves_of(at).begin(), leaves_of(at).end());
  }
  std::ranges::sort(kept);
  for (const BirthRow& it : unheld_) {
    if (!std::ranges::binary_search(kept, it.serial)) storages.push_back(it.serial);
  }
  return {std::move(nodes), std::move(storages)};
}

std::vector<BirthGroup> GraphTable::count_nodes(std::span<const std::uint64_t> nodes) const {
  std::vector<BirthRow> rows;
  for (const std::uint64_t serial : nodes) {
    if (const Position at = find(serial); at != none)
      rows.push_back({serial, nodes_[at].site, nodes_[at].step, nodes_[at].saved_bytes});
  }
  return counted(std::move(rows));
}

std::vector<BirthGroup> GraphTable::count_unheld(std::vector<std::uint64_t> storages) const {
  return counted(unheld_among(std::move(storages)));
}

}  // namespace garboard::python
