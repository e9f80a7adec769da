// Arrays for the kernels' tests: they own their elements and show them through views of any
// strides.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/table.h"

namespace garboard::kernels {

inline void PrintTo(const InstructionSet& set, std::ostream* out) { *out << set.name; }

/// A test that runs on every instruction set of the machine.
class EachInstructionSet : public ::testing::TestWithParam<InstructionSet> {
 protected:
  const Table& table = GetParam().table();

  template <class F>
  UnaryKernel unary_of() const {
    return table.unary[index_in<F, functors::UnaryFunctors>];
  }
  template <class F>
  BinaryKernel binary_of() const {
    return table.binary[index_in<F, functors::BinaryFunctors>];
  }
  template <class F>
  TernaryKernel ternary_of() const {
    return table.ternary[index_in<F, functors::TernaryFunctors>];
  }
  template <class F>
  ReduceKernel reduce_of() const {
    return table.reduce[index_in<F, functors::ReduceFunctors>];
  }
};

inline std::string name_of(const ::testing::TestParamInfo<InstructionSet>& info) {
  return info.param.name;
}

/// Elements, and one way to walk them. Copies and what is made from one share the elements.
template <class T>
class Array {
 public:
  explicit Array(const Dims& sizes)
      : elements_(new T[static_cast<std::size_t>(sizes.product())]{}),
        data_(elements_.get()),
        sizes_(sizes),
        strides_(contiguous_strides(sizes)) {}

  /// Element i, in row-major order, is make(i).
  template <class Make>
  static Array made(const Dims& sizes, Make make) {
    Array array(sizes);
    for (std::int64_t i = 0; i < array.count(); ++i) array[i] = static_cast<T>(make(i));
    return array;
  }
  static Array of(std::initializer_list<T> values) {
    return made({static_cast<std::int64_t>(values.size())},
                [&](std::int64_t i) { return values.begin()[i]; });
  }
  /// Whole numbers in [low, high), or for floats any.
  static Array random(const Dims& sizes, double low, double high, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> numbers(low, high);
    return made(sizes, [&](std::int64_t) {
      const double x = numbers(generator);
      return std::is_floating_point_v<T> ? x : std::floor(x);
    });
  }

  Array transposed(int one, int other) const {
    Array array = *this;
    std::swap(array.sizes_[one], array.sizes_[other]);
    std::swap(array.strides_[one], array.strides_[other]);
    return array;
  }
  Array flipped(int dim) const {
    Array array = *this;
    array.data_ += (sizes_[dim] - 1) * strides_[dim];
    array.strides_[dim] = -strides_[dim];
    return array;
  }
  Array stepped(int dim, std::int64_t step) const {
    Array array = *this;
    array.sizes_[dim] = (sizes_[dim] + step - 1) / step;
    array.strides_[dim] *= step;
    return array;
  }
  Array narrowed(int dim, std::int64_t start, std::int64_t size) const {
    Array array = *this;
    array.data_ += start * strides_[dim];
    array.sizes_[dim] = size;
    return array;
  }
  /// Dims of size 1 become as large as `sizes` says.
  Array expanded(const Dims& sizes) const {
    Array array = *this;
    for (int d = 0; d < sizes.size(); ++d)
      if (sizes_[d] != sizes[d]) array.strides_[d] = 0;
    array.sizes_ = sizes;
    return array;
  }
  Array dense() const {
    return made(sizes_, [&](std::int64_t i) { return (*this)[i]; });
  }

  /// The element at a place in row-major order, whatever the strides.
  T& operator[](std::int64_t place) const {
    T* at = data_;
    for (int d = sizes_.size() - 1; d >= 0; --d) {
      at += place % sizes_[d] * strides_[d];
      place /= sizes_[d];
    }
    return *at;
  }

  std::int64_t count() const { return sizes_.product(); }
  const Dims& sizes() const { return sizes_; }
  T* data() const { return data_; }
  View view() const { return make_view(data_, dtype_of<T>, sizes_, strides_); }

 private:
  std::shared_ptr<T[]> elements_;
  T* data_;
  Dims sizes_, strides_;
};

/// The view of a result: `kept` with stride 0 along the dims that are reduced.
template <class T>
View reduced_view(const Array<T>& result, const Dims& sizes, unsigned reduced) {
  Dims strides = result.view().strides;
  for (int d = 0; d < sizes.size(); ++d)
    if (reduced >> d & 1) strides[d] = 0;
  return make_view(result.data(), dtype_of<T>, sizes, strides);
}

/// How far `got` is from `want`, in units of the last place of `want` rounded to T. Zero for equal
/// infinities and for two NaNs; infinite where only one of the two is such.
template <class T>
double ulps(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) && std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : HUGE_VAL;
  constexpr T largest = std::numeric_limits<T>::max();
  const T size = std::min(std::abs(rounded), std::nextafter(largest, T(0)));
  const auto ulp = static_cast<long double>(std::nextafter(size, largest)) - size;
  return static_cast<double>(std::abs(got - want) / ulp);
}

template <class T>
std::vector<T> values(const Array<T>& array) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < array.count(); ++i) all.push_back(array[i]);
  return all;
}

}  // namespace garboard::kernels
