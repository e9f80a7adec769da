// Binds what dtypes are asked: what they hold, what two of them make, which one is the default.
#include <pybind11/pybind11.h>

#include <limits>

#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/op/promotion.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

py::object as_object(DType dtype) {
  return py::reinterpret_borrow<py::object>(dtype_object(dtype));
}

DType promoted(const py::object& type1, const py::object& type2) {
  return promote(to_dtype(type1.ptr(), "promote_types"), to_dtype(type2.ptr(), "promote_types"));
}

Operand operand_of(const py::object& given, const char* name) {
  constexpr const char* op = "result_type";
  PyObject* const object = given.ptr();
  if (is_tensor(object)) return tensor_of(object, op, name);
  if (PyBool_Check(object)) return Scalar::of(object == Py_True);
  if (PyLong_Check(object)) return Scalar::of(std::int64_t{0});  // its category alone counts
  if (PyFloat_Check(object)) return Scalar::of(0.0);
  if (PyComplex_Check(object)) return Scalar::of(Complex<double>(0.0));
  throw_type_error("%s: %s is of type %s; a Tensor or a number is needed", op, name,
                   Py_TYPE(object)->tp_name);
}

/// The least number, the greatest, and of a float, or of the parts of a complex number: epsilon,
/// the least normal number and the least above 0.
py::tuple limits_of(const py::object& dtype) {
  return visit_dtype(component_of(to_dtype(dtype.ptr(), "limits")),
                     []<class T>(Type<T>) -> py::tuple {
                       using Limits = std::numeric_limits<Component<T>>;
                       if constexpr (Limits::is_integer) {
                         return py::make_tuple(static_cast<std::int64_t>(Limits::min()),
                                               static_cast<std::int64_t>(Limits::max()));
                       } else {
                         const auto number = [](Component<T> x) { return static_cast<double>(x); };
                         return py::make_tuple(number(Limits::lowest()), number(Limits::max()),
                                               number(Limits::epsilon()), number(Limits::min()),
                                               number(Limits::denorm_min()), int{Limits::digits10});
                       }
                     });
}

}  // namespace

void bind_dtypes(py::module_& m) {
  m.def("_limits", &limits_of, "What numbers a dtype has.");
  m.def(
      "promote_types",
      [](const py::object& type1, const py::object& type2) {
        return as_object(promoted(type1, type2));
      },
      py::arg("type1"), py::arg("type2"),
      R"(Return the dtype that tensors of two dtypes meet in: the least one that holds both.

Args:
    type1: A dtype.
    type2: Another, or the same.

Returns:
    A dtype; a floating one has room for every integer, however it rounds.

Raises:
    TypeError: What is given is no dtype.

>>> gb.promote_types(gb.int8, gb.uint8), gb.promote_types(gb.float16, gb.bfloat16)
(garboard.int16, garboard.float32)
)");
  m.def(
      "result_type",
      [](const py::object& tensor1, const py::object& tensor2) {
        const Operand a = operand_of(tensor1, "tensor1"), b = operand_of(tensor2, "tensor2");
        return as_object(result_dtype({&a, &b}));
      },
      py::arg("tensor1"), py::arg("tensor2"),
      R"(Return the dtype that arithmetic on two tensors or numbers gives.

A tensor with dims outranks one without, and that a number: the lower rank counts only where its
category, of bool, integer and float, is higher.

Args:
    tensor1: A Tensor or a number.
    tensor2: Another.

Returns:
    A dtype.

Raises:
    TypeError: What is given is neither a Tensor nor a number.
    DisposedError: A tensor is disposed.

>>> gb.result_type(gb.ones(2, dtype=gb.float16), 1.5), gb.result_type(gb.arange(2), 1.5)
(garboard.float16, garboard.float32)
)");
  m.def(
      "get_default_dtype", [] { return as_object(default_floating()); },
      R"(Return the dtype of floats that are made without one.

>>> gb.get_default_dtype()
garboard.float32
)");
  m.def(
      "set_default_dtype",
      [](const py::object& d) {
        const DType dtype = to_dtype(d.ptr(), "set_default_dtype");
        if (!is_floating(dtype))
          throw DTypeError(
              text("set_default_dtype: dtype ", name_of(dtype), "; a floating one is needed"));
        set_default_floating(dtype);
      },
      py::arg("d"),
      R"(Make floats of a dtype from now on, where none is given, on all threads.

It is what `tensor([1.5])`, `ones` and `rand` are of, and what functions of real numbers make of
integers. What an existing tensor gives does not change.

Args:
    d: A floating dtype.

Raises:
    DTypeError: The dtype is not floating.
    TypeError: What is given is no dtype.

>>> gb.set_default_dtype(gb.float64)
>>> gb.ones(2).dtype
garboard.float64
>>> gb.set_default_dtype(gb.float32)
)");
}

}  // namespace garboard::python
