// Views, copies and conversions.
#include "csrc/core/error.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/join.h"
#include "csrc/ops/views.h"
#include "python/bindings/docs/shape.h"
#include "python/bindings/methods.h"

namespace garboard::python {
namespace {

Tensor converted(const Tensor& input, Device device, DType dtype, bool copy) {
  Tensor result = to(to(input, dtype), device);
  return copy && result == input ? clone(input) : result;
}

template <DType dtype>
constexpr auto as = [](const Tensor& input) { return to(input, dtype); };

template <Tensor (*op)(const Tensor&, const Dims&)>
constexpr auto like =
    [](const Tensor& input, const Tensor& other) { return op(input, other.sizes()); };

constexpr const char* alone = "input: Tensor";
constexpr const char* beside = "input: Tensor, other: Tensor";
constexpr const char* joined = "tensors: list[_T] | tuple[_T, ...], dim: int = 0";

constexpr std::array table{
    bind("view", "input: Tensor, *shape: int", docs::view, fn<view>, Place::method),
    bind("reshape", "input: Tensor, *shape: int", docs::reshape,
         [](const Tensor& input, const Dims& shape) {
           Tensor result = reshape(input, shape);
           return result == input ? alias(input) : result;  // still a view
         }),
    bind("view_as", beside, docs::view_as, like<view>, Place::method),
    bind("reshape_as", beside, docs::reshape_as, like<reshape>, Place::method),
    bind("flatten", "input: Tensor, start_dim: int = 0, end_dim: int = -1", docs::flatten,
         fn<flatten>),
    bind("transpose", "input: Tensor, dim0: int, dim1: int", docs::transpose, fn<transpose>),
    bind("t", alone, docs::t, fn<t>),
    bind("permute", "input: Tensor, *dims: int", docs::permute, fn<permute>),
    bind("expand", "input: Tensor, *sizes: int", docs::expand, fn<expand>, Place::method),
    bind("expand_as", beside, docs::expand_as, like<expand>, Place::method),
    bind("squeeze", "input: Tensor, dim: int | None = None", docs::squeeze, fn<squeeze>),
    bind("unsqueeze", "input: Tensor, dim: int", docs::unsqueeze, fn<unsqueeze>),
    bind("narrow", "input: Tensor, dim: int, start: int, length: int", docs::narrow, fn<narrow>),
    bind("select", "input: Tensor, dim: int, index: int", docs::select, fn<select>),
    bind("contiguous", alone, docs::contiguous, fn<contiguous>, Place::method),
    bind("clone", alone, docs::clone, fn<clone>),
    bind("detach", alone, docs::detach, fn<detach>),
    bind(
        "alias", alone, docs::alias, [](const Tensor& input) { return input; }, Place::method),
    bind(
        "copy_", "input: Tensor, src: Tensor", docs::copy_,
        [](const Tensor& input, const Tensor& source) {
          copy_(input, source);
          return Itself();
        },
        Place::method),
    bind(
        "to",
        "input: Tensor, device: Device | None = None, dtype: DType | None = None, *, "
        "copy: bool = False",
        docs::to,
        [](const Tensor& input, std::optional<Device> device, std::optional<DType> dtype,
           bool copy) {
          return converted(input, device.value_or(input.device()), dtype.value_or(input.dtype()),
                           copy);
        },
        Place::method),
    bind(
        "to", "input: Tensor, dtype: DType, *, copy: bool = False", docs::to,
        [](const Tensor& input, DType dtype, bool copy) {
          return converted(input, input.device(), dtype, copy);
        },
        Place::method),
    bind(
        "to", "input: Tensor, other: Tensor, *, copy: bool = False", docs::to,
        [](const Tensor& input, const Tensor& other, bool copy) {
          return converted(input, other.device(), other.dtype(), copy);
        },
        Place::method),
    bind(
        "type_as", beside, docs::type_as,
        [](const Tensor& input, const Tensor& other) { return to(input, other.dtype()); },
        Place::method),
    bind("float", alone, docs::float_type, as<DType::float32>, Place::method),
    bind("double", alone, docs::double_type, as<DType::float64>, Place::method),
    bind("long", alone, docs::long_type, as<DType::int64>, Place::method),
    bind("int", alone, docs::int_type, as<DType::int32>, Place::method),
    bind("byte", alone, docs::byte, as<DType::uint8>, Place::method),
    bind("bool", alone, docs::bool_type, as<DType::boolean>, Place::method),
    bind(
        "cpu", alone, docs::cpu, [](const Tensor& input) { return to(input, Device{}); },
        Place::method),
    bind(
        "cuda", "input: Tensor, device: Device | None = None", docs::cuda,
        [](const Tensor& input, std::optional<Device> device) {
          return to(input, device.value_or(Device::cuda(0)));
        },
        Place::method),
    bind(
        "cuda", "input: Tensor, device: int", docs::cuda,
        [](const Tensor& input, std::int64_t number) {
          return to(input, Device::cuda(static_cast<int>(number)));
        },
        Place::method),
    bind("cat", joined, docs::cat, fn<cat>, Place::functional),
    bind("stack", joined, docs::stack, fn<stack>, Place::functional),
};

}  // namespace

void add_shape_methods() { add_table<table>(); }

}  // namespace garboard::python
