// A libgarboard_cuda.so without CUDA: its kernels run on the shim, as late as they may, and its two
// devices are memory that nobody can touch while no kernel or copy is at work. Whatever else reads
// a device's memory dies.
#include "tests/support/cuda_shim.h"  // stands for CUDA, so it comes first

#include <garboard_roll_call_hash.h>
#include <sys/mman.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>

#include "csrc/device/cuda_library.h"
#include "csrc/device/stream_driver.h"
#include "kernels/cuda/launch/captured.h"
#include "kernels/cuda/fuse/chains.h"
#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/library/filled_table.h"
#include "kernels/cuda/product/cublas.h"
#include "tests/support/gemm_by_definition.h"
#include "tests/support/late_streams.h"

namespace garboard::shim {
namespace {

constexpr std::size_t device_bytes = std::size_t{256} << 20;
constexpr int device_count = 2;
constexpr int host = -1;

/// First fit, in steps as large as cudaMalloc's.
class Arena {
 public:
  Arena()
      : start_(static_cast<std::byte*>(mmap(nullptr, device_bytes, PROT_NONE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    if (start_ == MAP_FAILED) throw std::bad_alloc();
  }

  bool holds(const void* data) const { return data >= start_ && data < start_ + device_bytes; }

  void* allocate(std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    bytes = (bytes + 511) / 512 * 512;
    std::byte* at = start_;
    for (const auto& [taken, size] : taken_) {
      if (at + bytes <= taken) break;
      at = taken + size;
    }
    if (at + bytes > start_ + device_bytes) return nullptr;
    taken_[at] = bytes;
    return at;
  }
  void release(void* memory) {
    const std::lock_guard guard(mutex_);
    taken_.erase(static_cast<std::byte*>(memory));
  }
  std::size_t free_bytes() {
    const std::lock_guard guard(mutex_);
    std::size_t taken = 0;
    for (const auto& [at, bytes] : taken_) taken += bytes;
    return device_bytes - taken;
  }

  void open() {
    const std::lock_guard guard(mutex_);
    if (users_++ == 0) mprotect(start_, device_bytes, PROT_READ | PROT_WRITE);
  }
  void close() {
    const std::lock_guard guard(mutex_);
    if (--users_ == 0) mprotect(start_, device_bytes, PROT_NONE);
  }

 private:
  std::mutex mutex_;
  std::byte* start_;
  std::map<std::byte*, std::size_t> taken_;
  int users_ = 0;
};

Arena& arena(int device) {
  static auto& both = *new std::array<Arena, device_count>;
  return both[static_cast<std::size_t>(device)];
}

LateStreams& streams() {
  static LateStreams& once = *new LateStreams;
  return once;
}

Device numbered(int number) { return Device::of(cuda_kind, number); }

/// The number of the device that holds `data`, or `host`.
int place_of(const void* data) {
  for (int device = 0; device < device_count; ++device)
    if (arena(device).holds(data)) return device;
  return host;
}

/// Pages of the host that copies may be queued from and to.
class PinnedPages {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard guard(mutex_);
    return *taken_.insert(std::aligned_alloc(4096, bytes)).first;
  }
  void give(void* memory) {
    const std::lock_guard guard(mutex_);
    taken_.erase(memory);
    std::free(memory);
  }

 private:
  std::mutex mutex_;
  std::set<void*> taken_;
};

PinnedPages& pinned_pages() {
  static PinnedPages& once = *new PinnedPages;
  return once;
}

/// A place in the work of a stream; the driver's events.
struct Event {
  Stream stream;
  LateStreams::Number number = 0;
  std::uint64_t capture = 0;
};

/// What the driver would answer with an error, or never.
[[noreturn]] void refuse(const char* what) {
  std::fprintf(stderr, "simulated_cuda: %s\n", what);
  std::abort();
}
Event& event_of(void* event) { return *static_cast<Event*>(event); }

const CudaEvents events{
    .create = [](int) noexcept -> void* { return new Event; },
    .record =
        [](void* event, Stream stream) noexcept {
          event_of(event) = {stream, streams().given(stream), streams().capture_of(stream)};
          return true;
        },
    .is_passed =
        [](void* event) noexcept {
          if (event_of(event).capture != 0) refuse("a captured event was asked for");
          return streams().is_done(event_of(event).stream, event_of(event).number);
        },
    .await =
        [](void* event) noexcept {
          if (event_of(event).capture != 0) refuse("a captured event was waited for");
          streams().await(event_of(event).stream, event_of(event).number);
          return true;
        },
    .let_wait =
        [](Stream waiter, void* event) noexcept {
          const Event& it = event_of(event);
          const std::uint64_t capture = streams().capture_of(waiter);
          if (it.capture == 0) {
            if (capture != 0) refuse("captured work waits for what is done");
            streams().let_wait(waiter, it.stream, it.number);
          } else if (capture == 0) {
            streams().join(waiter, it.stream);
          } else if (capture != it.capture) {
            refuse("captured work waits for that of another capture");
          }
          return true;
        },
    .await_stream = [](Stream stream) noexcept { streams().await_all(stream); },
};

using Captured = std::shared_ptr<const LateStreams::Pieces>;  // played, it may be forgotten
Captured& captured_of(void* captured) { return *static_cast<Captured*>(captured); }

const CaptureDriver captures{
    .begin = [](Stream stream) { streams().begin_capture(stream); },
    .end = [](Stream stream) -> void* {
      return new Captured(std::make_shared<LateStreams::Pieces>(streams().end_capture(stream)));
    },
    .capture_of = [](Stream stream) noexcept { return streams().capture_of(stream); },
    .play =
        [](void* captured, Stream stream) {
          queue(stream, [pieces = captured_of(captured)] {
            for (const auto& piece : *pieces) piece();
          });
        },
    .forget = [](Device, void* captured) noexcept { delete &captured_of(captured); },
};

// Shared with the work that sets it: a mark may be ended before.
using TimeMark = std::shared_ptr<std::chrono::steady_clock::time_point>;
TimeMark& time_mark_of(void* mark) { return *static_cast<TimeMark*>(mark); }

const StreamDriver stream_driver{
    .make = [](Device, int) noexcept -> void* { return new int; },  // an address like no other
    .priorities = [](Device) noexcept { return PriorityRange{.least = 0, .greatest = -5}; },
    .is_idle = [](Stream stream) { return streams().is_done(stream, streams().given(stream)); },
    .synchronize =
        [](Stream stream) {
          streams().await_all(stream);
          kernels::cuda::raise_noted(kernels::cuda::fault_record(stream));
        },
    .copy =
        [](void* to, const void* from, std::size_t bytes, Stream stream) {
          queue(stream, [=] {
            const DeviceAtWork at_work;
            std::memcpy(to, from, bytes);
          });
        },
    .make_time_mark = [](Device) noexcept -> void* {
      return new TimeMark(std::make_shared<TimeMark::element_type>());
    },
    .end_time_mark = [](Device, void* mark) noexcept { delete &time_mark_of(mark); },
    .record_time_mark =
        [](void* mark, Stream stream) {
          queue(stream, [time = time_mark_of(mark)] { *time = std::chrono::steady_clock::now(); });
        },
    .elapsed_ms =
        [](void* first, void* last) {
          return std::chrono::duration<double, std::milli>(*time_mark_of(last) -
                                                           *time_mark_of(first))
              .count();
        },
    .captures = &captures,
};

CudaProperties properties_of(int device) {
  CudaProperties it{.major = 8, .minor = 0, .total_memory = device_bytes};
  std::strcpy(it.name, "simulated");
  std::snprintf(it.uuid, sizeof it.uuid, "00000000-0000-0000-0000-%012d", device);
  it.multi_processor_count = 1;
  it.max_threads_per_block = 1024;
  it.max_threads_per_multi_processor = 1024;
  it.warp_size = 32;
  return it;
}

ScratchSource scratch_source{};

}  // namespace

DeviceAtWork::DeviceAtWork() {
  for (int device = 0; device < device_count; ++device) arena(device).open();
}
DeviceAtWork::~DeviceAtWork() {
  for (int device = 0; device < device_count; ++device) arena(device).close();
}

void queue(Stream stream, std::function<void()> work) { streams().queue(stream, std::move(work)); }

}  // namespace garboard::shim

namespace garboard::kernels::cuda {

bool multiplies_halves(Device) { return true; }

bool is_captured(Stream stream) { return shim::streams().capture_of(stream) != 0; }

bool is_on_host(const void* data) { return shim::place_of(data) == shim::host; }

Fault* fault_record(Stream stream) {
  static Fault records[shim::device_count]{};
  return &records[stream.device.number];
}

void copy_bytes(void* to, const void* from, std::size_t bytes, Stream stream) {
  const int source = shim::place_of(from);
  const bool stays = source == shim::place_of(to);
  if (!stays) refuse_captured("copy", stream);
  if (!stays && source != shim::host && source != stream.device.number)
    shim::streams().await_all(shim::numbered(source));
  shim::queue(stream, [=] {
    const shim::DeviceAtWork at_work;
    std::memcpy(to, from, bytes);
  });
  if (stays) return;
  shim::streams().await_all(stream);
  raise_noted(fault_record(stream));
}

void multiply(const Gemm& gemm, Stream stream) {
  shim::queue(stream, [gemm] {
    const shim::DeviceAtWork at_work;
    shim::multiply_by_definition(gemm);
  });
}

Scratch::Scratch(std::size_t bytes, Stream stream) : stream_(stream) {
  if (bytes > 0) data_ = shim::scratch_source.take(stream, bytes, handle_);
}
Scratch::~Scratch() {
  if (handle_) shim::scratch_source.give(stream_, handle_);
}

}  // namespace garboard::kernels::cuda

extern "C" [[gnu::visibility("default")]] const garboard::CudaLibrary* garboard_cuda_library() {
  using namespace garboard;
  static const kernels::Table table = kernels::cuda::filled_table();
  static const CudaProperties properties[] = {shim::properties_of(0), shim::properties_of(1)};
  static const CudaLibrary library{
      .version = CudaLibrary::current_version,
      .roll_calls = roll_call_hash_here,
      .device_count = shim::device_count,
      .table = &table,
      .allocate = [](int device,
                     std::size_t bytes) noexcept { return shim::arena(device).allocate(bytes); },
      .release =
          [](int device, void* memory) noexcept {
            if (shim::streams().is_captured(shim::numbered(device)))
              shim::refuse("memory was given back while work was captured");
            shim::streams().await_all(shim::numbered(device));
            shim::arena(device).release(memory);
          },
      .allocate_pinned =
          [](std::size_t bytes) noexcept { return shim::pinned_pages().take(bytes); },
      .release_pinned = [](void* memory) noexcept { shim::pinned_pages().give(memory); },
      .capacity_bytes = [](int) { return shim::device_bytes; },
      .free_bytes = [](int device) noexcept { return shim::arena(device).free_bytes(); },
      .events = &shim::events,
      .streams = &shim::stream_driver,
      .properties = [](int device) -> const CudaProperties& { return properties[device]; },
      .synchronize =
          [](int device) {
            if (shim::streams().is_captured(shim::numbered(device)))
              shim::refuse("the device was waited for while work was captured");
            shim::streams().await_all(shim::numbered(device));
            kernels::cuda::raise_noted(kernels::cuda::fault_record(Stream{shim::numbered(device)}));
          },
      .set_scratch_source = [](const ScratchSource& source) { shim::scratch_source = source; },
      .chains = &kernels::cuda::chain_compiler,
  };
  return &library;
}
