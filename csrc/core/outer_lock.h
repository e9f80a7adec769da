// Gives up the outer lock, Python's GIL, during work that takes long and needs nothing it guards.
#pragma once

#include <cstdint>

namespace garboard {

/// Without `declare` there is no such lock, and nothing here does anything.
class OuterLock {
 public:
  struct Ways {
    /// Gives the lock up; null where the calling thread does not have it, or must keep it.
    void* (*leave)() noexcept;
    /// Takes it again; gets what `leave` returned.
    void (*come_back)(void* left);
  };
  static void declare(Ways ways) noexcept;

  /// Away from the lock as long as it exists, if work of `cost_ns` is worth it: from 1 ms on. The
  /// work sees nothing but memory that whoever called it keeps alive.
  class Away {
   public:
    // Not inline: kernels are compiled for several instruction sets, and this once.
    explicit Away(double cost_ns) noexcept;
    ~Away();
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;

   private:
    void* left_ = nullptr;
  };

  /// Lets others have the lock once a millisecond, between many short pieces of work.
  class Turns {
   public:
    /// Called after each piece, where any code may run.
    void offer() {
      if (++pieces_ % 16 == 0) offer_by_clock();
    }

   private:
    void offer_by_clock();

    std::uint32_t pieces_ = 0;
    std::int64_t last_ns_ = 0;
  };
};

}  // namespace garboard
