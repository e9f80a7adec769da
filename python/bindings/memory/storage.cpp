// Binds a tensor's storage, as Python looks at it.
#include "csrc/tensor/storage.h"

#include <pybind11/pybind11.h>

#include "python/bindings/types/tensor_type.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/wrapped/bindings.h"
#include "python/bindings/wrapped/tensor_caster.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// Holds a share: the bytes stay while Python looks.
struct StorageView {
  Counted<Storage> storage;
};

constexpr const char* storage_doc = R"(Look at the storage, which all views of it share.

Returns:
    A Storage, which keeps the bytes alive.

Raises:
    DisposedError: The tensor is disposed.

>>> x = gb.zeros(4)
>>> x.untyped_storage() == x[1:].untyped_storage(), x[1:].untyped_storage().nbytes()
(True, 16)
)";

StorageView storage_of(const Tensor& tensor) { return {tensor.storage()}; }

}  // namespace

void bind_storage(py::module_& m) {
  py::class_<StorageView> bound(m, "Storage", R"(One block of bytes on one device; it is kept alive.

Equal where it is the same block. `len()` is its bytes.

Args:
    given: How many bytes a new one has, or a list of them.
    device: Where it lies, the CPU by default.

>>> len(gb.UntypedStorage(4))
4
)");
  storage_type = reinterpret_cast<PyTypeObject*>(bound.ptr());
  bound
      .def(
          "data_ptr",
          [](const StorageView& it) {
            return reinterpret_cast<std::uintptr_t>(it.storage->data());
          },
          R"(Tell the address of the first byte.

Returns:
    An integer, on the storage's device.

>>> x = gb.zeros(4)
>>> x.storage().data_ptr() == x.data_ptr()
True
)")
      .def(
          "nbytes", [](const StorageView& it) { return it.storage->bytes; },
          R"(Tell how many bytes it has.

Returns:
    An integer; what a larger block around it holds besides is not counted.

>>> gb.zeros(4).storage().nbytes()
16
)")
      .def(
          "size", [](const StorageView& it) { return it.storage->bytes; },
          R"(Tell how many bytes it has, as `nbytes`: it knows no dtype.

Returns:
    An integer.

>>> gb.zeros(4).untyped_storage().size()
16
)")
      .def("__len__", [](const StorageView& it) { return it.storage->bytes; })
      .def(
          "_elements",
          [](const StorageView& it, const py::object& dtype) {
            const DType as = to_dtype(dtype.ptr(), "storage");
            const Dims count{it.storage->bytes / static_cast<std::int64_t>(item_size(as))};
            return Tensor::over(it.storage, as, count, Dims{1}, 0);
          },
          py::arg("dtype"), py::call_guard<BirthStamp>())
      .def_property_readonly(
          "device",
          [](const StorageView& it) {
            return py::reinterpret_steal<py::object>(device_object(it.storage->device));
          },
          "The device on which it lies.")
      .def_property_readonly(
          "version", [](const StorageView& it) { return it.storage->writes(); },
          "A number that moves on with every in-place write.")
      .def_property_readonly(
          "serial", [](const StorageView& it) { return it.storage->serial; },
          "Its number in the registry, never reused.")
      .def_property_readonly(
          "is_foreign", [](const StorageView& it) { return it.storage->is_foreign; },
          "True for memory of an array or buffer that somebody else owns.")
      .def(
          "__eq__",
          [](const StorageView& a, const StorageView& b) { return a.storage == b.storage; },
          py::is_operator())
      .def("__hash__", [](const StorageView& it) { return it.storage->serial; });
  const py::object type =
      py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(tensor_type));
  py::setattr(
      type, "untyped_storage",
      py::cpp_function(&storage_of, py::name("untyped_storage"), py::is_method(type), storage_doc));
  py::setattr(
      type, "_version",
      py::module_::import("builtins").attr("property")(py::cpp_function([](const Tensor& it) {
        return version_of(it);
      })));
}

}  // namespace garboard::python
