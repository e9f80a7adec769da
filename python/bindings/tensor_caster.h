// Lets ordinary pybind11 functions take and return tensors, by type: `const Tensor&`, vectors of
// them, optionals. (`py::isinstance<Tensor>` is always false: use `is_tensor`.)
#pragma once

#include <pybind11/pybind11.h>

#include "python/bindings/scope_stack.h"
#include "python/bindings/tensor_object.h"

namespace pybind11::detail {

template <>
struct type_caster<garboard::Tensor> {
  PYBIND11_TYPE_CASTER(garboard::Tensor, const_name("Tensor"));

  /// None is an empty tensor. A disposed one raises DisposedError. A function that makes tensors
  /// is bound with `py::call_guard<BirthStamp>()`.
  bool load(handle source, bool) {
    if (source.is_none()) return true;
    if (!garboard::python::is_tensor(source.ptr())) return false;
    value = garboard::python::tensor_of(source.ptr(), "call", "an argument");
    return true;
  }
  static handle cast(const garboard::Tensor& tensor, return_value_policy, handle) {
    if (!tensor) return none().release();
    const garboard::python::BirthStamp stamp;
    return garboard::python::wrap(tensor);
  }
};

}  // namespace pybind11::detail
