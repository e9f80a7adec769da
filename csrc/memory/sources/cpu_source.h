// The CPU's memory: anonymous pages, in huge ones where the system has them.
#pragma once

#include "csrc/core/bytes.h"
#include "csrc/memory/sources/memory_source.h"

namespace garboard {

/// Segments cost physical memory only where they have been touched; fresh bytes are zero.
class CpuSource final : public MemorySource {
 public:
  /// The machine's memory, or what this process's control group leaves of it.
  CpuSource();

  std::string name() const override { return "cpu"; }
  std::size_t capacity_bytes() const noexcept override { return capacity_bytes_; }
  std::size_t granularity_bytes() const noexcept override { return 2_MiB; }
  std::size_t quantum_bytes() const noexcept override { return 64; }
  bool is_on_host() const noexcept override { return true; }
  void* reserve(std::size_t bytes) noexcept override { return map(bytes); }
  void unreserve(void* range, std::size_t bytes) noexcept override { unmap(range, bytes); }
  /// Nothing to do: the system puts memory behind an address when it is touched.
  bool map_at(void*, std::size_t) noexcept override { return true; }
  void unmap_at(void* address, std::size_t bytes) noexcept override;
  void* map(std::size_t bytes) noexcept override;
  void unmap(void* segment, std::size_t bytes) noexcept override;

 private:
  std::size_t capacity_bytes_;
};

}  // namespace garboard
