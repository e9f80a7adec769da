// Sizes, strides and lists of dims: up to eight numbers, held in place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>

#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard {

/// More dims than this are refused; docs/design says why.
inline constexpr int max_dims = 8;

/// A list of at most `max_dims` numbers, trivially copyable, so that a kernel can take it as it is.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values)
      : Dims(std::span(values.begin(), values.size())) {}
  explicit Dims(std::span<const std::int64_t> values) {
    for (const auto value : values) push_back(value);
  }

  /// The `count` numbers at `values`, at most `max_dims`.
  static Dims of(const std::int64_t* values, int count) noexcept {
    Dims dims;
    for (int i = 0; i < count; ++i) dims.values_[i] = values[i];
    dims.count_ = count;
    return dims;
  }
  static Dims filled(int count, std::int64_t value) {
    Dims dims;
    for (int i = 0; i < count; ++i) dims.push_back(value);
    return dims;
  }

  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::int64_t& operator[](int i) { return values_[i]; }
  std::int64_t operator[](int i) const { return values_[i]; }
  std::int64_t& back() { return values_[count_ - 1]; }
  std::int64_t back() const { return values_[count_ - 1]; }
  const std::int64_t* begin() const { return values_; }
  const std::int64_t* end() const { return values_ + count_; }
  std::int64_t* begin() { return values_; }
  std::int64_t* end() { return values_ + count_; }
  const std::int64_t* data() const { return values_; }

  /// Raises ShapeError beyond `max_dims`.
  void push_back(std::int64_t value) {
    if (count_ == max_dims)
      throw ShapeError(text("more than ", max_dims, " dims; at most ", max_dims, " are supported"));
    values_[count_++] = value;
  }
  void insert(int at, std::int64_t value) {
    push_back(value);
    std::rotate(values_ + at, values_ + count_ - 1, values_ + count_);
  }
  void erase(int at) {
    std::copy(values_ + at + 1, values_ + count_, values_ + at);
    --count_;
  }

  /// 1 for no dims. Whoever made the sizes has checked that the product fits.
  std::int64_t product() const {
    std::int64_t result = 1;
    for (const auto value : *this) result *= value;
    return result;
  }

  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.count_ != b.count_) return false;
    for (int i = 0; i < a.count_; ++i) {  // a call of memcmp costs more than the usual two numbers
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }

 private:
  std::int64_t values_[max_dims];  // beyond count_ unset: filling all eight would cost every op
  int count_ = 0;
};

/// Written as PyTorch writes sizes: `[2, 3]`.
inline std::ostream& operator<<(std::ostream& out, const Dims& dims) {
  out << '[';
  for (int i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  return out << ']';
}

/// The strides of a dense tensor in row-major order, in elements.
inline Dims contiguous_strides(const Dims& sizes) {
  Dims strides = sizes;
  std::int64_t stride = 1;
  for (int i = sizes.size() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(sizes[i], 1);
  }
  return strides;
}

}  // namespace garboard
