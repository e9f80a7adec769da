// Runs the threads of a block on one thread of the CPU: each on a stack of its own as soon as it
// meets a barrier. A kernel without barriers is a plain loop.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "csrc/core/text.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace garboard::shim {

/// A stack, and where on it work goes on.
class Fiber {
 public:
  /// The thread that is running now.
  Fiber() { note_current(); }
  explicit Fiber(void (*body)()) {
    memory_ = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    getcontext(&context_);
    bottom_ = context_.uc_stack.ss_sp = memory_;
    size_ = context_.uc_stack.ss_size = stack_bytes;
    makecontext(&context_, body, 0);
    make_known();
  }
  ~Fiber() {
    if (!memory_) return;
    forget();
    munmap(memory_, stack_bytes);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Goes on in `to`, until somebody comes back.
  void leave_for(Fiber& to) {
    last_left_ = this;
    announce(to);
    swapcontext(&context_, &to.context_);
    arrive();
  }
  /// What a fiber does first; `leave_for` does it when one comes back.
  void arrive() {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake_stack_, &last_left_->bottom_, &last_left_->size_);
#endif
  }

  int thread = 0;                                          // of the block; whose work is done here
  std::vector<std::vector<std::function<void()>>> copies;  // that this thread has begun, in groups

 private:
  static constexpr std::size_t stack_bytes = 256 << 10;

  void announce([[maybe_unused]] Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.size_);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(to.known_, 0);
#endif
  }
  void note_current() {
#ifdef __SANITIZE_THREAD__
    known_ = __tsan_get_current_fiber();
#endif
  }
  void make_known() {
#ifdef __SANITIZE_THREAD__
    known_ = __tsan_create_fiber(0);
#endif
  }
  void forget() {
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(known_);
#endif
  }

  inline static thread_local Fiber* last_left_ = nullptr;

  ucontext_t context_;
  void* memory_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* known_ = nullptr;
};

/// The threads of one block, and their barrier.
class ThreadBlock {
 public:
  static ThreadBlock& current() {
    static thread_local ThreadBlock block;
    return block;
  }

  /// Does `body` for each of `threads` threads, which share `shared_bytes` that hold no numbers.
  /// Raises std::logic_error when some wait for others that never come.
  void run(int threads, std::size_t shared_bytes, const std::function<void(int thread)>& body) {
    body_ = &body;
    threads_ = threads;
    next_ = 0;
    shared_.assign((shared_bytes + sizeof(Chunk) - 1) / sizeof(Chunk), Chunk{});
    if (!shared_.empty()) std::memset(shared_.data(), 0xff, shared_.size() * sizeof(Chunk));
    warps_.assign((static_cast<std::size_t>(threads) + warp_threads - 1) / warp_threads, {});
    ready_.clear();
    waiting_.clear();
    std::vector<Fiber*> now;
    while (next_ < threads_) resume(free_fiber());
    while (!ready_.empty() || !waiting_.empty()) {
      if (ready_.empty()) {
        if (static_cast<int>(waiting_.size()) != threads_)
          throw std::logic_error(text(waiting_.size(), " of ", threads_,
                                      " threads wait at a barrier, the others have left"));
        ready_.swap(waiting_);
      }
      now.clear();
      now.swap(ready_);
      for (Fiber* fiber : now) resume(*fiber);
    }
    for (const Warp& warp : warps_)
      if (!warp.waiting.empty())
        throw std::logic_error(text(warp.waiting.size(), " of ", warp_threads,
                                    " threads of a warp wait for the others"));
  }

  /// Returns when all threads of the block have come here.
  void wait() {
    Fiber* const fiber = running_;
    waiting_.push_back(fiber);
    fiber->leave_for(scheduler_);
  }
  /// Returns when all threads of the warp have come here, and the last of them has done `work` with
  /// what each has given.
  void meet_in_warp(void* mine, const std::function<void(void* const* all)>& work) {
    Fiber* const fiber = running_;
    const auto thread = static_cast<std::size_t>(fiber->thread);
    Warp& warp = warps_[thread / warp_threads];
    warp.given[thread % warp_threads] = mine;
    warp.waiting.push_back(fiber);
    if (warp.waiting.size() < warp_threads) return fiber->leave_for(scheduler_);
    work(warp.given);
    warp.waiting.pop_back();
    ready_.insert(ready_.end(), warp.waiting.begin(), warp.waiting.end());
    warp.waiting.clear();
  }
  int thread() const { return running_->thread; }
  std::byte* shared_bytes() { return reinterpret_cast<std::byte*>(shared_.data()); }
  auto& copies() { return running_->copies; }

 private:
  static constexpr std::size_t warp_threads = 32;
  struct Warp {
    void* given[warp_threads] = {};
    std::vector<Fiber*> waiting = {};
  };
  struct alignas(128) Chunk {
    std::byte bytes[128];
  };

  void resume(Fiber& fiber) {
    running_ = &fiber;
    scheduler_.leave_for(fiber);
  }

  Fiber& free_fiber() {
    if (free_.empty()) return *fibers_.emplace_back(std::make_unique<Fiber>(&ThreadBlock::work));
    Fiber& fiber = *free_.back();
    free_.pop_back();
    return fiber;
  }

  // One thread after the other, until one has to wait; then the scheduler takes another fiber.
  static void work() {
    ThreadBlock& block = current();
    Fiber& self = *block.running_;
    self.arrive();
    for (;;) {
      while (block.next_ < block.threads_) {
        self.thread = block.next_++;
        self.copies.assign(1, {});
        (*block.body_)(self.thread);
      }
      block.free_.push_back(&self);
      self.leave_for(block.scheduler_);
    }
  }

  Fiber scheduler_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_, waiting_, ready_;
  std::vector<Warp> warps_;
  std::vector<Chunk> shared_;
  Fiber* running_ = nullptr;
  const std::function<void(int)>* body_ = nullptr;
  int threads_ = 0, next_ = 0;
};

}  // namespace garboard::shim
