// libgarboard_cuda.so: what it hands over when it is opened, and why it may not be there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "csrc/device/device.h"

namespace garboard {

inline constexpr DeviceKind cuda_kind = device_kind("cuda");
inline constexpr int max_cuda_devices = most_devices(cuda_kind);

namespace kernels {
struct Table;
struct ChainCompiler;
}  // namespace kernels
struct StreamDriver;

/// What a device is. Bytes, unless a name says otherwise.
struct CudaProperties {
  char name[256] = {};
  char uuid[37] = {};        // as text
  int major = 0, minor = 0;  // its compute capability
  std::size_t total_memory = 0;
  std::size_t shared_memory_per_block = 0;
  std::size_t shared_memory_per_block_optin = 0;
  std::size_t shared_memory_per_multiprocessor = 0;
  int l2_cache_size = 0;
  int multi_processor_count = 0;
  int max_threads_per_block = 0;
  int max_threads_per_multi_processor = 0;
  int regs_per_multiprocessor = 0;
  int warp_size = 0;
  int memory_bus_width = 0;                   // bits
  int clock_rate = 0, memory_clock_rate = 0;  // kHz
  int pci_bus_id = 0, pci_device_id = 0, pci_domain_id = 0;
  bool is_integrated = false;
  bool is_multi_gpu_board = false;
};

/// Memory for the length of a kernel. It comes from the allocator of the device, so that it is
/// booked, and so that every way of getting some is tried before a kernel fails.
struct ScratchSource {
  /// Sets `handle`, which is what goes back. Raises OutOfMemoryError.
  void* (*take)(Stream stream, std::size_t bytes, void*& handle);
  void (*give)(Stream stream, void* handle) noexcept;
};

/// Addresses and the memory behind them, apart from each other, as the driver has them. A driver or
/// a device that cannot do that has the granularity 0. All are thread-safe.
struct CudaVirtualMemory {
  /// What sizes and addresses are multiples of; a power of two.
  std::size_t (*granularity)(int device) noexcept;
  /// Addresses, aligned to `alignment`; null where so many are not to be had.
  void* (*reserve)(int device, std::size_t bytes, std::size_t alignment) noexcept;
  void (*unreserve)(int device, void* range, std::size_t bytes) noexcept;
  /// Memory without an address; 0 where the device has no more.
  std::uint64_t (*create)(int device, std::size_t bytes) noexcept;
  /// The memory goes when it is behind no address any more.
  void (*release)(int device, std::uint64_t memory) noexcept;
  bool (*map)(int device, void* address, std::size_t bytes, std::uint64_t memory) noexcept;
  /// Lets the device read and write it.
  bool (*set_access)(int device, void* address, std::size_t bytes) noexcept;
  /// Of whole mappings that touch. Waits for the device first: queued work may use the memory.
  void (*unmap)(int device, void* address, std::size_t bytes) noexcept;
};

/// Marks in the work of streams. All are thread-safe; false: the driver has refused.
struct CudaEvents {
  void* (*create)(int device) noexcept;  // null: refused
  bool (*record)(void* event, Stream stream) noexcept;
  bool (*is_passed)(void* event) noexcept;  // never waits; a broken device has not passed
  bool (*await)(void* event) noexcept;
  bool (*let_wait)(Stream waiter, void* event) noexcept;
  /// Waits for all work of the stream.
  void (*await_stream)(Stream stream) noexcept;
};

/// What a program may choose of products of matrices and convolutions.
struct ProductChoices {
  bool tf32_products = false, tf32_convolutions = false;  // whether float32 may be computed in TF32
  bool uses_cudnn = true;                                 // where it is installed
  bool is_determined = true;                              // whether its sums must be in one order
};

/// What the library's one C function returns: plain data and functions, filled once.
struct CudaLibrary {
  static constexpr std::uint32_t current_version = 5;
  static constexpr const char* file_name = "libgarboard_cuda.so";
  static constexpr const char* function_name = "garboard_cuda_library";
  using Function = const CudaLibrary* (*)();

  std::uint32_t version = 0;     // of this struct; in every version the first member
  std::uint64_t roll_calls = 0;  // kernels::roll_call_hash() where the library was compiled
  int device_count = 0;          // at most max_cuda_devices
  const char* reason = "";       // why there are none, as why_unavailable() says it

  /// No entry is null: what has no kernel raises DeviceError.
  const kernels::Table* table = nullptr;

  /// Null when the device has no memory left.
  void* (*allocate)(int device, std::size_t bytes) noexcept = nullptr;
  /// Waits for the device first: queued work may use the memory.
  void (*release)(int device, void* memory) noexcept = nullptr;
  /// The same for pages of the host that no one may move; aligned to a page.
  void* (*allocate_pinned)(std::size_t bytes) noexcept = nullptr;
  void (*release_pinned)(void* memory) noexcept = nullptr;
  std::size_t (*capacity_bytes)(int device) = nullptr;
  /// What the device could still give, whoever has the rest.
  std::size_t (*free_bytes)(int device) noexcept = nullptr;
  const CudaVirtualMemory* virtual_memory = nullptr;  // null: there is none
  const CudaEvents* events = nullptr;                 // null: work is done when its call returns
  const StreamDriver* streams = nullptr;              // null: there are none but the default ones
  const CudaProperties& (*properties)(int device) = nullptr;  // raises DeviceError
  /// Waits until all queued work is done. Raises DeviceError if some of it failed.
  void (*synchronize)(int device) = nullptr;
  void (*set_scratch_source)(const ScratchSource& source) = nullptr;
  /// Of all devices and threads, from now on. Null: there is no choice.
  void (*choose)(const ProductChoices& choices) noexcept = nullptr;
  /// As 91002 is 9.10.2; 0 where cuDNN is not installed. Null: it is not used.
  int (*cudnn_version)() = nullptr;
  const kernels::ChainCompiler* chains = nullptr;  // null: ops run one after the other
};

/// The library, or in a sentence why it cannot be used. The sentence begins with one of: built
/// without CUDA, library not found, build mismatch, no driver, driver too old, no device.
struct OpenedCudaLibrary {
  const CudaLibrary* library = nullptr;  // null where there is a reason
  std::string reason;
};

/// Opens the library in `folder`, for good. `roll_calls` is what it must have been compiled with.
OpenedCudaLibrary open_cuda_library(const std::string& folder, std::uint64_t roll_calls);

/// Why `library` cannot be used; empty if it can.
std::string reason_against(const CudaLibrary& library, std::uint64_t roll_calls);

/// The folder that holds libgarboard.so, and with it the other binaries.
std::string folder_of_binaries();

/// Whether the CUDA library was built together with libgarboard.so.
bool is_built_with_cuda();

}  // namespace garboard
