// A clock that is read in a few nanoseconds and understood later.
#pragma once

#include <chrono>
#include <cstdint>

namespace garboard {

/// The processor's own counter where there is one that runs evenly. Comparable between threads.
inline std::uint64_t ticks_now() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// What ticks mean, learnt from reading both clocks twice: when it is made, and when it is asked.
/// The longer between, the better: a second gives a microsecond in each second from there.
class TickScale {
 public:
  TickScale() noexcept : began_(look()) {}

  /// Microseconds since 1970 of a moment near now.
  std::int64_t epoch_us(std::uint64_t ticks) const noexcept { return Now(*this).epoch_us(ticks); }

  /// One reading for many moments.
  class Now {
   public:
    explicit Now(const TickScale& scale) noexcept : now_(look()) {
      const auto passed = static_cast<double>(now_.ticks - scale.began_.ticks);
      us_per_tick_ = passed > 0 ? (now_.steady_us - scale.began_.steady_us) / passed : 0;
      const auto epoch = std::chrono::system_clock::now().time_since_epoch();
      epoch_us_ = std::chrono::duration_cast<std::chrono::microseconds>(epoch).count();
    }
    std::int64_t epoch_us(std::uint64_t ticks) const noexcept {
      const auto away = static_cast<std::int64_t>(ticks - now_.ticks);
      return epoch_us_ + static_cast<std::int64_t>(static_cast<double>(away) * us_per_tick_);
    }

   private:
    friend class TickScale;
    struct Look {
      std::uint64_t ticks;
      double steady_us;
    };
    Look now_;
    double us_per_tick_;
    std::int64_t epoch_us_;
  };

 private:
  static Now::Look look() noexcept {
    using Microseconds = std::chrono::duration<double, std::micro>;
    const auto steady = std::chrono::steady_clock::now().time_since_epoch();
    return {ticks_now(), Microseconds(steady).count()};
  }

  Now::Look began_;
};

}  // namespace garboard
