// What is stamped on everything born on this thread: written once an op, read by each record.
#pragma once

#include <atomic>
#include <cstdint>

#include "csrc/lifetime/site.h"

namespace garboard {

class DisposeScope;

/// Where, when and by which thread something was born.
struct Stamp {
  Site site = unknown_site;
  std::uint32_t step = 0;
  std::uint32_t thread = 0;
};

struct Birth {
  Site site = unknown_site;
  /// 0 until the thread is first asked for it; see `thread_number()`.
  std::uint32_t thread = 0;
  /// The innermost open scope. Whoever runs an op for another context (a Python thread or asyncio
  /// task) writes that context's scope here first.
  DisposeScope* scope = nullptr;
};

// Initial-exec: three words that every op reads.
extern constinit thread_local Birth birth [[gnu::tls_model("initial-exec")]];

/// Numbers threads from 1, in the order in which they first make something.
std::uint32_t thread_number() noexcept;

/// The step that births belong to; a leak watcher or an optimizer moves it on.
extern std::atomic<std::uint32_t> birth_step;

/// The stamp of what is born on this thread now. Made field by field: a copy of the whole that has
/// just been written in part would wait for the store.
inline Stamp stamp_now() noexcept {
  const std::uint32_t thread = birth.thread ? birth.thread : thread_number();
  return {birth.site, birth_step.load(std::memory_order_relaxed), thread};
}

}  // namespace garboard
