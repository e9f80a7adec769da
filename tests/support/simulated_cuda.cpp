// A libgarboard_cuda.so without CUDA: its kernels run on the shim, and its one device is memory
// that nobody can touch while no kernel or copy is at work. Whatever else reads a device's memory
// dies.
#include "tests/support/cuda_shim.h"  // stands for CUDA, so it comes first

#include <garboard_roll_call_hash.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <new>

#include "csrc/device/cuda_library.h"
#include "kernels/cuda/launch/fault_record.h"
#include "kernels/cuda/library/filled_table.h"
#include "kernels/cuda/product/cublas.h"
#include "tests/support/gemm_by_definition.h"

namespace garboard::shim {
namespace {

constexpr std::size_t device_bytes = std::size_t{256} << 20;

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
  void release(void* memory) { taken_.erase(static_cast<std::byte*>(memory)); }

  void open() {
    if (users_++ == 0) mprotect(start_, device_bytes, PROT_READ | PROT_WRITE);
  }
  void close() {
    if (--users_ == 0) mprotect(start_, device_bytes, PROT_NONE);
  }

 private:
  std::byte* start_;
  std::map<std::byte*, std::size_t> taken_;
  int users_ = 0;
};

Arena& arena() {
  static Arena& once = *new Arena;
  return once;
}

ScratchSource scratch_source{};

}  // namespace

DeviceAtWork::DeviceAtWork() { arena().open(); }
DeviceAtWork::~DeviceAtWork() { arena().close(); }

}  // namespace garboard::shim

namespace garboard::kernels::cuda {

bool is_on_host(const void* data) { return !shim::arena().holds(data); }

Fault* fault_record(Stream) {
  static Fault record{};
  return &record;
}

void copy_bytes(void* to, const void* from, std::size_t bytes, Stream stream) {
  {
    const shim::DeviceAtWork at_work;
    std::memcpy(to, from, bytes);
  }
  if (is_on_host(to) != is_on_host(from)) raise_noted(fault_record(stream));
}

void multiply(const Gemm& gemm, Stream) {
  const shim::DeviceAtWork at_work;
  shim::multiply_by_definition(gemm);
}

Scratch::Scratch(std::size_t bytes, Stream stream) : stream_(stream) {
  if (bytes > 0) data_ = shim::scratch_source.take(stream.device, bytes, handle_);
}
Scratch::~Scratch() {
  if (handle_) shim::scratch_source.give(stream_.device, handle_);
}

}  // namespace garboard::kernels::cuda

extern "C" [[gnu::visibility("default")]] const garboard::CudaLibrary* garboard_cuda_library() {
  using namespace garboard;
  static const kernels::Table table = kernels::cuda::filled_table();
  static const CudaLibrary library{
      .version = CudaLibrary::current_version,
      .roll_calls = roll_call_hash_here,
      .device_count = 1,
      .table = &table,
      .allocate = [](int, std::size_t bytes) noexcept { return shim::arena().allocate(bytes); },
      .release = [](int, void* memory) noexcept { shim::arena().release(memory); },
      .capacity_bytes = [](int) { return shim::device_bytes; },
      .device_name = [](int) { return "simulated"; },
      .synchronize =
          [](int) { kernels::cuda::raise_noted(kernels::cuda::fault_record(Stream{})); },
      .set_scratch_source = [](const ScratchSource& source) { shim::scratch_source = source; },
  };
  return &library;
}
