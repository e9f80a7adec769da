// Memory for the length of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "csrc/core/scratch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

class Scratch {
 public:
  explicit Scratch(std::int64_t bytes)
      : piece_(bytes ? take_scratch(static_cast<std::size_t>(bytes)) : ScratchPiece{}) {}
  /// For `count` items of `each` bytes. Throws std::bad_alloc also where no machine has as many.
  Scratch(std::int64_t count, std::size_t each) : Scratch(product_of(count, each)) {}
  ~Scratch() { give_back(piece_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  char* data() const { return static_cast<char*>(piece_.address); }
  template <class T>
  T* as() const {
    return static_cast<T*>(piece_.address);
  }

 private:
  static std::int64_t product_of(std::int64_t count, std::size_t each) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes)) throw std::bad_array_new_length();
    return bytes;
  }

  ScratchPiece piece_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
