// Gives up the outer lock, Python's GIL, during work that takes long and needs nothing it guards,
// and asks meanwhile whether the work is to end.
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
    /// Whether the work of the calling thread, which may be away, can be ended from outside.
    bool (*can_be_ended)() noexcept = nullptr;
    /// Called with the lock: throws where the work is to end. It may run any code.
    void (*end_if_asked)() = nullptr;
    /// How long work goes on before it asks, again and again.
    std::int64_t look_ns = 50'000'000;
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
    friend class OuterLock;
    void* left_ = nullptr;
    std::int64_t next_look_ns_ = 0;
  };

  /// On a thread that is away, once in `look_ns`: comes back, ends the work if that was asked for,
  /// and leaves again. Else nothing, in a few nanoseconds. See interruption.h.
  static void look_up();

  /// Lets others have the lock once a millisecond, between many short pieces of work, and ends the
  /// work if that was asked for.
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
