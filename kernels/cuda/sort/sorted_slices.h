// Slices that are to be put in order, and where what is found of them goes.
#pragma once

#include "kernels/cuda/launch/slices.h"
#include "kernels/cuda/sort/keys.h"

namespace garboard::kernels::cuda {

/// What holds a key and a place below 2^32.
template <class Bits>
using EntryOf = std::conditional_t<sizeof(Bits) <= 4, functors::NarrowEntry, functors::WideEntry>;

/// One slice. Its first `wanted` elements in order are written.
template <class Bits>
struct SortedSlice {
  const Bits* x;
  Bits* values;  // either may be null
  std::int64_t* indices;
  std::int64_t x_stride, values_stride, indices_stride;
  KeyRule<Bits> rule;

  GARBOARD_HD Bits key(std::int64_t place) const { return rule.key_of(x[place * x_stride]); }

  /// Element i in order. What a key does not tell is fetched anew by its place.
  GARBOARD_HD void write(std::int64_t i, Bits key, std::int64_t place) const {
    if (values)
      values[i * values_stride] =
          rule.tells_element(key) ? rule.element_of(key) : x[place * x_stride];
    if (indices) indices[i * indices_stride] = place;
  }
};

/// All slices of one launch, as kernels are given them.
template <class Bits>
struct SortedSlices {
  Slices<3> of;  // values, indices, x
  Bits* values;
  std::int64_t* indices;
  const Bits* x;
  KeyRule<Bits> rule;
  std::int64_t wanted;

  GARBOARD_HD std::int64_t size() const { return of.size; }
  GARBOARD_HD std::int64_t count() const { return of.starts.count; }
  GARBOARD_HD SortedSlice<Bits> slice(std::int64_t number) const {
    const auto start = of.starts.at(static_cast<std::uint32_t>(number));
    return {x + start.of[2],
            values ? values + start.of[0] : nullptr,
            indices ? indices + start.of[1] : nullptr,
            of.strides[2],
            of.strides[0],
            of.strides[1],
            rule};
  }
};

namespace {

/// Calls `run(slices)` for each part of the slices. Raises DeviceError where one is too long.
template <class Of, class Run>
void for_each_sorted_part(const Of& of, std::int64_t wanted, bool descending, Run run) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) {
    using Bits = functors::BitsOf<T>;
    const KeyRule<Bits> rule = key_rule<T>(descending);
    for_each_part_of_slices(
        {&of.values, &of.indices, &of.x}, of.dim, [&](const Slices<3>& slices, const auto& at) {
          if (slices.size >= std::int64_t{1} << 32)
            throw DeviceError(text(of.name, ": ", slices.size,
                                   " elements on a CUDA device; below 2^32 are needed"));
          run(SortedSlices<Bits>{
              slices, of.values.data ? of.values.template as<Bits>() + at[0] : nullptr,
              of.indices.data ? of.indices.template as<std::int64_t>() + at[1] : nullptr,
              of.x.template as<Bits>() + at[2], rule, wanted});
        });
  });
}

}  // namespace
}  // namespace garboard::kernels::cuda
