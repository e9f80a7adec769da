// What can be called on a tensor or in the module: tables of data, made into C functions by their
// place in the table.
#pragma once

#include <Python.h>

#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "csrc/lifetime/borrowing.h"
#include "csrc/ops/op.h"
#include "python/bindings/arguments.h"
#include "python/bindings/docs/doc.h"
#include "python/bindings/errors.h"
#include "python/bindings/profiler.h"
#include "python/bindings/scope_stack.h"

namespace garboard::python {

/// Whether anything can be born in a call. `none` is for methods without arguments, which then cost
/// neither matching nor a stamp.
enum class Births : std::uint8_t { some, none };

/// One function or method. A method's receiver is its first parameter.
struct Method {
  const char* name;
  const char* signature;  // typed; see signature.h
  const char* returns;    // for the stub
  const Doc* doc;         // never null
  Place place;
  PyObject* (*call)(const Arguments& arguments);
  Births births = Births::some;
};

/// METH_FASTCALL | METH_KEYWORDS.
using FastFunction = PyObject* (*)(PyObject* self, PyObject* const* given, Py_ssize_t count,
                                   PyObject* names);

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
};
MethodTable& method_table();
/// What was put together and is pointed to from the tables, or from there.
const char* keep(std::string text);
const Doc& keep(const Doc& doc);

/// Adds `entry`, called by `function`, to the tables its place asks for.
void add_method(const Method& entry, FastFunction method, FastFunction function);

/// The C function of one entry, which has so many parameters: borrows, matches, stamps, calls,
/// translates errors.
template <const auto& table, std::size_t index, bool is_method, std::size_t parameters>
PyObject* call_entry(PyObject* self, PyObject* const* given, Py_ssize_t count,
                     PyObject* names) noexcept try {
  if (OpProfile::is_on() && OpProfile::stops()) [[unlikely]] {
    return profiled(table[index].name, {is_method ? self : nullptr, given, count}, [&] {
      return call_entry<table, index, is_method, parameters>(self, given, count, names);
    });
  }
  static const Signature& signature = *new Signature(table[index].signature);  // leaked
  const Borrowing borrowing;  // first: what follows may run anything
  if constexpr (is_method && parameters == 1) {
    if (count == 0 && !names && table[index].births == Births::none) [[likely]]
      return table[index].call(Arguments(table[index].name, signature, &self));
  }
  PyObject* values[parameters] = {};
  const Arguments arguments(table[index].name, signature, values,
                            {is_method ? self : nullptr, given, count, names});
  const BirthStamp stamp;
  return table[index].call(arguments);
} catch (...) {
  return raise_current();
}

/// Adds the entry at `index`, of a signature known when this is compiled.
template <const auto& table, std::size_t index, std::size_t parameters>
void add_entry() {
  add_method(table[index], call_entry<table, index, true, parameters>,
             call_entry<table, index, false, parameters>);
}

template <const auto& table>
void add_table() {
  [&]<std::size_t... indices>(std::index_sequence<indices...>) {
    (add_entry<table, indices, parameter_count(table[indices].signature)>(), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(table)>>>());
}

// One a file; each adds its tables.
void add_elementwise_methods();
void add_shape_methods();
void add_reduce_methods();
void add_product_methods();
void add_create_functions();
void add_state_methods();

/// The type of what `max(dim)` returns. False, with an exception set, on failure.
bool add_values_and_indices_type(PyObject* module);

/// Returns the first argument itself: what an op does that writes in place.
inline PyObject* same(const Arguments& arguments, int i = 0) {
  return Py_NewRef(arguments.object(i));
}

}  // namespace garboard::python
