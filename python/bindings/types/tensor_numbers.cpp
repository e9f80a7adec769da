// Python's operators on tensors. The declaration of each op is a template argument: the slot of
// `a + b` is three steps from the kernel.
#include <initializer_list>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/lifetime/borrowing.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/products/matmul.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/detours/protocol.h"
#include "python/bindings/exchange/numbers.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/types/tensor_type.h"

namespace garboard::python {
namespace {

/// What Python takes for "ask the other operand"; an array would do what is asked, as an array.
PyObject* decline(PyObject* object, const char* op, const char* argument = "other",
                  const char* needed = "a Tensor or a number") {
  refuse_array(object, op, argument, needed);
  Py_RETURN_NOTIMPLEMENTED;
}

/// Whether `2 * x` is recorded as `x * 2`: who walks a graph by its first inputs finds the tensor.
template <const Binary& op>
bool commutes() {  // no constant: under a sanitizer the address of an op is none
  return &op == &garboard::add || &op == &mul;
}

template <const Binary& op>
PyObject* binary(PyObject* a, PyObject* b) noexcept try {
  if (has_detour()) [[unlikely]]
    return detour(op.name, {a, &b, 1, nullptr, false, true},
                  [](auto x, auto y) { return binary<op>(x, *y); });
  const Borrowing borrowing;  // first: a number's `__float__` may dispose the other operand
  if (is_tensor(a) && is_tensor(b)) {
    const Tensor &x = tensor_of(a, op.name), &y = tensor_of(b, op.name, "other");
    const BirthStamp stamp;
    return wrap(op.of_tensors(x, y));
  }
  Operand x{Scalar{}}, y{Scalar{}};
  if (is_tensor(b)) y.tensor = &tensor_of(b, op.name, "other");
  if (!to_operand(a, op.name, "input", x)) return decline(a, op.name, "input");
  if (!y.tensor && !to_number(b, op.name, "other", y)) return decline(b, op.name);
  if (commutes<op>() && !x.tensor) std::swap(x, y);
  const BirthStamp stamp;
  return wrap(op(x, y));
} catch (...) {
  return raise_current();
}

/// `self += other` of what is neither tensor nor number. Python would make a sum and forget the
/// tensor; what has a protocol of its own, as a sparse tensor, is written by the method, or
/// refused.
PyObject* in_place_by_method(const char* op, PyObject* self, PyObject* other) {
  if (!PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(other)), protocol))
    return decline(other, op);
  return checked(PyObject_CallMethod(self, text(op, "_").c_str(), "O", other));
}

template <const Binary& op>
PyObject* in_place(PyObject* self, PyObject* other) noexcept try {
  if (has_detour()) [[unlikely]]
    return detour(op.name, {self, &other, 1, nullptr, true, true},
                  [](auto x, auto y) { return in_place<op>(x, *y); });
  {
    const Borrowing borrowing;
    const Tensor& x = tensor_of(self, op.name);
    Operand y{Scalar{}};
    if (to_operand(other, op.name, "other", y)) {
      const BirthStamp stamp;
      op.apply_in_place(x, y);
      return Py_NewRef(self);
    }
  }
  return in_place_by_method(op.name, self, other);
} catch (...) {
  return raise_current();
}

template <const Unary& op>
PyObject* unary(PyObject* self) noexcept try {
  if (has_detour()) [[unlikely]]
    return detour(op.name, {self, nullptr, 0}, [](auto x, auto) { return unary<op>(x); });
  const Borrowing borrowing;
  const Tensor& x = tensor_of(self, op.name);
  const BirthStamp stamp;
  return wrap(op(x));
} catch (...) {
  return raise_current();
}

PyObject* positive(PyObject* self) noexcept try {
  const BirthStamp stamp;
  return wrap(tensor_of(self, "positive"));
} catch (...) {
  return raise_current();
}

PyObject* power(PyObject* base, PyObject* exponent, PyObject* modulus) noexcept {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<pow>(base, exponent);
}
PyObject* in_place_power(PyObject* self, PyObject* exponent, PyObject* modulus) noexcept {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return in_place<pow>(self, exponent);
}

PyObject* product(PyObject* a, PyObject* b) noexcept try {
  if (has_detour()) [[unlikely]]
    return detour("matmul", {a, &b, 1, nullptr, false, true},
                  [](auto x, auto y) { return product(x, *y); });
  if (!is_tensor(a)) return decline(a, "matmul", "input", "a Tensor");
  if (!is_tensor(b)) return decline(b, "matmul", "other", "a Tensor");
  const Borrowing borrowing;
  const Tensor &x = tensor_of(a, "matmul"), &y = tensor_of(b, "matmul", "other");
  const BirthStamp stamp;
  return wrap(matmul(x, y));
} catch (...) {
  return raise_current();
}

PyObject* tensor_compare(PyObject* a, PyObject* b, int op) noexcept {
  switch (op) {
    case Py_EQ:
      return binary<eq>(a, b);
    case Py_NE:
      return binary<ne>(a, b);
    case Py_LT:
      return binary<lt>(a, b);
    case Py_LE:
      return binary<le>(a, b);
    case Py_GT:
      return binary<gt>(a, b);
    default:
      return binary<ge>(a, b);
  }
}

Scalar only_element(PyObject* self, const char* op) { return item_of(tensor_of(self, op), op); }

Scalar only_real_element(PyObject* self, const char* op) {
  const Scalar element = only_element(self, op);
  if (element.category != Category::complex) return element;
  if (element.imaginary != 0)
    throw_type_error("%s: a complex tensor; a real one is needed, as x.real", op);
  return Scalar::of(element.real);
}

int truth(PyObject* self) noexcept try {
  return !only_element(self, "bool").is(0);  // NaN is true, as in Python
} catch (...) {
  raise_current();
  return -1;
}
PyObject* to_float(PyObject* self) noexcept try {
  return PyFloat_FromDouble(only_real_element(self, "float").real);
} catch (...) {
  return raise_current();
}
PyObject* to_int(PyObject* self) noexcept try {
  const Scalar value = only_real_element(self, "int");
  if (value.category == Category::floating) return PyLong_FromDouble(value.real);
  return PyLong_FromLongLong(value.integer);
} catch (...) {
  return raise_current();
}
PyObject* to_index(PyObject* self) noexcept try {
  // A TypeError sends bytes(x) on to the buffer.
  if (const Tensor& tensor = tensor_of(self, "index"); tensor.count() != 1)
    throw_type_error("index: a tensor of sizes %s; one integer element is needed",
                     text(tensor.sizes()).c_str());
  const Scalar value = only_real_element(self, "index");
  if (value.category == Category::floating)
    throw_type_error("index: a floating tensor; an integer one is needed");
  return PyLong_FromLongLong(value.integer);
} catch (...) {
  return raise_current();
}

}  // namespace

void add_number_slots(std::vector<PyType_Slot>& slots) {
  const auto add = [&](int id, auto* function) {
    slots.push_back({id, reinterpret_cast<void*>(function)});
  };
  add(Py_nb_add, binary<garboard::add>);
  add(Py_nb_subtract, binary<sub>);
  add(Py_nb_multiply, binary<mul>);
  add(Py_nb_true_divide, binary<div>);
  add(Py_nb_floor_divide, binary<floor_divide>);
  add(Py_nb_remainder, binary<remainder>);
  add(Py_nb_and, binary<bitwise_and>);
  add(Py_nb_or, binary<bitwise_or>);
  add(Py_nb_xor, binary<bitwise_xor>);
  add(Py_nb_lshift, binary<bitwise_left_shift>);
  add(Py_nb_rshift, binary<bitwise_right_shift>);
  add(Py_nb_power, power);
  add(Py_nb_matrix_multiply, product);
  add(Py_nb_inplace_add, in_place<garboard::add>);
  add(Py_nb_inplace_subtract, in_place<sub>);
  add(Py_nb_inplace_multiply, in_place<mul>);
  add(Py_nb_inplace_true_divide, in_place<div>);
  add(Py_nb_inplace_floor_divide, in_place<floor_divide>);
  add(Py_nb_inplace_remainder, in_place<remainder>);
  add(Py_nb_inplace_and, in_place<bitwise_and>);
  add(Py_nb_inplace_or, in_place<bitwise_or>);
  add(Py_nb_inplace_xor, in_place<bitwise_xor>);
  add(Py_nb_inplace_lshift, in_place<bitwise_left_shift>);
  add(Py_nb_inplace_rshift, in_place<bitwise_right_shift>);
  add(Py_nb_inplace_power, in_place_power);
  add(Py_nb_negative, unary<neg>);
  add(Py_nb_absolute, unary<garboard::abs>);
  add(Py_nb_invert, unary<bitwise_not>);
  add(Py_nb_positive, positive);
  add(Py_nb_bool, truth);
  add(Py_nb_float, to_float);
  add(Py_nb_int, to_int);
  add(Py_nb_index, to_index);
  add(Py_tp_richcompare, tensor_compare);
}

}  // namespace garboard::python
