// Lets an op read its inputs without taking shares of them, although an explicit dispose may come
// in between: from a finalizer that the allocator's last resort ran, or from a closing scope.
#pragma once

#include <cstdint>
#include <vector>

#include "csrc/lifetime/disposable.h"

namespace garboard {

/// While one exists, `dispose` and closing scopes put off dropping their shares until the last one
/// ends. Finalizing drops at once: what is finalized is nobody's argument.
///
/// Only under the outer lock that `Exclusive::declare` speaks of. Whoever gives that up inside one
/// has an Absence, for other threads' disposing must wait for it too.
class Borrowing {
 public:
  Borrowing() noexcept { ++depth_; }
  ~Borrowing() {
    if (--depth_ == 0 && has_waiting_) drop_waiting();
  }
  Borrowing(const Borrowing&) = delete;
  Borrowing& operator=(const Borrowing&) = delete;

  /// Suspends its caller's Borrowing, where the caller holds shares of its own: code that it runs
  /// may then dispose, and see the bytes go at once.
  class Pause {
   public:
    Pause() noexcept {
      if (--depth_ == 0 && has_waiting_) drop_waiting();
    }
    ~Pause() { ++depth_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  };

  /// Made before the lock is given up, ended when it has been taken again. What others dispose
  /// meanwhile waits for all who are absent then, and for nobody who leaves later.
  class Absence {
   public:
    Absence();
    ~Absence();
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;

   private:
    friend class Borrowing;
    std::uint64_t since_;
    int depth_;
    std::vector<Share> waiting_;
    Absence* next_;
  };

  /// In a forked child: whoever was absent is not there. What waited goes with the next disposing.
  static void forget_absent() noexcept;

  /// Drops `share` now, or when the last Borrowing ends.
  static void drop(const Share& share) noexcept;

 private:
  static void drop_waiting() noexcept;
  static void drop_unless_absent(const Share& share) noexcept;
  static void drop_late() noexcept;

  static int depth_;
  static bool has_waiting_;
};

}  // namespace garboard
