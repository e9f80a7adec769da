// Memory for the length of a kernel, from the system's heap: a kernel knows no allocator of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

class Scratch {
 public:
  explicit Scratch(std::int64_t bytes)
      : data_(bytes ? static_cast<char*>(::operator new(static_cast<std::size_t>(bytes), alignment))
                    : nullptr) {}
  ~Scratch() { ::operator delete(data_, alignment); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  char* data() const { return data_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  static constexpr std::align_val_t alignment{64};
  char* data_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
