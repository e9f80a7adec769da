// Memory that counts as a device's: blocks of the heap, so that sanitizers see what goes past them.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <new>

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

}  // namespace garboard::shim
