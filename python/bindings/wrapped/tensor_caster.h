// Lets ordinary pybind11 functions take and return tensors, by type: `const Tensor&`, vectors of
// them, `std::optional<Tensor>` where None may be given. (`py::isinstance<Tensor>` is always false:
// use `is_tensor`.)
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <utility>
#include <vector>

#include "python/bindings/context/scope_stack.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/tensor/tensor_object.h"

namespace pybind11::detail {

template <>
struct type_caster<garboard::Tensor> {
  PYBIND11_TYPE_CASTER(garboard::Tensor, const_name("Tensor"));

  /// Never empty: None is no tensor. A disposed one raises DisposedError. A function that makes
  /// tensors is bound with `py::call_guard<BirthStamp>()`.
  bool load(handle source, bool) {
    if (!garboard::python::is_tensor(source.ptr())) return false;
    value = garboard::python::tensor_of(source.ptr(), "call", "an argument");
    return true;
  }
  /// An empty one is None.
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

  bool load(handle source, bool convert) { return load_into(value, source, convert); }
  /// `Item`: Tensor, or an optional one, which None leaves empty.
  template <class Item = garboard::Tensor>
  static bool load_into(std::vector<Item>& to, handle source, bool convert) {
    using garboard::python::Items;
    if (!Items::can_read(source.ptr())) return false;
    const Items items(source.ptr(), "call", "a list of Tensors");
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      make_caster<Item> item;
      if (!item.load(items[i].get(), convert)) return false;
      to.push_back(cast_op<Item&&>(std::move(item)));
    }
    return true;
  }
  /// An empty one is None.
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

/// The same where None may stand among them.
template <>
struct type_caster<std::vector<std::optional<garboard::Tensor>>> {
  PYBIND11_TYPE_CASTER(std::vector<std::optional<garboard::Tensor>>,
                       const_name("list[Tensor | None]"));

  bool load(handle source, bool convert) {
    return type_caster<std::vector<garboard::Tensor>>::load_into(value, source, convert);
  }
};

}  // namespace pybind11::detail
