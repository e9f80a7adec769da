// An elementwise function's forms in Python: fresh, into `out=`, in place.
#pragma once

#include <array>

#include "csrc/ops/composite/elementwise.h"
#include "python/bindings/call/bound.h"

namespace garboard::python {

/// Where the result goes: `out=`, or nowhere yet.
using Out = std::optional<Handle>;

/// Writes into `out` and returns it, or returns what is made.
template <class Make, class Write>
PyObject* made_or_written(const Out& out, Make make, Write write) {
  if (!out) return wrap(make());
  write(*out->tensor);
  return Py_NewRef(out->object);
}

inline void refuse_two_numbers(const char* op, const Operand& a, const Operand& b) {
  if (!a.tensor && !b.tensor)
    throw_type_error("%s: two numbers; at least one Tensor is needed", op);
}

/// The forms of an op that takes more than its operands: `run(out, arguments...)` writes into
/// `out`, or returns what is made where that is null.
template <auto run>
struct Forms;
template <class First, class... Rest,
          Tensor (*run)(const Tensor* out, const First& first, const Rest&... rest)>
struct Forms<run> {
  static PyObject* made_or_written(const First& first, const Rest&... rest, const Out& out) {
    if (!out) return wrap(run(nullptr, first, rest...));
    run(out->tensor, first, rest...);
    return Py_NewRef(out->object);
  }
  static Itself in_place(const Tensor& input, const Rest&... rest) {
    run(&input, input, rest...);
    return {};
  }
};

/// All that Python calls of one op: function and method, with `out=`, and the method in place.
struct FormsOf {
  const char* name;
  const char* signature;  // ends with `out`
  const Doc& doc;
  const char* in_place_name;
  const char* in_place_signature;
  const Doc& in_place_doc;

  template <auto run>
  consteval std::array<Method, 2> rows() const {
    return {
        bind(name, signature, doc, fn<&Forms<run>::made_or_written>, Place::everywhere, "Tensor"),
        bind(in_place_name, in_place_signature, in_place_doc, fn<&Forms<run>::in_place>,
             Place::method)};
  }
};

/// The forms of an op that is made of others: `make(arguments...)` returns what it makes.
template <auto make>
struct MadeForms;
template <class First, class... Rest, Tensor (*make)(First first, Rest... rest)>
struct MadeForms<make> {
  static PyObject* made_or_written(OpName op, const std::remove_cvref_t<First>& first,
                                   const std::remove_cvref_t<Rest>&... rest, const Out& out) {
    if constexpr (std::is_same_v<std::remove_cvref_t<First>, Operand> && sizeof...(Rest) > 0)
      refuse_numbers_alone(op.text, first, rest...);
    const Tensor made = make(first, rest...);
    if (!out) return wrap(made);
    composite::write_made(op.text, *out->tensor, made, false);
    return Py_NewRef(out->object);
  }
  static Itself in_place(OpName op, const Tensor& input, const std::remove_cvref_t<Rest>&... rest) {
    check_writable(op.text, input);
    // Backward may need what is overwritten.
    const Tensor before = is_grad_enabled() ? clone(input) : input;
    composite::write_made(op.text, input, make(before, rest...), true);
    return {};
  }

 private:
  template <class... More>
  static void refuse_numbers_alone(const char* op, const Operand& a, const Operand& b,
                                   const More&...) {
    refuse_two_numbers(op, a, b);
  }
};

}  // namespace garboard::python
