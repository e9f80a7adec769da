#include "csrc/lifetime/op_profile.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "csrc/lifetime/registry.h"

namespace garboard {
namespace {

struct Recording {
  std::mutex mutex;
  OpProfile::Result result;
  std::uint64_t number = 0;  // of the recording
};
// Leaked: threads may still run when static objects go.
Recording& recording() {
  static auto* const it = new Recording;
  return *it;
}

struct ThreadProfile {
  std::int32_t innermost = -1;
  std::uint64_t recording = 0;  // which one `innermost` belongs to
};
constinit thread_local ThreadProfile mine;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

std::int32_t innermost_of(std::uint64_t recording) {
  return mine.recording == recording ? mine.innermost : -1;
}

}  // namespace

bool OpProfile::start(bool records_memory) {
  Recording& it = recording();
  {
    const std::lock_guard guard(it.mutex);
    if (is_on()) return false;
    it.result = {};
    it.result.begin_ns = now_ns();
    ++it.number;
    is_on_.store(true, std::memory_order_relaxed);
  }
  if (records_memory) registry().watch_memory(&OpProfile::note);
  return true;
}

OpProfile::Result OpProfile::stop() {
  registry().watch_memory(nullptr);
  Recording& it = recording();
  const std::lock_guard guard(it.mutex);
  is_on_.store(false, std::memory_order_relaxed);
  it.result.end_ns = now_ns();
  for (Event& event : it.result.events) {
    if (event.end_ns == 0) event.end_ns = it.result.end_ns;
  }
  ++it.number;
  return std::exchange(it.result, {});
}

OpProfile::Op::Op(std::string_view name, std::string detail) {
  const std::uint32_t thread = stamp_now().thread;
  Recording& it = recording();
  const std::lock_guard guard(it.mutex);
  if (!is_on()) return;
  recording_ = it.number;
  index_ = static_cast<std::int32_t>(it.result.events.size());
  outer_ = innermost_of(recording_);
  it.result.events.push_back({.name = std::string(name),
                              .detail = std::move(detail),
                              .begin_ns = 0,
                              .parent = outer_,
                              .thread = thread});
  mine.innermost = index_;
  mine.recording = recording_;
  it.result.events.back().begin_ns = now_ns();  // last: what came before is not the op's
}

OpProfile::Op::~Op() {
  if (index_ < 0) return;
  const std::int64_t now = now_ns();
  mine.innermost = outer_;
  Recording& it = recording();
  const std::lock_guard guard(it.mutex);
  if (it.number != recording_) return;
  it.result.events[static_cast<std::size_t>(index_)].end_ns = now;
}

void OpProfile::note(const StorageRecord& storage, bool is_born) noexcept try {
  Recording& it = recording();
  const std::lock_guard guard(it.mutex);
  if (!is_on()) return;
  it.result.memory.push_back({.at_ns = now_ns(),
                              .bytes = is_born ? storage.bytes : -storage.bytes,
                              .serial = storage.serial,
                              .site = storage.site,
                              .device = storage.device});
  const std::int32_t op = innermost_of(it.number);
  if (op < 0) return;
  Event& event = it.result.events[static_cast<std::size_t>(op)];
  (is_born ? event.allocated : event.freed)[storage.device.is_cpu() ? 0 : 1] += storage.bytes;
} catch (const std::bad_alloc&) {  // an event less
}

}  // namespace garboard
