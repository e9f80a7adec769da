#include "csrc/memory/record/history.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace garboard {

static_assert(std::is_trivially_copyable_v<HistoryEntry>);

namespace {

// At even steps from the last time that was read to the next; at an end without one, at the other.
void fill_in_times(HistoryEntry* entries, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count;) {
    if (entries[i].ticks) {
      ++i;
      continue;
    }
    std::size_t next = i;
    while (next < count && !entries[next].ticks) ++next;
    const std::uint64_t before = i > 0          ? entries[i - 1].ticks
                                 : next < count ? entries[next].ticks
                                                : 0;
    const std::uint64_t after = next < count ? entries[next].ticks : before;
    const std::uint64_t parts = next - i + 1;
    const std::uint64_t apart = after > before ? after - before : 0;  // clocks of two processors
    for (std::size_t part = 1; i < next; ++i, ++part)
      entries[i].ticks = before + apart * part / parts;
  }
}

}  // namespace

// calloc: the system gives zeroed pages only once they are written to.
History::Ring::Ring(std::size_t most)
    : entries(static_cast<HistoryEntry*>(
                  std::calloc(std::max<std::size_t>(most, 1), sizeof(HistoryEntry))),
              [](HistoryEntry* all) { std::free(all); }),
      most_entries(most) {
  if (!entries) throw std::bad_alloc();
}

void History::restart(HistoryLevel level, Ring& ring) noexcept {
  std::swap(ring_, ring);
  level_.store(level, std::memory_order_relaxed);
}

std::size_t History::size() const noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(ring_.written, ring_.most_entries));
}

void History::copy(HistoryEntry* to) const noexcept {
  const std::size_t count = size();
  if (count == 0) return;
  const std::size_t oldest = lost_count() == 0 ? 0 : ring_.next;
  const std::size_t at_end = std::min(count, ring_.most_entries - oldest);
  std::memcpy(to, &ring_.entries[oldest], at_end * sizeof(HistoryEntry));
  std::memcpy(to + at_end, &ring_.entries[0], (count - at_end) * sizeof(HistoryEntry));
  fill_in_times(to, count);
}

}  // namespace garboard
