#include "python/bindings/exchange/numbers.h"

#include <limits>

#include "csrc/core/error.h"
#include "csrc/device/backend.h"
#include "csrc/ops/create/convert.h"
#include "csrc/tensor/grad_node.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/signals.h"

namespace garboard::python {
namespace {

/// A bool is a byte, of which all but 0 is true.
template <class T>
T element_at(const T* data) {
  if constexpr (std::is_same_v<T, bool>)
    return *reinterpret_cast<const unsigned char*>(data) != 0;
  else
    return *data;
}

}  // namespace

Scalar item_of(const Tensor& tensor, const char* op) {
  if (tensor.count() != 1)
    throw ShapeError(text(op, ": a tensor of sizes ", tensor.sizes(),
                          "; exactly one element is needed, use all(), any() or tolist()"));
  if (!tensor.device().is_cpu()) {
    require_values(op, tensor.device());
    const Tensor share = tensor;  // copying may collect garbage, whose code may dispose the handle
    const BirthStamp stamp;
    const GradModeGuard no_grad(false);
    return item_of(to(share, Device{}), op);
  }
  return visit_dtype(tensor.dtype(), [&]<class T>(Type<T>) {
    const T value = element_at(static_cast<const T*>(tensor.data()));
    if constexpr (std::is_same_v<T, bool>)
      return Scalar::of(value);
    else if constexpr (std::numeric_limits<T>::is_integer)
      return Scalar::of(static_cast<std::int64_t>(value));
    else if constexpr (is_complex_type<T>)
      return Scalar::of(Complex<double>(value));
    else
      return Scalar::of(static_cast<double>(value));
  });
}

Complex<double> complex_value(PyObject* object) {
  const Py_complex value = PyComplex_AsCComplex(object);
  if (value.real == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return {value.real, value.imag};
}

PyObject* number_of(Scalar scalar) noexcept {
  switch (scalar.category) {
    case Category::boolean:
      return PyBool_FromLong(scalar.integer);
    case Category::integer:
      return PyLong_FromLongLong(scalar.integer);
    case Category::floating:
      return PyFloat_FromDouble(scalar.real);
    case Category::complex:
      return PyComplex_FromDoubles(scalar.real, scalar.imaginary);
  }
  __builtin_unreachable();
}

namespace {

template <class T>
PyObject* number_at(const T* data) {
  if constexpr (std::is_same_v<T, bool>)
    return checked(PyBool_FromLong(element_at(data)));
  else if constexpr (std::numeric_limits<T>::is_integer)
    return checked(PyLong_FromLongLong(*data));
  else if constexpr (is_complex_type<T>)
    return checked(PyComplex_FromDoubles(data->real, data->imaginary));
  else
    return checked(PyFloat_FromDouble(static_cast<double>(*data)));
}

/// Lists that nobody sees before they are full: a signal handler may look at all there are.
template <class T>
PyObject* list_at(const View& view, const T* data, int dim, Signals& signals) {
  if (dim == view.ndim()) return number_at(data);
  Ref list(checked(PyList_New(view.sizes[dim])));
  PyObject_GC_UnTrack(list.get());
  const std::int64_t stride = view.strides[dim];
  const bool holds_numbers = dim + 1 == view.ndim();
  signals.for_each(view.sizes[dim], [&](std::int64_t i) {
    const T* const at = data + i * stride;
    PyList_SET_ITEM(list.get(), i,
                    holds_numbers ? number_at(at) : list_at(view, at, dim + 1, signals));
  });
  PyObject_GC_Track(list.get());
  return list.release();
}

/// Python's own error says nothing, and is none of ours.
[[noreturn]] void throw_no_room_for_list(const Dims& sizes) {
  PyErr_Clear();
  const std::string message = text("tolist: sizes ", sizes,
                                   " make more lists and numbers than Python has memory for; take "
                                   "slices, or numpy(), which shares the tensor's");
  throw OutOfMemoryError(message, message + "\nnothing was asked of a device");
}

}  // namespace

PyObject* list_of(const Tensor& tensor) {
  const GradModeGuard no_grad(false);
  const Tensor here = to(tensor, Device{});
  try {
    return visit_dtype(here.dtype(), [&]<class T>(Type<T>) {
      Signals signals;
      return list_at(here.view(), static_cast<const T*>(here.data()), 0, signals);
    });
  } catch (const PythonErrorSet&) {
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) throw_no_room_for_list(tensor.sizes());
    throw;
  }
}

}  // namespace garboard::python
