#include "python/bindings/call/older_order.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "csrc/core/text.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

/// What the factors of an op are called now, in the order in which they were given.
struct OlderOrder {
  std::string_view name;  // without the last line of an op in place
  std::array<const char*, 2> factors;
  Py_ssize_t tensors;  // the one that a method is called on among them
};

constexpr std::array orders{OlderOrder{"add", {"alpha"}, 2},
                            OlderOrder{"sub", {"alpha"}, 2},
                            OlderOrder{"addcmul", {"value"}, 3},
                            OlderOrder{"addcdiv", {"value"}, 3},
                            OlderOrder{"addmm", {"beta", "alpha"}, 3},
                            OlderOrder{"addmv", {"beta", "alpha"}, 3},
                            OlderOrder{"addr", {"beta", "alpha"}, 3},
                            OlderOrder{"addbmm", {"beta", "alpha"}, 3},
                            OlderOrder{"baddbmm", {"beta", "alpha"}, 3}};

const OlderOrder* order_of(std::string_view name) noexcept {
  if (name.ends_with('_')) name.remove_suffix(1);
  const auto it = std::ranges::find(orders, name, &OlderOrder::name);
  return it == orders.end() ? nullptr : &*it;
}

bool is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object);
}

}  // namespace

bool has_older_order(const char* name) noexcept { return order_of(name) != nullptr; }

Ref called_in_older_order(const char* name, const Call& call, PyObject* function) {
  const OlderOrder* const order = order_of(name);
  const Py_ssize_t first = call.input ? 1 : 0;
  const Py_ssize_t factors = first + call.count - (order ? order->tensors : 0);
  if (!order || call.name_count() > 0 || factors < 1 || factors > 2) return {};
  const Ref tensors(checked(PyTuple_New(order->tensors)));
  const Ref named(checked(PyDict_New()));
  Py_ssize_t tensor_count = 0, factor_count = 0;
  for (Py_ssize_t i = 0; i < first + call.count; ++i) {
    PyObject* const it = i < first ? call.input : call.given[i - first];
    if (is_tensor(it) && tensor_count < order->tensors) {
      PyTuple_SET_ITEM(tensors.get(), tensor_count++, Py_NewRef(it));
      continue;
    }
    const char* const factor =
        is_number(it) && factor_count < factors ? order->factors[factor_count++] : nullptr;
    if (!factor) return {};
    if (PyDict_SetItemString(named.get(), factor, it) < 0) throw PythonErrorSet();
  }
  const std::string warning =
      text(name, ": ", factors == 1 ? "a factor" : "factors",
           " before a tensor, as PyTorch once took them; give ", order->factors[0], "=",
           factors == 1 ? "" : text(" and ", order->factors[1], "="), " behind the tensors");
  if (PyErr_WarnEx(PyExc_FutureWarning, warning.c_str(), 1) < 0) throw PythonErrorSet();
  return Ref(checked(PyObject_Call(function, tensors.get(), named.get())));
}

}  // namespace garboard::python
