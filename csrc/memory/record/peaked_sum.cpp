#include "csrc/memory/record/peaked_sum.h"

namespace garboard {

void PeakedSum::raise_peak(std::size_t now) noexcept {
  std::size_t peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

// Down first, which `peak_bytes` hides, then up to what it is: an entry made meanwhile has either
// seen the zero and raised the peak itself, or is in the sum read here. That needs the one order of
// sequential consistency.
void PeakedSum::reset_peak() noexcept {
  peak_.exchange(0);
  raise_peak(now_.load());
}

}  // namespace garboard
