#include "csrc/memory/history.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace garboard {

static_assert(std::is_trivially_copyable_v<HistoryEntry>);

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
}

}  // namespace garboard
