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
  Borrowing() noexcept { begin(); }
  ~Borrowing() { end(); }
  Borrowing(const Borrowing&) = delete;
  Borrowing& operator=(const Borrowing&) = delete;

  /// Suspends its caller's Borrowing, where the caller holds shares of its own: code that it runs
  /// may then dispose, and see the bytes go at once.
  class Pause {
   public:
    Pause() noexcept { end(); }
    ~Pause() { begin(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  };

  /// Made before the lock is given up, ended when it has been taken again. What is disposed
  /// meanwhile waits for the end of the absent op, if it borrows, and for no op that begins later.
  class Absence {
   public:
    Absence() noexcept;
    ~Absence();
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;

   private:
    friend class Borrowing;
    int depth_;
    std::uint64_t began_, left_;
    Absence* next_;
  };
  /// In a forked child: whoever borrowed on another thread is not there.
  static void forget_others() noexcept;

  /// Drops `share` now, or when the last Borrowing that may need it has ended.
  static void drop(const Share& share) noexcept;
  /// The same of what ops read whose tensor the caller does not end, and who need not borrow it:
  /// all that are absent may.
  static void drop_after_all(const Share& share) noexcept;

 private:
  /// This thread's: Python code inside an op may let another thread run, and go on after it.
  struct Own {
    int depth = 0;
    std::uint64_t began = 0;  // the number of the first disposing since the outermost one began
  };

  static void begin() noexcept {
    if (own_.depth++ == 0) own_.began = next_number_;
    ++depth_;
  }
  static void end() noexcept {
    --own_.depth;
    if (--depth_ == absent_depth_ && has_waiting_) settle();
  }
  static void settle() noexcept;

  static constinit thread_local Own own_ [[gnu::tls_model("initial-exec")]];
  static int depth_;         // of all threads
  static int absent_depth_;  // the part of it that is absent
  static bool has_waiting_;
  static std::uint64_t next_number_;
};

}  // namespace garboard
