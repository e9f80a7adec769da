// Copies and conversions.
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"

#include "csrc/device/cuda_library.h"
#include "csrc/device/streams.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/layout_hints.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {
namespace {

namespace docs {

constexpr Arg any_shape{"input", "Tensor of any shape and dtype."};
constexpr const char* converted_returns =
    "A copy, or a new handle on the same tensor where nothing changes. The graph keeps no tensor.";
constexpr const char* unusable_device =
    "DeviceError: The device does not exist or cannot be used; `gb.cuda.why_unavailable()` says "
    "why.";

constexpr Arg non_blocking{
    "non_blocking",
    "True: a transfer from or to pinned memory is queued and not waited for; others are."};

constexpr Doc contiguous{
    .summary = "Lay the elements out densely, in row-major order.",
    .returns =
        "A copy, or a new handle on the same tensor where it lies so. The graph keeps no tensor.",
    .example =
        ">>> x = gb.zeros(2, 3).T\n"
        ">>> x.stride(), gb.contiguous(x).stride()\n"
        "((1, 3), (2, 1))",
};
constexpr Doc clone{
    .summary = "Copy the elements into a new tensor.",
    .details = "The gradient passes through; `x.detach().clone()` cuts it off.",
    .args = {any_shape,
             {"memory_format",
              "preserve_format, the default: dims lie in the order of `input`'s. Else row-major."}},
    .returns = "A dense tensor of its own storage. The graph keeps no tensor.",
    .raises = "TypeError: `memory_format` is none.",
    .example =
        ">>> x = gb.zeros(2)\n"
        ">>> y = gb.clone(x)\n"
        ">>> y.fill_(1), x\n"
        "(tensor([1., 1.]), tensor([0., 0.]))",
};
constexpr Doc detach{
    .summary = "Share the storage without the history.",
    .details = "What is written in place into one is seen in the other.",
    .args = {any_shape},
    .returns = "A new tensor over the same storage, which asks for no gradient.",
    .example =
        ">>> x = gb.ones(2, requires_grad=True)\n"
        ">>> gb.detach(x).requires_grad\n"
        "False",
};
constexpr Doc alias{
    .summary = "Make another handle on the same tensor.",
    .details = "Each ends on its own; the tensor goes with the last. Both have one gradient.",
    .returns = "A new handle, born in the open scope.",
    .example =
        ">>> x = gb.ones(2)\n"
        ">>> y = gb.alias(x)\n"
        ">>> x.dispose()\n"
        ">>> y\n"
        "tensor([1., 1.])",
};
constexpr Doc copy_{
    .summary = "Write the elements of `src` into this tensor.",
    .details =
        "They are converted, as C++ converts, brought to its device and broadcast. The gradient "
        "goes to `src`.",
    .args = {{"src", "Tensor that broadcasts to `input`'s shape, or a number."}, non_blocking},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "ShapeError: `src` does not broadcast, or `input` meets an element twice, as what `expand` "
        "returns.\n"
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of "
        "one.",
    .example =
        ">>> gb.copy_(gb.zeros(2, 2), gb.tensor([1, 2]))\n"
        "tensor([[1., 2.],\n"
        "        [1., 2.]])",
};
constexpr Doc to{
    .summary = "Convert to a dtype, a device, or those of another tensor.",
    .details =
        "`x.to(dtype)`, `x.to(device)`, `x.to(device, dtype)` or `x.to(tensor)`. On their way into "
        "an integer dtype floats are cut off towards zero and integers wrap; a float beyond the "
        "dtype gives no number in particular. To bool, what is not zero is true.",
    .args = {{"device", "A device, or its name: \"cuda:0\"."},
             {"dtype", "The dtype."},
             {"other", "Tensor whose device and dtype are taken."},
             non_blocking,
             {"copy", "True copies even where nothing changes."}},
    .returns = converted_returns,
    .raises = unusable_device,
    .example =
        ">>> gb.to(gb.tensor([1.5, -1.5]), gb.int64)\n"
        "tensor([ 1, -1])",
};
constexpr Doc type_as{
    .summary = "Convert to the dtype of `other`.",
    .args = {{"other", "Tensor whose dtype is taken; its device is not."}},
    .returns = converted_returns,
    .example =
        ">>> gb.type_as(gb.tensor([1, 2]), gb.zeros(1))\n"
        "tensor([1., 2.])",
};
constexpr Doc float_type{
    .summary = "Convert to float32.",
    .returns = converted_returns,
    .example =
        ">>> gb.float(gb.tensor([1, 2]))\n"
        "tensor([1., 2.])",
};
constexpr Doc half_type{
    .summary = "Convert to float16, rounding to the nearest, halves to even.",
    .details = "What is beyond 65504 becomes infinite.",
    .returns = converted_returns,
    .example =
        ">>> gb.half(gb.tensor([0.5, 1e6]))\n"
        "tensor([0.5000,    inf], dtype=garboard.float16)",
};
constexpr Doc bfloat16_type{
    .summary = "Convert to bfloat16, rounding to the nearest, halves to even.",
    .returns = converted_returns,
    .example =
        ">>> gb.bfloat16(gb.tensor([1, 257]))\n"
        "tensor([  1., 256.], dtype=garboard.bfloat16)",
};
constexpr Doc double_type{
    .summary = "Convert to float64.",
    .returns = converted_returns,
    .example =
        ">>> gb.double(gb.tensor([1, 2]))\n"
        "tensor([1., 2.], dtype=garboard.float64)",
};
constexpr Doc long_type{
    .summary = "Convert to int64, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.long(gb.tensor([1.5, -1.5]))\n"
        "tensor([ 1, -1])",
};
constexpr Doc int_type{
    .summary = "Convert to int32, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.int(gb.tensor([1.5, -1.5]))\n"
        "tensor([ 1, -1], dtype=garboard.int32)",
};
constexpr Doc short_type{
    .summary = "Convert to int16, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.short(gb.tensor([1.5, -1.5]))\n"
        "tensor([ 1, -1], dtype=garboard.int16)",
};
constexpr Doc char_type{
    .summary = "Convert to int8, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.char(gb.tensor([1.5, -1.5]))\n"
        "tensor([ 1, -1], dtype=garboard.int8)",
};
constexpr Doc byte{
    .summary = "Convert to uint8, cutting off towards zero, as `to` does.",
    .returns = converted_returns,
    .example =
        ">>> gb.byte(gb.tensor([1, 257]))\n"
        "tensor([1, 1], dtype=garboard.uint8)",
};
constexpr Doc bool_type{
    .summary = "Convert to bool: true where not zero.",
    .returns = converted_returns,
    .example =
        ">>> gb.bool(gb.tensor([0.0, 0.5]))\n"
        "tensor([False, True])",
};
constexpr Doc cpu{
    .summary = "Copy to the CPU.",
    .returns = converted_returns,
    .example =
        ">>> gb.cpu(gb.ones(2)).device\n"
        "device(type='cpu')",
};
constexpr Doc cuda{
    .summary = "Copy to a CUDA device.",
    .args = {{"device", "Its number, or the device; the current one where it is left out."},
             non_blocking},
    .returns = converted_returns,
    .raises = unusable_device,
    .example =
        ">>> if gb.cuda.is_available():\n"
        "...     assert gb.ones(2).cuda().is_cuda",
};

}  // namespace docs

Transfer transfer(bool non_blocking) {
  return non_blocking ? Transfer::is_queued_if_pinned : Transfer::waits;
}

Tensor converted(const Tensor& input, Device device, DType dtype, bool non_blocking, bool copy) {
  Tensor result = to(to(input, dtype), device, transfer(non_blocking));
  return copy && result == input ? clone(input) : result;
}

constexpr DeviceKind gpu = cuda_kind;

template <DType dtype>
constexpr auto as = [](const Tensor& input) { return to(input, dtype); };

constexpr const char* on_device =
    "input: Tensor, device: Device | None = None, non_blocking: bool = False";
constexpr const char* on_numbered = "input: Tensor, device: int, non_blocking: bool = False";

constexpr std::array convert_rows{
    bind("contiguous", alone, docs::contiguous, fn<contiguous>, Place::method),
    bind("clone", "input: Tensor, *, memory_format: _MemoryFormat | None = None", docs::clone,
         [](const Tensor& input, PyObject* format) {
           return keeps_order("clone", format) ? clone(input) : row_major_copy(input);
         }),
    bind("detach", alone, docs::detach, fn<detach>),
    bind(
        "alias", alone, docs::alias, [](const Tensor& input) { return input; }, Place::method),
    bind(
        "copy_", "input: Tensor, src: Tensor | Number, non_blocking: bool = False", docs::copy_,
        [](const Tensor& input, const Operand& source, bool non_blocking) {
          source.tensor ? copy_(input, *source.tensor, transfer(non_blocking))
                        : fill_(input, source.scalar);
          return Itself();
        },
        Place::method),
    bind(
        "to",
        "input: Tensor, device: Device | None = None, dtype: DType | None = None, "
        "non_blocking: bool = False, copy: bool = False",
        docs::to,
        [](const Tensor& input, std::optional<Device> device, std::optional<DType> dtype,
           bool non_blocking, bool copy) {
          return converted(input, device.value_or(input.device()), dtype.value_or(input.dtype()),
                           non_blocking, copy);
        },
        Place::method),
    bind(
        "to", "input: Tensor, dtype: DType, non_blocking: bool = False, copy: bool = False",
        docs::to,
        [](const Tensor& input, DType dtype, bool, bool copy) {
          return converted(input, input.device(), dtype, false, copy);
        },
        Place::method),
    bind(
        "to", "input: Tensor, other: Tensor, non_blocking: bool = False, copy: bool = False",
        docs::to,
        [](const Tensor& input, const Tensor& other, bool non_blocking, bool copy) {
          return converted(input, other.device(), other.dtype(), non_blocking, copy);
        },
        Place::method),
    bind(
        "type_as", "input: Tensor, other: Tensor", docs::type_as,
        [](const Tensor& input, const Tensor& other) { return to(input, other.dtype()); },
        Place::method),
    bind("float", alone, docs::float_type, as<DType::float32>, Place::method),
    bind("half", alone, docs::half_type, as<DType::float16>, Place::method),
    bind("bfloat16", alone, docs::bfloat16_type, as<DType::bfloat16>, Place::method),
    bind("double", alone, docs::double_type, as<DType::float64>, Place::method),
    bind("long", alone, docs::long_type, as<DType::int64>, Place::method),
    bind("int", alone, docs::int_type, as<DType::int32>, Place::method),
    bind("short", alone, docs::short_type, as<DType::int16>, Place::method),
    bind("char", alone, docs::char_type, as<DType::int8>, Place::method),
    bind("byte", alone, docs::byte, as<DType::uint8>, Place::method),
    bind("bool", alone, docs::bool_type, as<DType::boolean>, Place::method),
    bind(
        "cpu", alone, docs::cpu, [](const Tensor& input) { return to(input, Device{}); },
        Place::method),
    bind(
        "cuda", on_device, docs::cuda,
        [](const Tensor& input, std::optional<Device> device, bool non_blocking) {
          return to(input, device.value_or(Device::of(gpu, current_device_number(gpu))),
                    transfer(non_blocking));
        },
        Place::method),
    bind(
        "cuda", on_numbered, docs::cuda,
        [](const Tensor& input, std::int64_t number, bool non_blocking) {
          return to(input, Device::of(gpu, static_cast<int>(number)), transfer(non_blocking));
        },
        Place::method),
};

}  // namespace

void add_convert_methods() { add_table<convert_rows>(); }

}  // namespace garboard::python
