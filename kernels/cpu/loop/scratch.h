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
  /// For `count` items of `each` bytes. Throws std::bad_alloc also where no machine has as many.
  Scratch(std::int64_t count, std::size_t each) : Scratch(product_of(count, each)) {}
  ~Scratch() { ::operator delete(data_, alignment); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  char* data() const { return data_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  static std::int64_t product_of(std::int64_t count, std::size_t each) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes)) throw std::bad_array_new_length();
    return bytes;
  }

  static constexpr std::align_val_t alignment{64};
  char* data_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
