// Whether all or any elements are not zero: comparisons whose results are as wide as the elements,
// so that vectors of them need no packing, and an end as soon as the answer is known.
#pragma once

#include <cstdint>
#include <type_traits>

#include "csrc/core/complex.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/reduce/dense_reduce.h"
#include "kernels/cpu/reduce/reduce_walk.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class F>
struct TruthSoFar {
  bool value = F::template identity<bool>;
  void add(bool x) { value = F{}(value, x); }
  void add(const TruthSoFar& other) { add(other.value); }
  bool result() const { return value; }
  bool is_known() const { return value != F::template identity<bool>; }
};

/// Of elements of T; F is AllOf or AnyOf or, of bools, an extremum.
template <class F, class T>
struct TruthLoops : Accumulators<TruthSoFar<F>, bool> {
  using Base = Accumulators<TruthSoFar<F>, bool>;
  using typename Base::Kept;
  using Item = functors::InMemory<T>;
  static constexpr int item = sizeof(T), width = sizeof(Component<Item>);
  using Mask = std::conditional_t<
      width == 1, std::uint8_t,
      std::conditional_t<width == 2, std::uint16_t,
                         std::conditional_t<width == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr Mask identity = F::template identity<bool> ? Mask(-1) : Mask(0);

  /// All bits where x is not zero; NaN is not.
  __attribute__((always_inline)) static Mask mask_of(Item x) {
    bool is_true;
    if constexpr (functors::Half<T>)
      is_true = (x.bits & 0x7fff) != 0;
    else if constexpr (is_complex_type<T>)
      is_true = (x.real != 0) | (x.imaginary != 0);
    else
      is_true = x != 0;
    return is_true ? Mask(-1) : Mask(0);
  }

  static void take_row(void* accumulator, const void* x, std::int64_t count) {
    auto& kept = *static_cast<Kept*>(accumulator);
    const auto* const from = static_cast<const Item*>(x);
    constexpr std::int64_t block_of = 16 * block_elements;
    for (std::int64_t done = 0; done < count && !kept.is_known(); done += block_of) {
      const Item* const block = from + done;
      kept.add(reduce_dense<Mask>(
                   smaller(count - done, block_of), identity,
                   F{}, [block](std::int64_t i) __attribute__((always_inline)) {
                     return mask_of(block[i]);
                   }) != 0);
    }
  }

  static void take_columns(void* accumulators, const void* x, std::int64_t rows,
                           std::int64_t row_stride, std::int64_t columns) {
    alignas(64) Mask masks[max_columns];
    for (std::int64_t c = 0; c < columns; ++c) masks[c] = identity;
    const auto* row = static_cast<const Item*>(x);
    for (std::int64_t r = 0; r < rows; ++r, row += row_stride)
      for (std::int64_t c = 0; c < columns; ++c) masks[c] = F{}(masks[c], mask_of(row[c]));
    for (std::int64_t c = 0; c < columns; ++c)
      static_cast<Kept*>(accumulators)[c].add(masks[c] != 0);
  }

  static constexpr ReduceLoops loops{.element_ns = tuning::reduced_ns,
                                     .accumulator_bytes = sizeof(Kept),
                                     .start = Base::start,
                                     .take_rows = take_rows<TruthLoops>,
                                     .take_columns = take_columns,
                                     .merge = Base::merge,
                                     .keep = Base::keep,
                                     .finish = Base::finish};
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
