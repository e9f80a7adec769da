#include "python/bindings/memory/snapshot_blocks.h"

#include <algorithm>
#include <utility>

namespace py = pybind11;

namespace garboard::python {
namespace {

struct BlockWords {
  py::str address{"address"}, size{"size"}, requested_size{"requested_size"}, state{"state"},
      frames{"frames"};
  py::str inactive{"inactive"}, live{"active_allocated"}, pending{"active_pending_free"};
};
// Leaked: a static with a destructor would outlive the interpreter. The GIL guards it.
const BlockWords& words() {
  static const BlockWords* it = nullptr;
  if (!it) it = new BlockWords;
  return *it;
}

void set(const py::dict& of, const py::str& key, const py::object& value) {
  if (PyDict_SetItem(of.ptr(), key.ptr(), value.ptr()) < 0) throw py::error_already_set();
}

}  // namespace

SnapshotBlocks::SnapshotBlocks(py::object frames, const std::vector<SeenStorage>& live)
    : ask_(std::move(frames)) {
  for (const SeenStorage& it : live) (it.is_booked ? booked_ : storages_).push_back(it);
  std::ranges::sort(storages_, {}, &SeenStorage::address);
}

const py::object& SnapshotBlocks::frames_of(std::uint32_t caller) {
  auto found = frames_.find(caller);
  if (found == frames_.end()) found = frames_.emplace(caller, ask_(caller)).first;
  return found->second;
}

void SnapshotBlocks::append(py::list& blocks, const Row& row, Site fallback) {
  using State = MemorySnapshot::State;
  const BlockWords& word = words();
  py::object frames = row.state == State::free ? py::list() : frames_of(row.caller);
  // Older than the recording, or the recording of its stack is gone.
  if (row.state != State::free && PyObject_Size(frames.ptr()) == 0) frames = frames_of(fallback);
  // Neighbours are much alike, and copying a dict costs a fraction of filling one.
  py::dict block =
      before_ ? py::reinterpret_steal<py::dict>(PyDict_Copy(before_.ptr())) : py::dict();
  if (!block) throw py::error_already_set();
  set(block, word.address, py::int_(row.address));
  if (!before_ || row.bytes != row_before_.bytes) set(block, word.size, py::int_(row.bytes));
  if (!before_ || row.requested_bytes != row_before_.requested_bytes)
    set(block, word.requested_size, py::int_(row.requested_bytes));
  if (!before_ || row.state != row_before_.state) {
    set(block, word.state,
        row.state == State::free   ? word.inactive
        : row.state == State::live ? word.live
                                   : word.pending);
  }
  set(block, word.frames, frames);
  blocks.append(block);
  before_ = std::move(block);
  row_before_ = row;
}

BlockSums SnapshotBlocks::append(py::list& blocks, std::span<const Row> rows) {
  using State = MemorySnapshot::State;
  BlockSums sums;
  for (const Row& row : rows) {
    const auto at = std::ranges::lower_bound(storages_, row.address, {}, &SeenStorage::address);
    append(blocks, row, at != storages_.end() && at->address == row.address ? at->site : 0);
    if (row.state == State::live) sums.allocated += row.bytes;
    if (row.state != State::free) sums.active += row.bytes;
    sums.requested += row.requested_bytes;
  }
  return sums;
}

SnapshotBlocks::Payloads SnapshotBlocks::payloads(const std::vector<HistoryEntry>& entries) {
  using State = MemorySnapshot::State;
  std::vector<Row> rows;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (const HistoryEntry& it : entries) {
    if (!it.is_booked) continue;
    const auto [place, is_new] = places.try_emplace(it.address, rows.size());
    if (is_new) rows.emplace_back();
    rows[place->second] =
        it.action == HistoryAction::alloc
            ? Row{.requested_bytes = it.bytes, .caller = it.origin.caller, .state = State::live}
            : Row{};
  }
  Payloads found;
  for (const auto& [address, place] : places) found.places[py::int_(address)] = place;
  for (const SeenStorage& it : booked_) {
    if (!places.contains(it.address))
      rows.push_back({.requested_bytes = static_cast<std::uint64_t>(it.bytes),
                      .caller = it.site,
                      .state = State::live});
  }
  found.count = rows.size();
  std::uint64_t address = first_address;
  for (auto row = rows.begin(); row != rows.end();) {
    row->address = address;
    const auto first = row++;
    if (first->state == State::free) {  // free places that touch are one
      while (row != rows.end() && row->state == State::free) ++row;
    }
    first->bytes = static_cast<std::uint64_t>(row - first) * bytes_of_place;
    address += first->bytes;
    append(found.blocks, *first, 0);
    found.requested_bytes += first->requested_bytes;
    if (first->state != State::free) found.active_bytes += first->bytes;
  }
  return found;
}

}  // namespace garboard::python
