// Lets an op read its inputs without taking shares of them, although an explicit dispose may come
// in between: from a finalizer that the allocator's last resort ran, or from a closing scope.
#pragma once

#include "csrc/lifetime/disposable.h"

namespace garboard {

/// While one exists, `dispose` and closing scopes put off dropping their shares until the last one
/// ends. Finalizing drops at once: what is finalized is nobody's argument.
///
/// Only under the outer lock that `Exclusive::declare` speaks of, held throughout.
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

  /// Drops `share` now, or when the last Borrowing ends.
  static void drop(const Share& share) noexcept;

 private:
  static void drop_waiting() noexcept;

  static int depth_;
  static bool has_waiting_;
};

}  // namespace garboard
