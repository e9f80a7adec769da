// A list of types, whose order is a numbering: how functors find their place in a kernel table.
#pragma once

namespace garboard {

template <class... Types>
struct TypeList {
  static constexpr int size = sizeof...(Types);
};

template <class T, class List>
inline constexpr bool is_in = false;
template <class T, class... Types>
inline constexpr bool is_in<T, TypeList<Types...>> = (__is_same(T, Types) || ...);

/// The place of `T` in `List`. Does not compile when `T` is missing: add it to the roll call.
template <class T, class List>
inline constexpr int index_in = -1;

template <class T, class... Types>
inline constexpr int index_in<T, TypeList<Types...>> = [] {
  static_assert(is_in<T, TypeList<Types...>>, "functor missing from its roll call");
  int index = 0;
  ((__is_same(T, Types) ? true : (++index, false)) || ...);
  return index;
}();

/// Calls `visit(Type)` once a type, in order.
template <class... Types, class Visit>
constexpr void for_each_type(TypeList<Types...>, Visit&& visit) {
  (visit.template operator()<Types>(), ...);
}

}  // namespace garboard
