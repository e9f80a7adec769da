#include "csrc/lifetime/birth.h"

#include "csrc/core/forks.h"
#include "csrc/lifetime/registry.h"

namespace garboard {

constinit thread_local Birth birth [[gnu::tls_model("initial-exec")]] = {};

std::atomic<std::uint32_t> birth_step{0};

namespace {
std::atomic<std::uint32_t> last_thread{0};
std::atomic<std::string (*)(Site)> resolver{nullptr};

void reset_locks() { registry().reset_locks_after_fork(); }
}  // namespace

std::uint32_t thread_number() noexcept {
  // Asked once a thread, before it makes anything: early enough to hear of every fork that matters.
  static const bool is_watching = watch_forks<reset_locks>();
  (void)is_watching;
  if (birth.thread == 0) birth.thread = ++last_thread;
  return birth.thread;
}

std::string describe(Site site) {
  const auto resolve = resolver.load();
  return resolve && site != unknown_site ? resolve(site) : "unknown";
}

void set_site_resolver(std::string (*given)(Site)) noexcept { resolver = given; }

}  // namespace garboard
