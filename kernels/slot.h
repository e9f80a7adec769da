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

/// The dtypes F can be called with, its constraints being the list; half types where it takes a
/// float.
template <class F, int inputs>
inline constexpr DTypeSet accepted = [] {
  DTypeSet set;
  for_each_type(ElementTypes{}, [&]<class T> {
    using In = functors::Widened<T>;
    constexpr bool takes = inputs == 1   ? std::is_invocable_v<F, In>
                           : inputs == 2 ? std::is_invocable_v<F, In, In>
                                         : functors::TakesThree<F, In>;
    if (takes) set.add(dtype_of<T>);
  });
  return set;
}();

/// A functor's place in the table, and what it accepts: how an op's declaration
/// names its kernel.
struct Slot {
  int index;
  DTypeSet accepts;
  bool gives_bool;               // a comparison or test
  bool gives_component = false;  // of a complex number a real one

  constexpr DType result_of(DType dtype) const {
    return gives_bool ? DType::boolean : gives_component ? component_of(dtype) : dtype;
  }

  constexpr bool takes(DType dtype) const { return accepts.has(dtype); }
};

template <class F>
inline constexpr bool is_test = [] {
  if constexpr (std::is_invocable_v<F, float>)
    return std::is_same_v<std::invoke_result_t<F, float>, bool>;
  return false;
}();

template <class F>
inline constexpr bool is_size = [] {
  if constexpr (std::is_invocable_v<F, Complex<float>>)
    return std::is_same_v<std::invoke_result_t<F, Complex<float>>, float>;
  return false;
}();

template <class F>
inline constexpr Slot unary{index_in<F, functors::UnaryFunctors>, accepted<F, 1>, is_test<F>,
                            is_size<F>};
template <class F>
inline constexpr Slot binary{index_in<F, functors::BinaryFunctors>, accepted<F, 2>, F::gives_bool};
template <class F>
inline constexpr Slot ternary{index_in<F, functors::TernaryFunctors>, accepted<F, 3>, false};
template <class F>
inline constexpr Slot reduce{index_in<F, functors::ReduceFunctors>, {}, false};

}  // namespace garboard::kernels
