#include "csrc/ops/sampling/grid_sample.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/sampling/grid_sample_formula.h"
#include "csrc/ops/windows/space.h"
#include "kernels/run.h"

namespace garboard {
namespace {

constexpr const char* grid_op = "grid_sample";
constexpr std::int64_t most_elements = (std::int64_t{1} << 31) - 1;

struct GridForm {
  int dims;
  std::int64_t samples, channels, places;
  Space sizes;
  GridOptions options;

  kernels::GridSample of(const Tensor& out, const Tensor& x, const Tensor& grid) const {
    const auto flat = [](const Tensor& tensor, std::int64_t a, std::int64_t b, std::int64_t c) {
      const Dims shape{a, b, c};
      return make_view(tensor.data(), tensor.dtype(), shape, contiguous_strides(shape));
    };
    return {flat(out, samples, channels, places),
            plane_view(x, grid),
            flat(grid, samples, places, dims),
            dims,
            options.sampling,
            options.beyond,
            options.aligns_corners};
  }
  /// Without data where there is no tensor; of the dtype of `like`.
  View plane_view(const Tensor& x, const Tensor& like) const {
    const Dims shape{samples, channels, sizes[0], sizes[1], sizes[2]};
    return make_view(x ? x.data() : nullptr, like.dtype(), shape, contiguous_strides(shape));
  }
};

GridForm form_of(const Tensor& input, const Tensor& grid, const GridOptions& options) {
  check_floating(grid_op, input);
  if (grid.dtype() != input.dtype())
    throw DTypeError(text(grid_op, ": input of dtype ", name_of(input.dtype()), ", grid of ",
                          name_of(grid.dtype()), "; they must be equal, convert with to()"));
  if (grid.device() != input.device())
    throw DeviceError(text(grid_op, ": input on ", input.device(), ", grid on ", grid.device(),
                           "; they must be on one device, use to()"));
  const int dims = input.ndim() - 2;
  if ((dims != 2 && dims != 3) || grid.ndim() != dims + 2 || grid.size(dims + 1) != dims ||
      grid.size(0) != input.size(0))
    throw ShapeError(text(grid_op, ": input ", input.sizes(), ", grid ", grid.sizes(),
                          "; [n, channels, height, width] and [n, rows, columns, 2], or one dim "
                          "of space more and 3, are needed"));
  const Space sizes = last_sizes(input, dims);
  if (product(sizes) < 1 || product(sizes) > most_elements)
    throw ShapeError(text(grid_op, ": input ", input.sizes(), "; planes of 1 to ", most_elements,
                          " elements are needed"));
  if (dims == 3 && options.sampling == kernels::Sampling::cubic)
    throw ShapeError(text(grid_op, ": input ", input.sizes(),
                          " of three dims of space; the mode 'bicubic' is for two"));
  std::int64_t places = 1;
  for (int d = 0; d < dims; ++d) places *= grid.size(d + 1);
  return {dims, input.size(0), input.size(1), places, sizes, options};
}

Grads gradients(const Backward& at, const GridForm& form, const Dims& sizes) {
  if (is_grad_enabled())
    return GridSampleFormula{sizes, at.needs(1) ? at.input(0) : Tensor{}, at.input(1), at.grad,
                             form.options}
        .run(at.needs(0), at.needs(1));
  const Tensor grid = dense(at.input(1)), given = dense(at.grad);
  Tensor x;
  if (at.needs(1)) x = dense(at.input(0));
  Grads grads;
  if (at.needs(0)) grads[0] = empty_of(grid_op, sizes, given.dtype(), given.device());
  if (at.needs(1)) grads[1] = empty_of(grid_op, grid.sizes(), given.dtype(), given.device());
  kernels::GridSampleGradient call{form.of(given, x, grid), form.plane_view(grads[0], grid), {}};
  if (grads[1]) call.d_grid = grads[1].view();
  kernels::run(call, given.device());
  return grads;
}

}  // namespace

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridOptions& options) {
  const GridForm form = form_of(input, grid, options);
  if (is_half(input.dtype()))
    return to(grid_sample(in_float(input), in_float(grid), options), input.dtype());
  Dims out{form.samples, form.channels};
  for (int d = 0; d < form.dims; ++d) out.push_back(grid.size(d + 1));
  const Tensor result = empty_of(grid_op, out, input.dtype(), input.device());
  if (result.count() > 0) kernels::run(form.of(result, dense(input), dense(grid)), input.device());
  const Keep keep = grid.requires_grad() ? Keep::first | Keep::second : Keep::second;
  record(grid_op, result, {input, grid}, keep,
         [form, sizes = input.sizes()](const Backward& at) -> Grads {
           return gradients(at, form, sizes);
         });
  return result;
}

}  // namespace garboard
