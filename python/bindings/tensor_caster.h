// Lets ordinary pybind11 functions take and return tensors, by type: `const Tensor&`, vectors of
// them, optionals. (`py::isinstance<Tensor>` is always false: use `is_tensor`.)
#pragma once

#include <pybind11/pybind11.h>

#include <utility>
#include <vector>

#include "python/bindings/items.h"
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

/// A list or tuple of them, read as what it holds: other sequences may lie about their length.
template <>
struct type_caster<std::vector<garboard::Tensor>> {
  PYBIND11_TYPE_CASTER(std::vector<garboard::Tensor>, const_name("list[Tensor]"));

  bool load(handle source, bool convert) {
    using garboard::python::Items;
    if (!Items::can_read(source.ptr())) return false;
    const Items items(source.ptr(), "call", "a list of Tensors");
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      make_caster<garboard::Tensor> item;
      if (!item.load(items[i].get(), convert)) return false;
      value.push_back(cast_op<garboard::Tensor&&>(std::move(item)));
    }
    return true;
  }
  static handle cast(const std::vector<garboard::Tensor>& tensors, return_value_policy policy,
                     handle parent) {
    list made(tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const handle item = make_caster<garboard::Tensor>::cast(tensors[i], policy, parent);
      if (!item) return {};
      PyList_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(i), item.ptr());
    }
    return made.release();
  }
};

}  // namespace pybind11::detail
