// Lets an op read its inputs without taking shares of them, although an explicit dispose may come
// in between: from a finalizer that the allocator's last resort ran, or from a closing scope.
#pragma once

#include <cstdint>

#include "csrc/lifetime/disposable.h"

namespace garboard {

/// While one exists, `dispose` and closing scopes put off dropping their shares until the last one
/// ends. Finalizing drops at once: what is finalized is nobody's argument.
///
/// Only under the outer lock that `Exclusive::declare` speaks of. Whoever gives that up inside one
/// makes an Absence first: what others dispose waits for the end of that op, too.
class Borrowing {
 public:
  Borrowing() noexcept { ++depth_; }
  ~Borrowing() {
    if (--depth_ == 0 && must_settle_) settle();
  }
  Borrowing(const Borrowing&) = delete;
  Borrowing& operator=(const Borrowing&) = delete;

  /// Suspends its caller's Borrowing, where the caller holds shares of its own: code that it runs
  /// may then dispose, and see the bytes go at once.
  class Pause {
   public:
    Pause() noexcept {
      if (--depth_ == 0 && must_settle_) settle();
    }
    ~Pause() { ++depth_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  };

  /// Made before the lock is given up, ended when it has been taken again. What is disposed from
  /// then on waits for the end of the absent op, and for no op that begins later.
  class Absence {
   public:
    Absence() noexcept;
    ~Absence();
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;

   private:
    friend class Borrowing;
    std::uint64_t since_;  // the first of what waits for this op
    int depth_;
    Absence* next_;
  };
  /// In a forked child: whoever was absent is not there.
  static void forget_absent() noexcept;

  /// Drops `share` now, or when the last Borrowing that may need it has ended.
  static void drop(const Share& share) noexcept;

 private:
  static void settle() noexcept;

  static int depth_;
  static bool must_settle_;
};

}  // namespace garboard
