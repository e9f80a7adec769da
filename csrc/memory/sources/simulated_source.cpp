#include "csrc/memory/sources/simulated_source.h"

#include <algorithm>
#include <cstring>

#include "csrc/core/text.h"
#include "csrc/memory/sources/handles.h"
#include "csrc/memory/sources/pages.h"

namespace garboard {
namespace {

/// Where the addresses of a device without backing begin: numbers that are exact in a double too.
constexpr std::uintptr_t first_address = std::uintptr_t{1} << 36;
constexpr std::uintptr_t last_address = std::uintptr_t{1} << 52;

constexpr int new_byte = 0xCD;
constexpr int dead_byte = 0xDD;

}  // namespace

SimulatedSource::~SimulatedSource() {
  if (!facts_.is_backed) return;
  for (const auto& [start, range] : ranges_) unmap_pages(start, range.bytes);
}

std::optional<std::size_t> SimulatedSource::free_bytes() noexcept {
  const std::lock_guard guard(lock_);
  const std::size_t taken = mapped_bytes_ + elsewhere_bytes_;
  const std::size_t capacity = capacity_bytes_;
  return capacity - std::min(capacity, taken);
}

void* SimulatedSource::reserve(std::size_t bytes) noexcept {
  const std::lock_guard guard(lock_);
  return facts_.has_ranges ? add_range(bytes, false) : nullptr;
}

void SimulatedSource::unreserve(void* range, std::size_t bytes) noexcept {
  const std::lock_guard guard(lock_);
  end_range(static_cast<std::byte*>(range), bytes, false);
}

bool SimulatedSource::map_at(void* address, std::size_t bytes) noexcept {
  const std::lock_guard guard(lock_);
  return map_granules(static_cast<std::byte*>(address), bytes, facts_.large_handle_bytes);
}

bool SimulatedSource::map_granules_at(void* address, std::size_t bytes) noexcept {
  const std::lock_guard guard(lock_);
  return map_granules(static_cast<std::byte*>(address), bytes, 0);
}

void SimulatedSource::unmap_at(void* address, std::size_t bytes) noexcept {
  streams_.finish();
  const std::lock_guard guard(lock_);
  unmap_granules(static_cast<std::byte*>(address), bytes);
}

void* SimulatedSource::map(std::size_t bytes) noexcept {
  const std::lock_guard guard(lock_);
  std::byte* const segment = add_range(bytes, true);
  if (segment && map_granules(segment, bytes, 0)) return segment;
  if (segment) end_range(segment, bytes, true);
  return nullptr;
}

void SimulatedSource::unmap(void* segment, std::size_t bytes) noexcept {
  streams_.finish();
  const std::lock_guard guard(lock_);
  unmap_granules(static_cast<std::byte*>(segment), bytes);
  end_range(static_cast<std::byte*>(segment), bytes, true);
}

std::byte* SimulatedSource::add_range(std::size_t bytes, bool is_segment) {
  auto* const start =
      facts_.is_backed
          ? static_cast<std::byte*>(map_pages(bytes, std::max(facts_.granularity_bytes, 4_KiB)))
          : free_addresses(bytes);
  if (!start) return nullptr;
  const std::size_t granules = bytes / facts_.granularity_bytes;
  ranges_.insert_or_assign(start, Range{bytes, is_segment, GranuleMarks(granules)});
  return start;
}

void SimulatedSource::end_range(std::byte* start, std::size_t bytes, bool is_segment) {
  const auto found = ranges_.find(start);
  if (found == ranges_.end() || found->second.bytes != bytes ||
      found->second.is_segment != is_segment) {
    return note_misuse("given back, but not what was given:", start);
  }
  if (found->second.handles.has_any()) note_misuse("given back while mapped:", start);
  if (facts_.is_backed) unmap_pages(start, bytes);
  ranges_.erase(found);
}

std::byte* SimulatedSource::free_addresses(std::size_t bytes) const {
  std::uintptr_t at = first_address;
  for (const auto& [start, range] : ranges_) {
    const auto taken = reinterpret_cast<std::uintptr_t>(start);
    if (at + bytes <= taken) break;
    at = taken + range.bytes;
  }
  return bytes <= last_address - at ? reinterpret_cast<std::byte*>(at) : nullptr;
}

// Each phase undone where a later one fails, as a real source has to.
bool SimulatedSource::map_granules(std::byte* address, std::size_t bytes, std::size_t large_bytes) {
  const std::optional<MapPhase> failing = faults_.next(bytes);
  elsewhere_bytes_ = faults_.taken_elsewhere().value_or(elsewhere_bytes_);

  clock_ns_ += facts_.latencies.create_ns;
  const std::size_t taken = mapped_bytes_ + elsewhere_bytes_;
  const std::size_t capacity = capacity_bytes_;
  if (failing == MapPhase::create || taken > capacity || bytes > capacity - taken) {
    return false;
  }
  clock_ns_ += facts_.latencies.map_ns;
  if (failing == MapPhase::map || !mark(address, bytes, true, large_bytes)) return false;

  clock_ns_ += facts_.latencies.set_access_ns;
  if (failing == MapPhase::set_access) {
    clock_ns_ += facts_.latencies.unmap_ns;
    mark(address, bytes, false);
    return false;
  }
  mapped_bytes_ += bytes;
  peak_mapped_bytes_ = std::max(peak_mapped_bytes_, mapped_bytes_);
  if (facts_.is_backed && facts_.is_filled) std::memset(address, new_byte, bytes);
  return true;
}

void SimulatedSource::unmap_granules(std::byte* address, std::size_t bytes) {
  clock_ns_ += facts_.latencies.unmap_ns;
  ++unmap_count_;
  if (!mark(address, bytes, false)) return;
  mapped_bytes_ -= bytes;
  if (!facts_.is_backed) return;
  if (facts_.is_filled) {
    std::memset(address, dead_byte, bytes);
  } else {
    drop_pages(address, bytes);
  }
}

bool SimulatedSource::mark(std::byte* address, std::size_t bytes, bool is_mapped,
                           std::size_t large_bytes) {
  auto found = ranges_.upper_bound(address);
  if (found == ranges_.begin()) return note_misuse("nobody has reserved", address), false;
  auto& [start, range] = *--found;
  const std::size_t granularity = facts_.granularity_bytes;
  const std::size_t offset = address - start;
  if (offset + bytes > range.bytes || offset % granularity || bytes % granularity || bytes == 0) {
    return note_misuse("no whole granules of one range:", address), false;
  }
  const std::size_t first = offset / granularity;
  const std::size_t last = first + bytes / granularity;
  for (std::size_t i = first; i < last; ++i) {
    if ((range.handles[i] != 0) == is_mapped)
      return note_misuse(is_mapped ? "mapped twice:" : "unmapped, but not mapped:", address), false;
  }
  if (!is_mapped && (would_cut(range, first) || would_cut(range, last)))
    return note_misuse("unmapped a part of a handle:", address), false;

  const HandleSizes sizes{granularity, large_bytes};
  std::byte* const end = address + bytes;
  for (std::byte* at = address; at < end;) {
    std::byte* const next = at + sizes.bytes_at(at, end);
    const auto from = static_cast<std::size_t>(at - start) / granularity;
    const auto count = static_cast<std::size_t>(next - at) / granularity;
    range.handles.fill(from, count, is_mapped ? ++handle_count_ : 0);
    at = next;
  }
  return true;
}

// Between this granule and the one below it.
bool SimulatedSource::would_cut(const Range& range, std::size_t granule) const {
  if (granule == 0 || granule == range.handles.size()) return false;
  return range.handles[granule] != 0 && range.handles[granule] == range.handles[granule - 1];
}

void SimulatedSource::note_misuse(const char* what, const void* address) {
  if (misuse_.empty()) misuse_ = text(what, ' ', address);
}

void SimulatedSource::fail_map(std::size_t number) {
  plan([&](FaultPlan& faults) { faults.fail_call(faults.call_count() + number); });
}

void SimulatedSource::take_elsewhere(std::size_t bytes) {
  const std::lock_guard guard(lock_);
  elsewhere_bytes_ = bytes;
}

std::size_t SimulatedSource::mapped_bytes() const {
  const std::lock_guard guard(lock_);
  return mapped_bytes_;
}

std::size_t SimulatedSource::peak_mapped_bytes() const {
  const std::lock_guard guard(lock_);
  return peak_mapped_bytes_;
}

std::size_t SimulatedSource::range_count() const {
  const std::lock_guard guard(lock_);
  return ranges_.size();
}

std::size_t SimulatedSource::handle_count() const {
  const std::lock_guard guard(lock_);
  return handle_count_;
}

std::size_t SimulatedSource::map_count() const {
  const std::lock_guard guard(lock_);
  return faults_.call_count();
}

std::size_t SimulatedSource::unmap_count() const {
  const std::lock_guard guard(lock_);
  return unmap_count_;
}

std::uint64_t SimulatedSource::clock_ns() const {
  const std::lock_guard guard(lock_);
  return clock_ns_;
}

std::string SimulatedSource::misuse() const {
  const std::lock_guard guard(lock_);
  return misuse_;
}

}  // namespace garboard
