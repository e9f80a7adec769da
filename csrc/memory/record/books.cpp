#include "csrc/memory/record/books.h"

namespace garboard {

void Books::raise_peak(std::size_t now) noexcept {
  std::size_t peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

// Down first, which `peak_bytes` hides, then up to what is live: an entry made meanwhile has either
// seen the zero and raised the peak itself, or is in the sum read here. That needs the one order of
// sequential consistency.
void Books::reset_peak() noexcept {
  peak_.exchange(0);
  raise_peak(live_.load());
}

}  // namespace garboard
