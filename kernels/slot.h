// A functor's place in a kernel table: how the declaration of an elementwise op or a reduction
// names its kernel.
#pragma once

#include <cstdint>
#include <type_traits>

#include "csrc/core/dtype.h"
#include "csrc/core/type_list.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/reduce.h"
#include "kernels/functors/ternary.h"
#include "kernels/functors/unary.h"

namespace garboard::kernels {

/// A set of dtypes, a bit each.
using DTypes = std::uint8_t;
constexpr DTypes bit_of(DType dtype) { return DTypes(1u << static_cast<int>(dtype)); }

/// The dtypes whose element type F can be called with: its constraints are the
/// list.
template <class F, int inputs>
inline constexpr DTypes accepted = [] {
  DTypes set = 0;
  for_each_type(TypeList<bool, std::uint8_t, std::int32_t, std::int64_t, float, double>{},
                [&]<class T> {
                  constexpr bool takes = inputs == 1   ? std::is_invocable_v<F, T>
                                         : inputs == 2 ? std::is_invocable_v<F, T, T>
                                                       : std::is_invocable_v<F, T, T, T>;
                  if (takes) set |= bit_of(dtype_of<T>);
                });
  return set;
}();

/// A functor's place in the table, and what it accepts: how an op's declaration
/// names its kernel.
struct Slot {
  int index;
  DTypes accepts;
  bool gives_bool;  // a comparison or test

  constexpr bool takes(DType dtype) const { return accepts & bit_of(dtype); }
};

template <class F>
inline constexpr bool is_test = [] {
  if constexpr (std::is_invocable_v<F, float>)
    return std::is_same_v<std::invoke_result_t<F, float>, bool>;
  return false;
}();

template <class F>
inline constexpr Slot unary{index_in<F, functors::UnaryFunctors>, accepted<F, 1>, is_test<F>};
template <class F>
inline constexpr Slot binary{index_in<F, functors::BinaryFunctors>, accepted<F, 2>, F::gives_bool};
template <class F>
inline constexpr Slot ternary{index_in<F, functors::TernaryFunctors>, accepted<F, 3>, false};
template <class F>
inline constexpr Slot reduce{index_in<F, functors::ReduceFunctors>, 0, false};

}  // namespace garboard::kernels
