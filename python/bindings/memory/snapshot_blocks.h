// Blocks of a memory snapshot as Python's dicts, a million of them in a third of a second.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "csrc/lifetime/site.h"
#include "csrc/memory/record/memory_snapshot.h"

namespace garboard::python {

/// A living storage: a block of the allocator, or, booked, a payload inside an alias.
struct SeenStorage {
  std::uint64_t address;
  std::int64_t bytes;
  Site site;
  bool is_booked;
};

/// Bytes of the blocks of one segment.
struct BlockSums {
  std::uint64_t allocated = 0, active = 0, requested = 0;
};

class [[gnu::visibility("hidden")]] SnapshotBlocks {
 public:
  /// `frames(caller)` returns a list of frames, empty where the caller is not known. It is asked
  /// once for each caller, and all its blocks have the same list.
  SnapshotBlocks(pybind11::object frames, const std::vector<SeenStorage>& live);

  /// Appends a dict for each block to `blocks`.
  BlockSums append(pybind11::list & blocks, std::span<const MemorySnapshot::BlockRow> rows);

  struct Payloads {
    pybind11::list blocks;  // side by side from `first_address` on, each of `bytes_of_place`
    pybind11::dict places;  // of each address that an event tells of: the number of its block
    std::size_t count = 0;
    std::uint64_t active_bytes = 0, requested_bytes = 0;
  };
  static constexpr std::uint64_t first_address = std::uint64_t{1} << 52;
  static constexpr std::uint64_t bytes_of_place = 64;

  /// Payloads lie in no segment and get one: above every real address, below 2^53. What lives is
  /// the registry's word, unless an event tells a later one; what has ended leaves a free place.
  Payloads payloads(const std::vector<HistoryEntry>& entries);

 private:
  using Row = MemorySnapshot::BlockRow;
  void append(pybind11::list & blocks, const Row& row, Site fallback);
  const pybind11::object& frames_of(std::uint32_t caller);

  pybind11::object ask_;
  pybind11::object before_;  // the block that was made last
  Row row_before_;
  std::unordered_map<std::uint32_t, pybind11::object> frames_;
  std::vector<SeenStorage> storages_;  // by address
  std::vector<SeenStorage> booked_;    // oldest first
};

}  // namespace garboard::python
