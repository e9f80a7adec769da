// Slices that are hard to sort, in the shim's device memory, and what the CPU makes of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/order.h"
#include "kernels/order_arguments.h"
#include "tests/support/device_array.h"

namespace garboard::shim {

/// So many slices are in `slices_to_sort`.
inline constexpr std::int64_t hard_slices = 4;

/// Slices of `size`, one behind the other: of any bits, NaN and both zeros among those of floats;
/// in order, and from the middle on the other way round; of two numbers that differ in the last
/// bit; all equal.
template <class T>
DeviceArray<T> slices_to_sort(std::int64_t size) {
  using Bits = functors::BitsOf<T>;
  constexpr int unused = 64 - 8 * static_cast<int>(sizeof(T));
  constexpr std::uint64_t most = ~std::uint64_t{0} >> unused;  // a NaN of floats
  std::mt19937_64 random(static_cast<std::uint64_t>(size));
  std::vector<T> any(size);
  const auto element = [](std::uint64_t bits) {
    return functors::bits_as<T>(static_cast<Bits>(std::is_same_v<T, bool> ? bits % 2 : bits));
  };
  for (std::int64_t i = 0; i < size; ++i)
    any[i] = element(i % 5 == 0          ? most >> i % 3
                     : random() % 8 == 0 ? random() % 2 << (63 - unused)
                                         : random());
  std::vector<std::int64_t> order(size);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::sort(order, {}, [&](std::int64_t i) { return functors::key_of(T(any[i])); });
  std::ranges::reverse(order.begin() + size / 2, order.end());
  std::vector<T> all(any);
  for (const std::int64_t i : order) all.push_back(any[i]);
  for (std::int64_t i = 0; i < size; ++i) all.push_back(element(0x4141414141414140 + random() % 2));
  for (std::int64_t i = 0; i < size; ++i) all.push_back(element(0x3a3a3a3a3a3a3a3a));
  return DeviceArray<T>(all);
}

/// The bits of elements, which are equal where NaN is.
template <class T>
auto bits_of(const DeviceArray<T>& x) {
  std::vector<functors::BitsOf<T>> bits;
  for (std::int64_t i = 0; i < x.count(); ++i)
    bits.push_back(functors::bits_as<functors::BitsOf<T>>(x.at(i)));
  return bits;
}

/// Runs `way`, or the kernel, and the CPU's kernel for the first `wanted` along `dim` of `x`.
template <class T>
void expect_sorted_as_on_cpu(
    const View& x, int dim, std::int64_t wanted, bool descending,
    const std::function<void(const kernels::Sort&)>& way = [](const kernels::Sort& of) {
      kernels::cuda::kernel(of, Stream{});
    }) {
  Dims out = x.sizes;
  out[dim] = wanted;
  // One more of each, which nobody may touch.
  DeviceArray<T> values(out.product() + 1), expected(out.product() + 1);
  DeviceArray<std::int64_t> places(out.product() + 1), expected_places(out.product() + 1);

  way({values.view(out), places.view(out), x, dim, descending});

  kernels::cpu_table().run(
      kernels::Sort{expected.view(out), expected_places.view(out), x, dim, descending}, Stream{});
  EXPECT_EQ(places.values(), expected_places.values())
      << wanted << " of sizes " << x.sizes << (descending ? ", descending" : "");
  EXPECT_EQ(bits_of(values), bits_of(expected));
}

/// Likewise for the element of `rank` in each row of `x`.
template <class T>
void expect_selected_as_on_cpu(
    const View& x, std::int64_t rank, kernels::NaNs nans,
    const std::function<void(const kernels::Select&)>& way = [](const kernels::Select& of) {
      kernels::cuda::kernel(of, Stream{});
    }) {
  const Dims one{x.sizes[0], 1};
  DeviceArray<T> values(one[0]), expected(one[0]);
  DeviceArray<std::int64_t> places(one[0]), expected_places(one[0]);

  way({values.view(one), places.view(one), x, 1, rank, nans});

  kernels::cpu_table().run(
      kernels::Select{expected.view(one), expected_places.view(one), x, 1, rank, nans}, Stream{});
  EXPECT_EQ(places.values(), expected_places.values()) << rank << " of sizes " << x.sizes;
  EXPECT_EQ(bits_of(values), bits_of(expected));
}

}  // namespace garboard::shim
