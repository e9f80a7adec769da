#include "csrc/ops/devices/cuda_devices.h"

#include <array>
#include <atomic>
#include <mutex>

#include "csrc/core/error.h"
#include "csrc/core/forks.h"
#include "csrc/core/text.h"
#include "csrc/device/backend.h"
#include "csrc/device/capture.h"
#include "csrc/device/cuda_library.h"
#include "csrc/device/streams.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/sources/cuda_source.h"
#include "csrc/memory/sources/pinned_source.h"
#include "csrc/ops/devices/pinned_memory.h"
#include "csrc/ops/fuse/chain_compilers.h"
#include "kernels/fused_chain.h"
#include "kernels/table.h"

namespace garboard {
namespace {

void* take_scratch(Stream stream, std::size_t bytes, void*& handle) {
  Block* const block = allocator_of(stream.device).allocate(bytes, stream);
  handle = block;
  return block->data();
}

void give_scratch(Stream stream, void* handle) noexcept {
  allocator_of(stream.device).release(static_cast<Block*>(handle));
}

constinit std::array<CudaSource*, max_cuda_devices> sources{};  // of the devices that there are

constinit std::atomic<bool> is_open{false};

/// What was chosen last, perhaps before the library was opened.
class Chosen {
 public:
  void set(const ProductChoices& choices) noexcept {
    const std::lock_guard guard(mutex_);
    choices_ = choices;
    tell();
  }
  void open(const CudaLibrary& library) noexcept {
    const std::lock_guard guard(mutex_);
    library_ = &library;
    tell();
  }

 private:
  void tell() const noexcept {
    if (library_ && library_->choose) library_->choose(choices_);
  }

  std::mutex mutex_;
  ProductChoices choices_;
  const CudaLibrary* library_ = nullptr;
};
constinit Chosen chosen;

OpenedCudaLibrary open_and_introduce() {
  OpenedCudaLibrary opened = open_cuda_library(folder_of_binaries(), kernels::roll_call_hash());
  if (!opened.library) return opened;
  const CudaLibrary& library = *opened.library;
  try {
    library.set_scratch_source({take_scratch, give_scratch});
    for (int n = 0; n < library.device_count; ++n) {
      auto* const source = new CudaSource(library, n);
      register_source(Device::of(cuda_kind, n), source);
      sources[static_cast<std::size_t>(n)] = source;
      if (library.streams && source->timeline())
        register_streams(Device::of(cuda_kind, n), *library.streams, *source->timeline());
    }
  } catch (const Error& error) {
    return {nullptr, text("no device: ", error.what())};
  }
  if (library.chains) set_chain_compiler(cuda_kind, *library.chains);
  chosen.open(library);
  is_open.store(true, std::memory_order_release);
  return opened;
}

// Never destroyed: finalizers may still ask when the process is leaving.
const OpenedCudaLibrary& opened() noexcept {
  static const OpenedCudaLibrary& once = *new OpenedCudaLibrary(open_and_introduce());
  return once;
}

}  // namespace

int cuda_device_count() noexcept { return opened().library ? opened().library->device_count : 0; }

bool is_cuda_open() noexcept { return is_open.load(std::memory_order_acquire); }

const std::string& why_no_cuda() noexcept { return opened().reason; }

void require_cuda(const char* op, Device device) {
  if (!opened().library)
    throw DeviceError(text(op, ": device ", device, " cannot be used; ", why_no_cuda()));
  if (device.number >= cuda_device_count())
    throw DeviceError(
        text(op, ": device ", device, "; there are ", cuda_device_count(), ", numbered from 0"));
}

namespace {

CachingAllocator* pinned = nullptr;  // never destroyed, as all allocators

void before_fork() { pinned->before_fork(); }
void after_fork_in_parent() { pinned->after_fork_in_parent(); }
void after_fork_in_child() { pinned->after_fork_in_child(); }

CachingAllocator& open_pinned() {
  pinned = new CachingAllocator(*new PinnedSource(*opened().library));
  watch_forks<before_fork, after_fork_in_parent, after_fork_in_child>();
  return *pinned;
}

}  // namespace

CachingAllocator& pinned_allocator(const char* op) {
  require_cuda(op, Device::of(cuda_kind, 0));
  static CachingAllocator& once = open_pinned();
  return once;
}

void release_pinned(Block* block) noexcept {
  if (block) pinned->release(block);
}

template <>
const Backend& backend<cuda_kind>() noexcept {
  static constexpr Backend cuda{
      .require = require_cuda,
      .synchronize =
          [](Device device) {
            require_cuda("synchronize", device);
            refuse_captured("synchronize", device);
            opened().library->synchronize(device.number);
          },
      .table = []() -> const kernels::Table& { return *opened().library->table; },
      // It is waited for before its memory moves, and nobody has measured yet what that costs.
      .moves_memory = false};
  return cuda;
}

const CudaProperties& cuda_properties(const char* op, Device device) {
  require_cuda(op, device);
  return opened().library->properties(device.number);
}

void choose_products(const ProductChoices& choices) noexcept { chosen.set(choices); }

std::string why_not_fused() {
  if (!opened().library) return why_no_cuda();
  const kernels::ChainCompiler* const chains = opened().library->chains;
  if (!chains) return "no compiler: this CUDA library compiles nothing";
  const std::string lack = chains->lack();
  return lack.empty() ? chains->fault() : lack;
}

int cudnn_version() {
  const CudaLibrary* const library = opened().library;
  return library && library->cudnn_version ? library->cudnn_version() : 0;
}

std::size_t cuda_free_bytes(Device device) {
  require_cuda("mem_get_info", device);
  return sources[static_cast<std::size_t>(device.number)]->free_bytes().value_or(0);
}

}  // namespace garboard
