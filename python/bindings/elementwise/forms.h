// An elementwise function's forms in Python: fresh, into `out=`, in place.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "csrc/ops/composite/elementwise.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/promotion.h"
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

/// `run(a)`. Two numbers may be added, multiplied and divided, as PyTorch has it: then the first is
/// a tensor without dims.
template <class Run>
auto with_tensor(const Operand& a, const Operand& b, Run run) {
  if (a.tensor || b.tensor) return run(a);
  return run(Operand(full({}, a.scalar, result_dtype({&a}))));
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

/// Writes what `make(first)` returns into `out`, which may be `first`, or returns it where there is
/// none.
template <class First, class Make>
Tensor made_into(const char* op, const Tensor* out, const First& first, Make make) {
  if (!out) return make(first);
  const bool is_in_place = Operand(first).tensor == out;
  // Backward may need what is overwritten.
  const Tensor made = is_in_place && is_grad_enabled() ? make(clone(*out)) : make(first);
  composite::write_made(op, *out, made, is_in_place);
  return {};
}

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
    const std::string_view called = op.text;
    const std::string name(called.substr(0, called.size() - 1));  // as its other forms
    check_writable(name.c_str(), input);
    made_into(name.c_str(), &input, input, [&](const Tensor& x) { return make(x, rest...); });
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
