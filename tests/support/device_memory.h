// Memory that counts as a device's: blocks of the heap, so that sanitizers see what goes past them.
#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <new>

#include "kernels/cuda/launch/fault_record.h"
#include "tests/support/cuda_shim.h"

namespace garboard::shim {

/// All other memory is the host's.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes) : bytes_(new (alignment) std::byte[bytes + 1]) {
    books()[bytes_] = bytes;
  }
  ~DeviceMemory() {
    books().erase(bytes_);
    ::operator delete[](bytes_, alignment);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  std::byte* data() const { return bytes_; }

  static bool holds(const void* data) {
    const auto* at = static_cast<const std::byte*>(data);
    const auto after = books().upper_bound(at);
    if (after == books().begin()) return false;
    const auto [start, bytes] = *std::prev(after);
    return at <= start + bytes;
  }
  static std::size_t live_count() { return books().size(); }

 private:
  static constexpr std::align_val_t alignment{256};  // as cudaMalloc promises
  static std::map<const std::byte*, std::size_t>& books() {
    static std::map<const std::byte*, std::size_t> live;
    return live;
  }

  std::byte* bytes_;
};

// Tests read results where they lie.
inline DeviceAtWork::DeviceAtWork() {}
inline DeviceAtWork::~DeviceAtWork() {}
inline void queue(Stream, std::function<void()> work) { work(); }

}  // namespace garboard::shim

namespace garboard::kernels::cuda {

inline bool is_on_host(const void* data) { return !shim::DeviceMemory::holds(data); }

inline void copy_bytes(void* to, const void* from, std::size_t bytes, Stream) {
  std::memcpy(to, from, bytes);
}

inline Fault* fault_record(Stream) {
  static Fault record{};
  return &record;
}

inline Scratch::Scratch(std::size_t bytes, Stream stream) : stream_(stream) {
  auto* memory = new shim::DeviceMemory(bytes);
  handle_ = memory;
  data_ = memory->data();
}

inline Scratch::~Scratch() { delete static_cast<shim::DeviceMemory*>(handle_); }

}  // namespace garboard::kernels::cuda
