// What functions and methods tell of a tensor; its life and its data.
#include "csrc/core/error.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/layout_hints.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/exchange/dlpack.h"
#include "python/bindings/exchange/exchange.h"
#include "python/bindings/exchange/numbers.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/anchors.h"
#include "python/bindings/tensor/deferred.h"
#include "python/bindings/types/tensor_type.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/values/size_object.h"

namespace garboard::python {
namespace {

namespace docs {

constexpr Arg dim_to_ask{"dim", "Which, in [-ndim, ndim); all of them where it is left out."};

constexpr Doc size{
    .summary = "Tell the sizes, or one of them.",
    .args = {dim_to_ask},
    .returns = "A tuple of integers, or one of them, in elements.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> x = gb.zeros(2, 3)\n"
        ">>> gb.size(x), gb.size(x, -1)\n"
        "((2, 3), 3)",
};
constexpr Doc stride{
    .summary = "Tell how far apart neighbours along each dim stand, or along one.",
    .args = {dim_to_ask},
    .returns = "A tuple of integers, or one of them, in elements.",
    .raises = "IndexOutOfRangeError: `dim` lies outside.",
    .example =
        ">>> x = gb.zeros(2, 3)\n"
        ">>> gb.stride(x), gb.stride(x.T)\n"
        "((3, 1), (1, 3))",
};
constexpr Doc dim{
    .summary = "Count the dims.",
    .returns = "An integer, 0 to 8; `ndim` is the same.",
    .example =
        ">>> gb.dim(gb.zeros(2, 3))\n"
        "2",
};
constexpr Doc is_nonzero{
    .summary = "Tell whether the only element is not zero.",
    .args = {{"input", "Tensor of one element."}},
    .returns = "A bool; NaN is not zero.",
    .raises = "ShapeError: There are more elements, or none.",
    .example =
        ">>> gb.is_nonzero(gb.tensor([0.0]))\n"
        "False",
};
constexpr Doc get_device{
    .summary = "Return the number of the device on which the storage lies.",
    .args = {{"input", "Tensor of any shape and dtype."}},
    .returns = "An int; -1 for the CPU.",
    .example =
        ">>> gb.get_device(gb.ones(2))\n"
        "-1",
};
constexpr Doc numel{
    .summary = "Count the elements.",
    .args = {{"input", "Tensor of any shape and dtype."}},
    .returns = "An integer, the product of the sizes.",
    .example =
        ">>> gb.numel(gb.zeros(2, 3))\n"
        "6",
};
constexpr Doc element_size{
    .summary = "Tell how many bytes an element takes.",
    .returns = "An integer; `itemsize` is the same.",
    .example =
        ">>> gb.element_size(gb.zeros(2))\n"
        "4",
};
constexpr Doc storage_offset{
    .summary = "Tell where the first element stands in the storage.",
    .returns = "An integer, in elements.",
    .example =
        ">>> gb.storage_offset(gb.zeros(2, 3)[1])\n"
        "3",
};
constexpr Doc data_ptr{
    .summary = "Tell the address of the first element.",
    .details = "It is good while the storage lives.",
    .returns = "An integer, in bytes, on the tensor's device.",
    .example =
        ">>> x = gb.zeros(4)\n"
        ">>> gb.data_ptr(x[1]) - gb.data_ptr(x)\n"
        "4",
};
constexpr Doc is_contiguous{
    .summary = "Tell whether the elements lie densely, in row-major order.",
    .args = {{"memory_format",
              "Another order to ask for: channels_last of 4 dims, or channels_last_3d of 5, whose "
              "dim 1 goes fastest. What was made or copied in one of these formats is row-major."}},
    .returns = "A bool.",
    .raises = "TypeError: `memory_format` is none.",
    .example =
        ">>> x = gb.zeros(2, 3)\n"
        ">>> gb.is_contiguous(x), gb.is_contiguous(x.T)\n"
        "(True, False)",
};
constexpr Doc is_floating_point{
    .summary = "Tell whether the dtype is a floating one.",
    .args = {{"input", "Tensor of any shape and dtype."}},
    .returns = "A bool.",
    .example =
        ">>> gb.is_floating_point(gb.zeros(2)), gb.is_floating_point(gb.arange(2))\n"
        "(True, False)",
};
constexpr Doc item{
    .summary = "Return the only element as a Python number.",
    .details = "It waits for the device. The number keeps nothing alive.",
    .returns = "A bool, int or float, by the dtype.",
    .raises = "ShapeError: There is not exactly one element.",
    .example =
        ">>> gb.item(gb.tensor([[2.5]]))\n"
        "2.5",
};
constexpr Doc tolist{
    .summary = "Return the elements as nested lists of Python numbers.",
    .returns = "As many lists deep as there are dims; of a tensor of no dims the number.",
    .raises = "OutOfMemoryError: Python has no memory for as many lists and numbers.",
    .example =
        ">>> gb.tolist(gb.tensor([[1, 2], [3, 4]]))\n"
        "[[1, 2], [3, 4]]",
};
constexpr Doc numpy{
    .summary = "Return a NumPy array over the same memory.",
    .details =
        "Writes are seen by both. The memory stays valid while the array lives, also where the "
        "tensor is disposed.",
    .args = {{"force", "Take `detach().cpu()` first: never raise for a graph or a device."}},
    .returns = "An array of the tensor's shape, strides and dtype.",
    .raises =
        "GradientError: The tensor requires grad; take `detach()` first.\n"
        "DeviceError: The tensor is not on the CPU.",
    .example =
        ">>> x = gb.zeros(2)\n"
        ">>> array = gb.numpy(x)\n"
        ">>> x.fill_(1) is x, array\n"
        "(True, array([1., 1.], dtype=float32))",
};
constexpr Doc dlpack{
    .summary = "Make a capsule of DLPack over the elements.",
};
constexpr Doc mark_optimizer_owned{
    .summary = "Book this alias as an optimizer's, outside every scope.",
};
constexpr Doc become{
    .summary = "Let this alias hold the tensor of another one.",
};

}  // namespace docs

/// `x.size(dim)`, likewise for strides.
template <Dims (Tensor::*of)() const noexcept>
constexpr auto at_dim = [](OpName op, const Tensor& input, std::int64_t dim) {
  const Dims dims = (input.*of)();
  return dims[checked_dim(op.text, dim, dims.size())];
};
template <Dims (Tensor::*of)() const noexcept>
constexpr auto at_all_dims = [](const Tensor& input, PyObject*) { return (input.*of)(); };

// A disposed tensor can still be asked whether it is, and ended again.
PyObject* dispose(PyObject* self, PyObject*) noexcept {
  alias_of(self).dispose();
  Py_RETURN_NONE;
}
PyObject* enter(PyObject* self, PyObject*) noexcept {
  try {
    tensor_of(self, "with");
    return Py_NewRef(self);
  } catch (...) {
    return raise_current();
  }
}
PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) noexcept {
  return dispose(self, nullptr);
}

constexpr const char* of_all_dims = "input: Tensor, dim: None = None";
constexpr const char* of_one_dim = "input: Tensor, dim: int";

constexpr std::array state_rows{
    bind("size", of_all_dims, docs::size, at_all_dims<&Tensor::sizes>, Place::method),
    bind("size", of_one_dim, docs::size, at_dim<&Tensor::sizes>, Place::method),
    bind("stride", of_all_dims, docs::stride, at_all_dims<&Tensor::strides>, Place::method),
    bind("stride", of_one_dim, docs::stride, at_dim<&Tensor::strides>, Place::method),
    bind(
        "dim", alone, docs::dim, [](const Tensor& input) { return std::int64_t{input.ndim()}; },
        Place::method),
    bind("numel", alone, docs::numel, [](const Tensor& input) { return input.count(); }),
    bind(
        "element_size", alone, docs::element_size,
        [](const Tensor& input) { return static_cast<std::int64_t>(item_size(input.dtype())); },
        Place::method),
    bind(
        "storage_offset", alone, docs::storage_offset,
        [](const Tensor& input) { return input.offset(); }, Place::method),
    bind(
        "data_ptr", alone, docs::data_ptr,
        [](const Tensor& input) {
          return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(input.data()));
        },
        Place::method),
    bind("is_contiguous", "input: Tensor, *, memory_format: _MemoryFormat | None = None",
         docs::is_contiguous, fn<is_dense_in>, Place::method),
    bind("is_nonzero", alone, docs::is_nonzero,
         [](const Tensor& input) { return !item_of(input, "is_nonzero").is(0); }),
    bind("get_device", alone, docs::get_device,
         [](const Tensor& input) {
           const Device device = input.device();
           return std::int64_t{device.is_cpu() ? -1 : device.number};
         }),
    bind("is_floating_point", alone, docs::is_floating_point,
         [](const Tensor& input) { return is_floating(input.dtype()); }),
    bind(
        "item", alone, docs::item, [](const Tensor& input) { return item_of(input, "item"); },
        Place::method),
    bind("tolist", alone, docs::tolist, fn<list_of>, Place::method, "Any"),
    bind(
        "numpy", "input: Tensor, *, force: bool = False", docs::numpy,
        [](Handle input, bool force) { return numpy_of(input.object, force); }, Place::method,
        "NDArray[Any]"),
    bind(
        "_dlpack", "input: Tensor, is_versioned: bool, is_copy: bool", docs::dlpack,
        [](Handle input, bool is_versioned, bool is_copy) {
          return dlpack_capsule(input.object, is_versioned, is_copy);
        },
        Place::method, "object"),
    bind(
        "_mark_optimizer_owned", alone, docs::mark_optimizer_owned,
        [](Handle input) {
          Alias& alias = alias_of(input.object);
          if (DisposeScope* const scope = alias.scope()) scope->detach(alias);
          alias.owner = OwnerKind::optimizer;
        },
        Place::method),
    bind(
        "_become", "input: Tensor, other: Tensor", docs::become,
        [](Handle input, const Tensor& other) {
          TensorObject& object = *reinterpret_cast<TensorObject*>(input.object);
          if (object.hooks || object.alias.is_grad_alias)
            throw GradientError(
                "_become: a gradient, or a tensor with hooks; one without is needed");
          Tensor before = object.alias.tensor();
          object.alias.settle(Tensor(other));
          hold_anchor(object);
          // What runs without the lock meanwhile may read what it was.
          Borrowing::drop_after_all(
              {before.release(), [](void* old) noexcept {
                 Counted<TensorBody>::adopt(static_cast<TensorBody*>(old)).reset();
               }});
        },
        Place::method),
};

}  // namespace

void add_state_methods() {
  add_table<state_rows>();
  auto& methods = method_table().methods;
  methods.push_back({"dispose", dispose, METH_NOARGS,
                     R"(dispose($self)
--

End this handle now. Idempotent.

The storage goes with its last share: views, graphs and exports keep it. Afterwards every use raises
DisposedError, which names where the tensor was born.

>>> x = gb.zeros(2)
>>> x.dispose()
>>> x.is_disposed
True)"});
  methods.push_back({"__enter__", enter, METH_NOARGS, nullptr});
  methods.push_back({"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(leave)),
                     METH_FASTCALL, nullptr});
}

}  // namespace garboard::python
