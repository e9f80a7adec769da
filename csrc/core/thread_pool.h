// The library's own worker threads: one small pool for the process, made when first needed.
//
// The caller works too, and waits only for chunks that a worker has already begun: a processor that
// the system gives to somebody else delays nothing that was not begun there. A worker without work
// looks for some for microseconds and then sleeps.
#pragma once

#include <cstdint>

namespace garboard {

/// Work in numbered chunks that may run at the same time, in any order.
struct Chunks {
  std::int64_t count;  // less than 2^20
  void (*run)(void* context, std::int64_t chunk);
  void* context;
};

/// How many threads work on one operation, the caller's among them: at first `cpu_share()`.
int thread_count() noexcept;
/// Raises ShapeError unless 1 <= count <= 256. More threads than processors are allowed. Takes
/// effect from the next operation on.
void set_thread_count(int count);

/// Whether splitting work that one thread does in `cost_ns` gains more than handing it over costs:
/// `split_awake_ns` of the machine while a worker is awake, `split_asleep_ns` when all sleep. Some
/// `waking_ns` of work between those two, with short gaps, are worth waking them for what follows.
/// Never inside a chunk, and never with one thread.
bool is_worth_splitting(double cost_ns) noexcept;

/// Runs every chunk and returns when all are done. Each thread begins with a stretch of them that
/// is the same for the same count, and then helps others. What a chunk throws is thrown on, when no
/// other runs any more; those that had not begun do not run. Called inside a chunk, or while
/// another thread's chunks run, it does all by itself. A child of fork starts with new workers,
/// whatever other threads were doing; a chunk must not fork.
void run_chunks(const Chunks& chunks);

/// Runs every chunk in order, on the calling thread.
void run_alone(const Chunks& chunks);

/// Inside a chunk of work of which another one has failed.
bool is_in_vain() noexcept;

/// For code of any kind that runs in the middle of a chunk, on its thread: it stands as if it did
/// not.
class OutsideChunk {
 public:
  OutsideChunk() noexcept;
  ~OutsideChunk();
  OutsideChunk(const OutsideChunk&) = delete;
  OutsideChunk& operator=(const OutsideChunk&) = delete;

 private:
  bool was_inside_;
};

}  // namespace garboard
