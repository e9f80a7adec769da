// Elements in the shim's device memory, and views over them.
#pragma once

#include <cstring>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/support/device_memory.h"

namespace garboard::shim {

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count) : count_(count), memory_(count * sizeof(T)) {
    std::memset(memory_.data(), 0x5a, count * sizeof(T));
    if (std::is_same_v<T, bool>) std::memset(memory_.data(), 1, count);
  }
  explicit DeviceArray(const std::vector<T>& values)
      : DeviceArray(static_cast<std::int64_t>(values.size())) {
    for (std::int64_t i = 0; i < count_; ++i) set(i, values[i]);
  }

  std::int64_t count() const { return count_; }
  T at(std::int64_t i) const {
    T value;
    std::memcpy(&value, memory_.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  void set(std::int64_t i, T value) {
    std::memcpy(memory_.data() + i * sizeof(T), &value, sizeof(T));
  }
  std::vector<T> values() const {
    std::vector<T> all(count_);
    for (std::int64_t i = 0; i < count_; ++i) all[i] = at(i);
    return all;
  }

  View view(const Dims& sizes) const { return view(sizes, contiguous_strides(sizes), 0); }
  View view(const Dims& sizes, const Dims& strides, std::int64_t offset) const {
    return make_view(memory_.data() + offset * sizeof(T), dtype_of<T>, sizes, strides);
  }

 private:
  std::int64_t count_;
  DeviceMemory memory_;
};

/// Small whole numbers, which every dtype holds and sums exactly.
template <class T>
DeviceArray<T> small_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<T>(random() % 10);
  return DeviceArray<T>(values);
}

/// Calls `visit(index)` with every index into `sizes`, in row-major order.
template <class Visit>
void for_each_index(const Dims& sizes, Visit&& visit) {
  Dims index = Dims::filled(sizes.size(), 0);
  for (std::int64_t left = sizes.product(); left > 0; --left) {
    visit(index);
    for (int d = sizes.size() - 1; d >= 0 && ++index[d] == sizes[d]; --d) index[d] = 0;
  }
}

inline std::int64_t offset_of(const Dims& index, const Dims& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

/// The element of `view` at `index`.
template <class T>
T element(const View& view, const Dims& index) {
  T value;
  const std::int64_t offset = view.count == 1 ? 0 : offset_of(index, view.strides);
  std::memcpy(&value, view.as<char>() + offset * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

/// A view of a number in the host's memory, broadcast, as an op makes it of a Python number.
template <class T>
View host_number(const T& number, const Dims& sizes) {
  View view = make_view(const_cast<T*>(&number), dtype_of<T>, sizes, Dims::filled(sizes.size(), 0));
  view.contiguous = sizes.product() == 1;
  return view;
}

}  // namespace garboard::shim
