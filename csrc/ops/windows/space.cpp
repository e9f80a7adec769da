#include "csrc/ops/windows/space.h"

#include <string>

#include "csrc/ops/create/convert.h"
#include "csrc/tensor/grad_node.h"

namespace garboard {

Space space_of(const char* op, const char* name, const Dims& given, int dims, std::int64_t least,
               std::int64_t missing) {
  if (given.size() != 1 && given.size() != dims)
    throw ShapeError(text(
        op, ": ", name, " ", given, "; one number",
        dims == 1 ? text("") : text(", or ", dims, ", one for each dim of space,"), " is needed"));
  Space space;
  space.fill(missing);
  for (int d = 0; d < dims; ++d) {
    const std::int64_t value = given[given.size() == 1 ? 0 : d];
    if (value < least)
      throw ShapeError(text(op, ": ", name, " ", value, "; at least ", least, " is needed"));
    space[static_cast<std::size_t>(kernels::space_dims - dims + d)] = value;
  }
  return space;
}

const char* name_of_dim(int dims, int d) {
  static constexpr const char* names[] = {"depth", "height", "width"};
  return dims == 1 ? "length" : names[d];
}

std::string names_of_dims(const char* before, int dims) {
  std::string names = before;
  for (int d = kernels::space_dims - dims; d < kernels::space_dims; ++d)
    names.append(", ").append(name_of_dim(dims, d));
  return names;
}

Dims with_space(std::int64_t a, std::int64_t b, const Space& space, int dims) {
  Dims sizes{a, b};
  for (int d = kernels::space_dims - dims; d < kernels::space_dims; ++d)
    sizes.push_back(space[static_cast<std::size_t>(d)]);
  return sizes;
}

View space_view(const Tensor& tensor, std::int64_t a, std::int64_t b, const Space& space) {
  const Dims sizes = with_space(a, b, space, kernels::space_dims);
  return make_view(tensor.data(), tensor.dtype(), sizes, contiguous_strides(sizes));
}

Space last_sizes(const Tensor& tensor, int dims) {
  Space space;
  space.fill(1);
  for (int d = 0; d < dims; ++d)
    space[static_cast<std::size_t>(kernels::space_dims - dims + d)] =
        tensor.size(tensor.ndim() - dims + d);
  return space;
}

Tensor dense(const Tensor& tensor) {
  const GradModeGuard no_grad(false);
  return contiguous(tensor);
}

Tensor in_float(const Tensor& tensor) {
  return tensor && is_half(tensor.dtype()) ? to(tensor, DType::float32) : tensor;
}

void check_floating(const char* op, const Tensor& input) {
  if (!is_floating(input.dtype()))
    throw DTypeError(
        text(op, ": input of dtype ", name_of(input.dtype()), "; a floating one is needed"));
}

}  // namespace garboard
