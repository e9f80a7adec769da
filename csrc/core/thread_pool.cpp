#include "csrc/core/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "csrc/core/cpu_share.h"
#include "csrc/core/error.h"
#include "csrc/core/forks.h"
#include "csrc/core/machine.h"
#include "csrc/core/text.h"

namespace garboard {
namespace {

constexpr int most_threads = 256;
constexpr std::size_t stack_bytes = std::size_t{1} << 20;

// What is to be claimed of a share: 24 bits of the job's number, 20 of the share's end, 20 of the
// next chunk. All in one word, so that whoever reads it stale claims nothing: the exchange fails.
constexpr int field = 20;
constexpr std::uint64_t field_mask = (std::uint64_t{1} << field) - 1;

/// What a chunk threw first. In the frame of who waits for the chunks.
struct Failure {
  std::atomic<bool> is_taken{false};
  std::exception_ptr error;
};

/// The chunks that one thread takes before it helps others, on a line of its own. Work that comes
/// again and again finds what it reads in the caches of the same core.
struct alignas(64) ChunkRange {
  std::atomic<std::uint64_t> claim{0};
};

/// Never given back: workers outlive main() asleep, and other threads the static destructors, at
/// work.
struct Workers {
  std::atomic<int> wanted{0};  // threads, the caller's among them; 0 until first asked
  std::atomic<int> started{0};
  std::atomic<bool> is_taken{false};
  std::atomic<std::uint64_t> number{0};  // of the job; counts up
  std::atomic<int> share_count{1};
  std::atomic<std::uint32_t> bell{0};  // rung by a change
  std::atomic<int> awake{0};
  alignas(64) std::atomic<std::uint32_t> done{0};  // apart from what idle workers look at
  std::atomic<std::int64_t> unshared_ns{0};        // of work that woken workers would have shared
  std::atomic<std::int64_t> unshared_at{0};
  Chunks job{};  // this and the next are read only by who has claimed a chunk
  Failure* failure = nullptr;
  ChunkRange shares[most_threads];
};
static_assert(std::is_trivially_destructible_v<Workers>);

Workers workers;
thread_local bool is_inside = false;

void pause_briefly() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

/// Takes the next chunk of a share that nobody has begun; -1 if there is none.
std::int64_t claim_chunk(ChunkRange& share) {
  std::uint64_t now = share.claim.load(std::memory_order_acquire);
  while ((now & field_mask) < (now >> field & field_mask)) {
    if (share.claim.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel))
      return static_cast<std::int64_t>(now & field_mask);
  }
  return -1;
}

void run_chunk(std::int64_t chunk) {
  const std::uint32_t count = static_cast<std::uint32_t>(workers.job.count);
  try {
    if (!is_in_vain()) workers.job.run(workers.job.context, chunk);
  } catch (...) {
    if (!workers.failure->is_taken.exchange(true))
      workers.failure->error = std::current_exception();
  }
  // From here on the job may be over and another begun.
  if (workers.done.fetch_add(1, std::memory_order_acq_rel) + 1 == count) workers.done.notify_all();
}

/// Runs chunks until none is left to begin: those of the own share, then what others have left.
void work(int mine) {
  is_inside = true;
  const int shares = workers.share_count.load(std::memory_order_relaxed);
  for (int turn = 0; turn < shares; ++turn) {
    ChunkRange& share = workers.shares[(mine + turn) % shares];
    for (std::int64_t chunk; (chunk = claim_chunk(share)) >= 0;) run_chunk(chunk);
  }
  is_inside = false;
}

/// `number` counts from 1, the caller being 0.
void* live(void* number) {
  const auto mine = static_cast<int>(reinterpret_cast<std::intptr_t>(number));
  const int most_looks = machine().most_looks;  // once: a test may set another, between two jobs
  std::uint64_t seen = 0;                       // the last job of which nothing was left to begin
  const auto help = [&] {
    const std::uint64_t now = workers.number.load();
    if (now == seen) return false;
    work(mine);
    seen = now;
    return true;
  };
  for (;;) {
    const std::uint32_t heard = workers.bell.load(std::memory_order_acquire);
    const bool is_wanted = mine < workers.wanted.load(std::memory_order_relaxed);
    workers.awake.fetch_add(is_wanted);
    for (int look = 0; is_wanted && look < most_looks; ++look) {
      if (help()) look = 0;
      pause_briefly();
    }
    workers.awake.fetch_sub(is_wanted);
    if (is_wanted && help()) continue;
    workers.bell.wait(heard, std::memory_order_acquire);
  }
}

// A child has its parent's memory without its threads.
void forget_workers() {
  const int wanted = workers.wanted.load();
  new (&workers) Workers;
  workers.wanted = wanted;
  is_inside = false;
}

void start_workers(int count) {
  static const bool is_watching = watch_forks<forget_workers>();
  if (!is_watching) return;  // without memory for that: no workers either
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the program's own threads' affair
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  for (int number = workers.started + 1; number <= count; ++number) {
    pthread_t thread;
    const auto given = static_cast<std::intptr_t>(number);
    if (pthread_create(&thread, &attributes, live, reinterpret_cast<void*>(given)) != 0) break;
    workers.started = number;
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void await_the_begun(std::uint32_t count) {
  for (int look = 0; look < machine().most_looks; ++look) {
    if (workers.done.load(std::memory_order_acquire) == count) return;
    pause_briefly();
  }
  for (std::uint32_t now; (now = workers.done.load(std::memory_order_acquire)) != count;)
    workers.done.wait(now, std::memory_order_acquire);
}

/// Whether enough of such work has come, with short gaps, that workers should wake for the rest.
bool keeps_coming(double cost_ns) noexcept {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  const std::int64_t now = std::chrono::nanoseconds(since_start).count();
  const std::int64_t gap = now - workers.unshared_at.exchange(now, std::memory_order_relaxed);
  const std::int64_t before =
      gap < machine().longest_gap_ns ? workers.unshared_ns.load(std::memory_order_relaxed) : 0;
  const std::int64_t all = before + static_cast<std::int64_t>(cost_ns);
  const bool is_enough = all >= machine().waking_ns;
  workers.unshared_ns.store(is_enough ? 0 : all, std::memory_order_relaxed);
  return is_enough;
}

}  // namespace

int thread_count() noexcept {
  int wanted = workers.wanted.load(std::memory_order_relaxed);
  if (wanted == 0) {
    wanted = std::min(cpu_share(), most_threads);
    workers.wanted.store(wanted, std::memory_order_relaxed);
  }
  return wanted;
}

void set_thread_count(int count) {
  if (count < 1 || count > most_threads)
    throw ShapeError(
        text("set_num_threads: ", count, " was given; 1 to ", most_threads, " are possible"));
  workers.wanted.store(count, std::memory_order_relaxed);
}

bool is_worth_splitting(double cost_ns) noexcept {
  const Machine& it = machine();
  if (cost_ns < it.split_awake_ns || is_inside || thread_count() == 1) return false;
  return cost_ns >= it.split_asleep_ns || workers.awake.load(std::memory_order_relaxed) > 0 ||
         keeps_coming(cost_ns);
}

bool is_in_vain() noexcept {
  return is_inside && workers.failure->is_taken.load(std::memory_order_relaxed);
}

OutsideChunk::OutsideChunk() noexcept : was_inside_(std::exchange(is_inside, false)) {}
OutsideChunk::~OutsideChunk() { is_inside = was_inside_; }

void run_alone(const Chunks& chunks) {
  for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk) chunks.run(chunks.context, chunk);
}

void run_chunks(const Chunks& chunks) {
  const int helpers = thread_count() - 1;
  if (chunks.count < 2 || helpers == 0 || is_inside) return run_alone(chunks);
  if (workers.is_taken.exchange(true, std::memory_order_acquire)) return run_alone(chunks);
  if (workers.started.load(std::memory_order_relaxed) < helpers) start_workers(helpers);

  Failure failure;
  workers.job = chunks;
  workers.failure = &failure;
  workers.done.store(0, std::memory_order_relaxed);
  // No chunk can be claimed before its share is given, and none is in the shares of another count.
  const std::uint64_t number = workers.number.load(std::memory_order_relaxed) + 1;
  const int shares = helpers + 1;
  workers.share_count.store(shares, std::memory_order_relaxed);
  for (int i = 0; i < shares; ++i) {
    const auto first = static_cast<std::uint64_t>(chunks.count * i / shares);
    const auto end = static_cast<std::uint64_t>(chunks.count * (i + 1) / shares);
    workers.shares[i].claim.store(number << 2 * field | end << field | first,
                                  std::memory_order_release);
  }
  workers.number.store(number);
  if (workers.awake.load() < helpers) {
    workers.bell.fetch_add(1, std::memory_order_release);
    workers.bell.notify_all();
  }
  work(0);
  await_the_begun(static_cast<std::uint32_t>(chunks.count));

  workers.is_taken.store(false, std::memory_order_release);
  if (failure.error) std::rethrow_exception(std::move(failure.error));
}

}  // namespace garboard
