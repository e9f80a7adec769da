// What can be called on a tensor or in the module: tables of data, made into C functions by their
// place in the table.
#pragma once

#include <Python.h>

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csrc/lifetime/borrowing.h"
#include "csrc/ops/op/op.h"
#include "python/bindings/call/bound.h"
#include "python/bindings/call/doc.h"
#include "python/bindings/call/taking_over.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/fast_function.h"

namespace garboard::python {

/// Of so many rows; leaked.
template <std::size_t count>
const std::array<const Signature*, count>& signatures_of(const Method* rows) {
  auto& all = *new std::array<const Signature*, count>;
  for (std::size_t i = 0; i < count; ++i) all[i] = new Signature(rows[i].signature, rows[i].out);
  return all;
}

/// What the module's tables add up to, with names, signatures and documentation as Python has them.
struct MethodTable {
  std::vector<PyMethodDef> methods;    // ends with an empty one
  std::vector<PyMethodDef> functions;  // likewise
  std::deque<std::string> texts;       // what the definitions point to
  std::deque<Doc> docs;                // of the families

  struct Stub {
    std::string name, signature, returns, summary;
    bool is_method;
  };
  std::vector<Stub> stubs;

  struct SecondName {
    const char *name, *of;
    bool is_method;
  };
  std::vector<SecondName> second_names;
};
MethodTable& method_table();
/// What was put together and is pointed to from the tables, or from there.
const char* keep(std::string text);
const Doc& keep(const Doc& doc);

/// Another name of a function and method, and with `_` of its in-place form.
struct OtherName {
  const char* name;
  const char* of;
};
/// Comes last: raises Error for one of nothing.
void add_names(std::span<const OtherName> names);

/// Adds the ways to call one function, called by `function`, to the tables their place asks for.
void add_method(std::span<const Method> ways, FastFunction method, FastFunction function);

/// The C function of `ways` entries from `first` on, none with more than `parameters`: borrows,
/// matches, stamps, calls, translates errors.
template <const auto& table, std::size_t first, std::size_t ways, bool is_method,
          std::size_t parameters>
PyObject* call_entry(PyObject* self, PyObject* const* given, Py_ssize_t count,
                     PyObject* names) noexcept try {
  if (has_detour()) [[unlikely]] {
    return detour(table[first].name, {is_method ? self : nullptr, given, count, names},
                  [&](PyObject* receiver, PyObject* const* arguments) {
                    return call_entry<table, first, ways, is_method, parameters>(
                        is_method ? receiver : self, arguments, count, names);
                  });
  }
  if constexpr (ways > 1) {
    const Call call{is_method ? self : nullptr, given, count, names};
    PyObject* values[parameters] = {};
    static const auto& signatures = signatures_of<ways>(&table[first]);
    const Borrowing borrowing;
    const std::size_t way = fitting(table[first].name, signatures.data(), ways, call);
    const Arguments arguments(table[first].name, *signatures[way], values, call);
    if (table[first + way].births == Births::none) return table[first + way].call(arguments);
    const BirthStamp stamp;
    return table[first + way].call(arguments);
  } else {
    static const Signature& signature =
        *new Signature(table[first].signature, table[first].out);  // leaked
    const Borrowing borrowing;  // first: what follows may run anything
    if constexpr (is_method && parameters == 1) {
      if (count == 0 && !names && table[first].births == Births::none) [[likely]]
        return table[first].call(Arguments(table[first].name, signature, &self));
    }
    PyObject* values[parameters] = {};
    const Arguments arguments(table[first].name, signature, values,
                              {is_method ? self : nullptr, given, count, names});
    const BirthStamp stamp;
    return table[first].call(arguments);
  }
} catch (...) {
  return raise_or_take_over(table[first].name, {is_method ? self : nullptr, given, count, names});
}

/// Adds the entries from `first` on, of signatures known when this is compiled.
template <const auto& table, std::size_t first, std::size_t ways, std::size_t parameters>
void add_entry() {
  add_method(std::span(&table[first], ways), call_entry<table, first, ways, true, parameters>,
             call_entry<table, first, ways, false, parameters>);
}

namespace detail {

/// How many rows from `first` on have its name; 0 where the row before has it too.
constexpr std::size_t ways_from(const auto& table, std::size_t first) {
  const std::string_view name = table[first].name;
  if (first > 0 && table[first - 1].name == name) return 0;
  std::size_t end = first + 1;
  while (end < table.size() && table[end].name == name) ++end;
  return end - first;
}

constexpr std::size_t most_parameters(const auto& table, std::size_t first, std::size_t ways) {
  std::size_t most = 0;
  for (std::size_t i = first; i < first + ways; ++i)
    most = std::max(most, parameter_count(table[i].signature));
  return most;
}

}  // namespace detail

template <const auto& table>
void add_table() {
  [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    const auto add_from = [&]<std::size_t first>() {
      constexpr std::size_t ways = detail::ways_from(table, first);
      if constexpr (ways > 0)
        add_entry<table, first, ways, detail::most_parameters(table, first, ways)>();
    };
    (add_from.template operator()<indices>(), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(table)>>>());
}

// One a file; each adds its tables.
void add_elementwise_methods();
void add_shape_methods();
void add_convert_methods();
void add_pinned_methods();
void add_reduce_methods();
void add_index_methods();
void add_order_methods();
void add_product_methods();
void add_vector_methods();
void add_linear_algebra_functions();
void add_spectral_functions();
void add_nn_methods();
void add_convolution_methods();
void add_spatial_methods();
void add_sequence_methods();
void add_create_functions();
void add_random_functions();
void add_distributions();
void add_state_methods();
void add_gradient_methods();
void add_statistics_methods();
void add_complex_functions();
void add_composite_methods();
void add_formulas();
void add_activation_methods();
void add_new_functions();
void add_other_names();

/// The type of what `max(dim)` returns. False, with an exception set, on failure.
bool add_values_and_indices_type(PyObject* module);

}  // namespace garboard::python
