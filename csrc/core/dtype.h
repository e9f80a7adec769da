// The element types a tensor can have, and PyTorch's rules for what two of them make together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "csrc/core/complex.h"
#include "csrc/core/half_types.h"
#include "csrc/core/type_list.h"

namespace garboard {

/// bool, integers, floats, complex numbers; of each kind those that hold others come after them.
enum class DType : std::uint8_t {
  boolean,
  uint8,
  int8,
  int16,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128
};

/// The type of an element, in the order of DType. All that is not said of single dtypes below, or
/// of a type by its numeric_limits, follows from this list.
using ElementTypes =
    TypeList<bool, std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, Float16,
             BFloat16, float, double, Complex<float>, Complex<double>>;

/// Of them, floats of 16 bits: elements are stored so, and computed with as float.
using HalfTypes = TypeList<Float16, BFloat16>;

inline constexpr int dtype_count = ElementTypes::size;

template <class T>
inline constexpr DType dtype_of = static_cast<DType>(index_in<T, ElementTypes>);

/// A Python scalar takes part in promotion by its category alone.
enum class Category : std::uint8_t { boolean, integer, floating, complex };

/// Carries a type into a generic lambda: `[]<class T>(Type<T>) { ... }`.
template <class T>
struct Type {
  using type = T;
};

/// Calls `visit(Type<T>{})` with the element type of `dtype`.
template <class Visit>
constexpr decltype(auto) visit_dtype(DType dtype, Visit&& visit) {
  switch (dtype) {  // without a default: a dtype that has no arm does not compile
    case DType::boolean:
      return visit(Type<bool>{});
    case DType::uint8:
      return visit(Type<std::uint8_t>{});
    case DType::int8:
      return visit(Type<std::int8_t>{});
    case DType::int16:
      return visit(Type<std::int16_t>{});
    case DType::int32:
      return visit(Type<std::int32_t>{});
    case DType::int64:
      return visit(Type<std::int64_t>{});
    case DType::float16:
      return visit(Type<Float16>{});
    case DType::bfloat16:
      return visit(Type<BFloat16>{});
    case DType::float32:
      return visit(Type<float>{});
    case DType::float64:
      return visit(Type<double>{});
    case DType::complex64:
      return visit(Type<Complex<float>>{});
    case DType::complex128:
      return visit(Type<Complex<double>>{});
  }
  __builtin_unreachable();
}

/// Raises DTypeError in the name of `op`, which takes no complex numbers.
[[noreturn]] void refuse_complex(const char* op, DType dtype);

/// Calls `visit(Type<T>{})` for a dtype that is not complex; of another one raises DTypeError in
/// the name of `op`.
template <class Visit>
constexpr decltype(auto) visit_real(const char* op, DType dtype, Visit&& visit) {
  using Result = decltype(visit(Type<float>{}));
  return visit_dtype(dtype, [&]<class T>(Type<T> type) -> Result {
    if constexpr (is_complex_type<T>)
      refuse_complex(op, dtype);
    else
      return visit(type);
  });
}

/// Calls `visit(Type<T>{})` for a floating dtype, half types included; of another one it ends the
/// process, for the op that let it through is wrong.
template <class Visit>
constexpr decltype(auto) visit_floating(DType dtype, Visit&& visit) {
  using Result = decltype(visit(Type<float>{}));
  return visit_dtype(dtype, [&]<class T>(Type<T> type) -> Result {
    if constexpr (std::numeric_limits<T>::is_integer || is_complex_type<T>)
      __builtin_trap();
    else
      return visit(type);
  });
}

namespace detail {

// No tables where kernels look: an array would be a symbol in every instruction set's objects.
template <class... T>
constexpr std::uint64_t packed_sizes(TypeList<T...>) {
  static_assert(sizeof...(T) <= 12);
  std::uint64_t sizes = 0;
  int shift = 0;
  ((sizes |= std::uint64_t{sizeof(T)} << shift, shift += 5), ...);
  return sizes;
}

template <class... T>
constexpr DType first_floating(TypeList<T...>) {
  return static_cast<DType>((0 + ... + int{std::numeric_limits<T>::is_integer}));
}

template <class... T>
constexpr DType first_complex(TypeList<T...>) {
  return static_cast<DType>((0 + ... + int{!is_complex_type<T>}));
}

/// Whether A has a number for each of B's; of any integer a float has one that is near enough.
template <class A, class B>
constexpr bool holds() {
  if constexpr (is_complex_type<A>) {
    return holds<Component<A>, Component<B>>();
  } else if constexpr (is_complex_type<B>) {
    return false;
  } else {
    using OfA = std::numeric_limits<A>;
    using OfB = std::numeric_limits<B>;
    if (OfA::is_integer != OfB::is_integer) return OfB::is_integer;
    return OfA::digits >= OfB::digits && OfA::max_exponent >= OfB::max_exponent &&
           OfA::is_signed >= OfB::is_signed;
  }
}

/// Of each two dtypes the first that holds both.
template <class... T>
constexpr auto joins_of(TypeList<T...>) {
  constexpr int count = sizeof...(T);
  std::array<std::uint32_t, count> holders{};  // of each dtype, a bit for each that holds it
  const auto note = [&]<class Held>(Type<Held>) {
    ((holders[index_in<Held, TypeList<T...>>] |= std::uint32_t{holds<T, Held>()}
                                                 << index_in<T, TypeList<T...>>),
     ...);
  };
  (note(Type<T>{}), ...);
  std::array<std::array<DType, count>, count> joins{};
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b)
      joins[a][b] = static_cast<DType>(__builtin_ctz(holders[a] & holders[b]));
  return joins;
}

inline constexpr auto joins = joins_of(ElementTypes{});

}  // namespace detail

/// In bytes.
constexpr std::size_t item_size(DType dtype) {
  constexpr std::uint64_t sizes = detail::packed_sizes(ElementTypes{});
  return sizes >> (5 * static_cast<int>(dtype)) & 0x1f;
}

/// The bytes of the largest element.
inline constexpr int largest_item = 16;
static_assert([] {
  std::size_t largest = 0;
  for (int i = 0; i < dtype_count; ++i) {
    const std::size_t item = item_size(static_cast<DType>(i));
    largest = item > largest ? item : largest;
  }
  return largest == largest_item;
}());

constexpr std::string_view name_of(DType dtype) {
  constexpr std::string_view names[] = {"bool",    "uint8",   "int8",      "int16",
                                        "int32",   "int64",   "float16",   "bfloat16",
                                        "float32", "float64", "complex64", "complex128"};
  static_assert(std::size(names) == dtype_count);
  return names[static_cast<int>(dtype)];
}

constexpr Category category_of(DType dtype) {
  if (dtype == DType::boolean) return Category::boolean;
  if (dtype < detail::first_floating(ElementTypes{})) return Category::integer;
  return dtype < detail::first_complex(ElementTypes{}) ? Category::floating : Category::complex;
}

constexpr bool is_floating(DType dtype) { return category_of(dtype) == Category::floating; }

constexpr bool is_complex(DType dtype) { return category_of(dtype) == Category::complex; }

/// Whether a gradient can flow through it: numbers between any two of which lies another.
constexpr bool has_gradient(DType dtype) { return category_of(dtype) >= Category::floating; }

constexpr bool is_signed(DType dtype) {
  return visit_dtype(dtype,
                     []<class T>(Type<T>) { return std::numeric_limits<Component<T>>::is_signed; });
}

/// What a complex number of `dtype` has two of; `dtype` itself where it is not complex.
constexpr DType component_of(DType dtype) {
  return visit_dtype(dtype, []<class T>(Type<T>) { return dtype_of<Component<T>>; });
}

/// The complex dtype whose numbers have the digits of `dtype`, at least those of float32.
constexpr DType complex_of(DType dtype) {
  const bool is_double = dtype == DType::float64 || dtype == DType::complex128;
  return is_double ? DType::complex128 : DType::complex64;
}

/// A float of 16 bits, which is computed with as float32.
constexpr bool is_half(DType dtype) { return is_floating(dtype) && item_size(dtype) == 2; }

/// What arithmetic on elements of `dtype` is done in.
constexpr DType widened(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

/// What tensors of two dtypes meet in: the least dtype that holds both.
constexpr DType promote(DType a, DType b) {
  return detail::joins[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

/// A set of dtypes, a bit each.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (const DType dtype : dtypes) add(dtype);
  }

  constexpr void add(DType dtype) { bits_ |= bit_of(dtype); }
  constexpr bool has(DType dtype) const { return (bits_ & bit_of(dtype)) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  /// Whether all of them are floating or complex.
  constexpr bool has_gradients() const {
    return (bits_ & (bit_of(detail::first_floating(ElementTypes{})) - 1)) == 0;
  }

 private:
  using Bits = std::uint16_t;
  static_assert(dtype_count <= 16);
  static constexpr std::uint32_t bit_of(DType dtype) { return 1u << static_cast<int>(dtype); }

  Bits bits_ = 0;
};

}  // namespace garboard
