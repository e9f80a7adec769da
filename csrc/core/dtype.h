// The element types a tensor can have, and PyTorch's rules for what two of them make together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace garboard {

/// Ordered so that, of two dtypes, promotion gives the later one.
enum class DType : std::uint8_t { boolean, uint8, int32, int64, float32, float64 };

inline constexpr int dtype_count = 6;

/// A Python scalar takes part in promotion by its category alone.
enum class Category : std::uint8_t { boolean, integer, floating };

/// In bytes. No table: an array would be a symbol in every instruction set's objects.
constexpr std::size_t item_size(DType dtype) {
  return 0x848411u >> (4 * static_cast<int>(dtype)) & 0xf;
}

constexpr std::string_view name_of(DType dtype) {
  constexpr std::string_view names[dtype_count] = {"bool",  "uint8",   "int32",
                                                   "int64", "float32", "float64"};
  return names[static_cast<int>(dtype)];
}

constexpr Category category_of(DType dtype) {
  if (dtype == DType::boolean) return Category::boolean;
  return dtype < DType::float32 ? Category::integer : Category::floating;
}

constexpr bool is_floating(DType dtype) { return category_of(dtype) == Category::floating; }

constexpr DType promote(DType a, DType b) { return a < b ? b : a; }

/// The default dtype of a category: what a lone Python scalar becomes.
constexpr DType default_dtype(Category category) {
  constexpr DType defaults[3] = {DType::boolean, DType::int64, DType::float32};
  return defaults[static_cast<int>(category)];
}

/// A tensor's dtype beside a Python scalar: the scalar widens across categories, never within one.
constexpr DType promote(DType tensor, Category scalar) {
  return scalar > category_of(tensor) ? default_dtype(scalar) : tensor;
}

/// Carries a type into a generic lambda: `[]<class T>(Type<T>) { ... }`.
template <class T>
struct Type {
  using type = T;
};

template <class T>
inline constexpr DType dtype_of = [] {
  static_assert(sizeof(T) == 0, "not the element type of any dtype");
  return DType::boolean;
}();
template <>
inline constexpr DType dtype_of<bool> = DType::boolean;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::uint8;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::int32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::int64;
template <>
inline constexpr DType dtype_of<float> = DType::float32;
template <>
inline constexpr DType dtype_of<double> = DType::float64;

/// Calls `visit(Type<T>{})` with the element type of `dtype`.
template <class Visit>
constexpr decltype(auto) visit_dtype(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::boolean:
      return visit(Type<bool>{});
    case DType::uint8:
      return visit(Type<std::uint8_t>{});
    case DType::int32:
      return visit(Type<std::int32_t>{});
    case DType::int64:
      return visit(Type<std::int64_t>{});
    case DType::float32:
      return visit(Type<float>{});
    case DType::float64:
      break;
  }
  return visit(Type<double>{});
}

}  // namespace garboard
