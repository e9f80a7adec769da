#include "csrc/memory/allocator/scratch_gate.h"

#include <algorithm>

#include "csrc/core/exclusive.h"
#include "csrc/memory/record/out_of_memory_report.h"

namespace garboard {
namespace {

constinit thread_local std::size_t of_this_thread [[gnu::tls_model("initial-exec")]] = 0;

// Less is not worth the look at what is free.
constexpr std::size_t least_for_trimming = 1_MiB;

}  // namespace

void ScratchGate::take(std::size_t bytes) {
  const Accounts& accounts = arena_.accounts();
  counted().add(bytes);
  const ScratchRefusal facts{.requested = bytes,
                             .live = accounts.books().live_bytes(),
                             .scratch = counted().bytes() - bytes,
                             .limit = accounts.limit_bytes()};
  if (facts.excess() > 0) {
    counted().subtract(bytes);
    ++refused_;
    throw OutOfMemoryError(message_of(facts), report_of(facts));
  }
  of_this_thread += bytes;
  if (bytes >= least_for_trimming && Exclusive::allows_this_thread()) trimmer_.trim_to_limit();
}

void ScratchGate::give_back(std::size_t bytes) noexcept {
  of_this_thread -= bytes;
  counted().subtract(bytes);
}

// Other devices' gates have none, whatever this thread has of one.
void ScratchGate::forget_others() noexcept {
  counted().set_alone(std::min(counted().bytes(), of_this_thread));
}

}  // namespace garboard
