#include "csrc/ops/windows/pool.h"

#include <algorithm>
#include <string>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/windows/space.h"
#include "kernels/run.h"

namespace garboard {
namespace {

/// The numbers of a pool: all that its rules hold.
struct PoolForm {
  const char* op;
  Dims input, out;
  std::int64_t planes;
  Space sizes, places;
  kernels::PoolWindow window;
};

/// Of a plane's dims, as kernels have them: [planes, *space].
View planes_view(const Tensor& tensor, std::int64_t planes, const Space& space) {
  const Dims sizes{planes, space[0], space[1], space[2]};
  return make_view(tensor.data(), tensor.dtype(), sizes, contiguous_strides(sizes));
}

View flat(const Tensor& tensor, std::int64_t planes) {
  const Dims sizes{planes, tensor.count() / planes};
  return make_view(tensor.data(), tensor.dtype(), sizes, contiguous_strides(sizes));
}

PoolForm begun(const char* op, int dims, const Tensor& input) {
  bool is_there = input.ndim() == dims + 1 || input.ndim() == dims + 2;
  for (int d = is_there ? input.ndim() - dims - 1 : 0; d < input.ndim(); ++d)
    is_there &= input.size(d) > 0;
  if (!is_there)
    throw ShapeError(text(op, ": input ", input.sizes(), "; [", names_of_dims("n, channels", dims),
                          "] or [", names_of_dims("channels", dims),
                          "] is needed, of which only n may be 0"));
  PoolForm form{};
  form.op = op;
  form.input = form.out = input.sizes();
  form.sizes = last_sizes(input, dims);
  form.places.fill(1);
  form.planes = 1;
  for (int d = 0; d < input.ndim() - dims; ++d) form.planes *= input.size(d);
  return form;
}

/// Along one dim: the places.
std::int64_t places_of(const PoolForm& form, std::size_t d, int dims, bool rounds_up) {
  const kernels::PoolWindow& window = form.window;
  const std::int64_t taps = window.taps[d], stride = window.stride[d];
  const std::int64_t padding = window.padding[d], size = form.sizes[d];
  std::int64_t steps = 0;
  if (__builtin_mul_overflow(taps - 1, window.dilation[d], &steps) || steps >= most_places)
    throw ShapeError(text(form.op, ": kernel_size ", taps, ", dilation ", window.dilation[d],
                          "; at most 2^60 places can be counted"));
  // As PyTorch has it: dilation counts along a single dim alone.
  if (padding > (dims == 1 ? steps + 1 : taps) / 2)
    throw ShapeError(text(form.op, ": padding ", padding, ", kernel_size ", taps,
                          "; at most half of the kernel is needed"));
  const std::int64_t free = size + 2 * padding - steps - 1;
  if (free < 0 && !(rounds_up && free > -stride))
    throw ShapeError(text(form.op, ": ", name_of_dim(dims, static_cast<int>(d)), " ", size,
                          ", kernel_size ", taps, ", padding ", padding, ", dilation ",
                          window.dilation[d], "; the window must not span more than the size"));
  std::int64_t places = (free < 0 ? 0 : free / stride) + 1;
  // A last place must begin inside, or in the padding before.
  if (rounds_up && free > 0 && free % stride != 0 && places * stride < size + padding) ++places;
  return places;
}

PoolForm form_of(const char* op, int dims, const Tensor& input, const PoolOptions& options) {
  PoolForm form = begun(op, dims, input);
  const Space taps = space_of(op, "kernel_size", options.taps, dims, 1, 1);
  const Space stride =
      options.stride.empty() ? taps : space_of(op, "stride", options.stride, dims, 1, 1);
  const Space padding = space_of(op, "padding", options.padding, dims, 0, 0);
  const Space dilation = space_of(op, "dilation", options.dilation, dims, 1, 1);
  std::ranges::copy(taps, form.window.taps);
  std::ranges::copy(stride, form.window.stride);
  std::ranges::copy(padding, form.window.padding);
  std::ranges::copy(dilation, form.window.dilation);
  for (std::size_t d = 0; d < taps.size(); ++d) {
    const int of_input = input.ndim() - kernels::space_dims + static_cast<int>(d);
    if (static_cast<int>(d) < kernels::space_dims - dims) continue;
    form.places[d] = form.out[of_input] = places_of(form, d, dims, options.rounds_up);
    // Steps that are never taken would overflow.
    if (form.places[d] == 1) form.window.stride[d] = 1;
    if (form.window.taps[d] == 1) form.window.dilation[d] = 1;
  }
  return form;
}

PoolForm adaptive_form(const char* op, int dims, const Tensor& input, const Dims& sizes) {
  PoolForm form = begun(op, dims, input);
  form.places = space_of(op, "output_size", sizes, dims, 0, 1);
  for (int d = 0; d < dims; ++d)
    form.out[input.ndim() - dims + d] =
        form.places[static_cast<std::size_t>(kernels::space_dims - dims + d)];
  for (std::size_t d = 0; d < form.places.size(); ++d) {
    const std::int64_t size = form.sizes[d], places = form.places[d];
    form.window.adapts |= places == 0 || size % places != 0;
    form.window.taps[d] = form.window.stride[d] = size / std::max<std::int64_t>(places, 1);
    form.window.dilation[d] = 1;
  }
  return form;
}

Tensor gather_planes(const char* op, const Tensor& x, const Tensor& indices, std::int64_t planes);

/// `adds`: what meets in one place is summed. `pool`: as kernels have it.
Tensor scatter_planes(const char* op, const Tensor& from, const Tensor& indices, const Dims& sizes,
                      std::int64_t planes, bool adds, const kernels::PooledPlanes* pool = nullptr) {
  const Tensor x = empty_of(op, sizes, from.dtype(), from.device());
  if (x.count() > 0) {
    kernels::run(kernels::PlaneScatter{flat(x, planes), flat(dense(from), planes),
                                       flat(indices, planes), adds, pool},
                 x.device());
  }
  record(op, x, {from}, Keep::nothing,
         [op, planes](const Backward& at) -> Grads {
           return gather_planes(op, at.grad, at.other(0), planes);
         },
         {{"indices", indices}});
  return x;
}

/// In the sizes of `indices`.
Tensor gather_planes(const char* op, const Tensor& x, const Tensor& indices, std::int64_t planes) {
  const Tensor out = empty_of(op, indices.sizes(), x.dtype(), x.device());
  if (out.count() > 0) {
    kernels::run(
        kernels::PlaneGather{flat(out, planes), flat(dense(x), planes), flat(indices, planes)},
        x.device());
  }
  record(op, out, {x}, Keep::nothing,
         [op, planes, sizes = x.sizes()](const Backward& at) -> Grads {
           return scatter_planes(op, at.grad, at.other(0), sizes, planes, true);
         },
         {{"indices", indices}});
  return out;
}

kernels::PooledPlanes pooled(const PoolForm& form) {
  kernels::PooledPlanes planes{.sizes = {}, .places = {}, .window = form.window};
  std::copy(form.sizes.begin(), form.sizes.end(), planes.sizes);
  std::copy(form.places.begin(), form.places.end(), planes.places);
  return planes;
}

void check_number(const char* op, const Tensor& input) {
  if (input.dtype() == DType::boolean)
    throw DTypeError(text(op, ": input of dtype bool; numbers are needed, convert with to()"));
}

ValuesAndIndices max_pool(const PoolForm& form, const Tensor& input, bool wants_indices) {
  if (is_half(input.dtype())) {
    const auto [values, indices] = max_pool(form, in_float(input), wants_indices);
    return {to(values, input.dtype()), indices};
  }
  const bool is_small = product(form.sizes) <= std::int64_t{1} << 31;
  const Tensor out = empty_of(form.op, form.out, input.dtype(), input.device());
  Tensor indices;
  View named;
  if (wants_indices || must_record({input}) || !is_floating(input.dtype())) {
    indices = empty_of(form.op, form.out, is_small ? DType::int32 : DType::int64, input.device());
    named = planes_view(indices, form.planes, form.places);
  }
  if (out.count() > 0)
    kernels::run(kernels::MaxPool{planes_view(out, form.planes, form.places), named,
                                  planes_view(dense(input), form.planes, form.sizes), form.window},
                 input.device());
  record(form.op, out, {input}, Keep::nothing,
         [op = form.op, sizes = form.input, planes = form.planes,
          pool = pooled(form)](const Backward& at) -> Grads {
           return scatter_planes(op, at.grad, at.other(0), sizes, planes, true, &pool);
         },
         {{"indices", indices}});
  if (!wants_indices) return {out, {}};
  // A copy: what users may write into is not what backward reads.
  return {out, is_small ? to(indices, DType::int64) : row_major_copy(indices)};
}

struct Averaging {
  PoolForm form;
  bool counts_padding;
  std::int64_t divisor;

  kernels::AveragePool of(const Tensor& out, const Tensor& x) const {
    return {planes_view(out, form.planes, form.places), planes_view(x, form.planes, form.sizes),
            form.window, counts_padding, divisor};
  }
};

Tensor spread(const Averaging& averaging, const Tensor& grad);

// Each is linear, and the other one's rule.
Tensor average(const Averaging& averaging, const Tensor& input) {
  const PoolForm& form = averaging.form;
  const Tensor out = empty_of(form.op, form.out, input.dtype(), input.device());
  if (out.count() > 0) kernels::run(averaging.of(out, dense(input)), input.device());
  record(form.op, out, {input}, Keep::nothing,
         [averaging](const Backward& at) -> Grads { return spread(averaging, at.grad); });
  return out;
}

Tensor spread(const Averaging& averaging, const Tensor& grad) {
  const PoolForm& form = averaging.form;
  const Tensor x = empty_of(form.op, form.input, grad.dtype(), grad.device());
  if (x.count() > 0)
    kernels::run(kernels::AveragePoolGradient{averaging.of(dense(grad), x)}, grad.device());
  record(form.op, x, {grad}, Keep::nothing,
         [averaging](const Backward& at) -> Grads { return average(averaging, at.grad); });
  return x;
}

const char* named(const char* const (&names)[3], int dims) { return names[dims - 1]; }

constexpr const char* max_names[] = {"max_pool1d", "max_pool2d", "max_pool3d"};
constexpr const char* average_names[] = {"avg_pool1d", "avg_pool2d", "avg_pool3d"};
constexpr const char* adaptive_max_names[] = {"adaptive_max_pool1d", "adaptive_max_pool2d",
                                              "adaptive_max_pool3d"};
constexpr const char* adaptive_average_names[] = {"adaptive_avg_pool1d", "adaptive_avg_pool2d",
                                                  "adaptive_avg_pool3d"};
constexpr const char* unpool_names[] = {"max_unpool1d", "max_unpool2d", "max_unpool3d"};

}  // namespace

ValuesAndIndices max_pool(int dims, const Tensor& input, const PoolOptions& options,
                          bool wants_indices) {
  const char* const op = named(max_names, dims);
  check_number(op, input);
  return max_pool(form_of(op, dims, input, options), input, wants_indices);
}

ValuesAndIndices adaptive_max_pool(int dims, const Tensor& input, const Dims& sizes,
                                   bool wants_indices) {
  const char* const op = named(adaptive_max_names, dims);
  check_floating(op, input);
  return max_pool(adaptive_form(op, dims, input, sizes), input, wants_indices);
}

Tensor max_unpool(int dims, const Tensor& input, const Tensor& indices, const Dims& sizes) {
  if (is_half(input.dtype()))
    return to(max_unpool(dims, in_float(input), indices, sizes), input.dtype());
  const char* const op = named(unpool_names, dims);
  check_floating(op, input);
  const PoolForm form = begun(op, dims, input);
  if (indices.dtype() != DType::int64)
    throw DTypeError(
        text(op, ": indices of dtype ", name_of(indices.dtype()), "; int64 is needed"));
  if (indices.sizes() != input.sizes())
    throw ShapeError(text(op, ": indices ", indices.sizes(), ", input ", input.sizes(),
                          "; the sizes must be equal"));
  if (indices.device() != input.device())
    throw DeviceError(text(op, ": indices on ", indices.device(), ", input on ", input.device(),
                           "; they must be on one device, use to()"));
  Dims out = input.sizes();
  const Space space = space_of(op, "output_size", sizes, dims, 1, 1);
  for (int d = 0; d < dims; ++d)
    out[input.ndim() - dims + d] = space[static_cast<std::size_t>(kernels::space_dims - dims + d)];
  // A copy: it is read again by backward, and what is checked here must not change.
  const Tensor kept = row_major_copy(indices);
  if (kept.count() > 0 && kept.device().is_cpu()) {
    const auto least = *static_cast<const std::int64_t*>(dense(amin(kept)).data());
    const auto most = *static_cast<const std::int64_t*>(dense(amax(kept)).data());
    if (least < 0 || most >= product(space))
      throw IndexOutOfRangeError(text(op, ": index ", least < 0 ? least : most,
                                      ", places of sizes ", out, "; numbers from 0 to ",
                                      product(space) - 1, " are needed"));
  }
  return scatter_planes(op, input, kept, out, form.planes, false);
}

Tensor average_pool(int dims, const Tensor& input, const PoolOptions& options, bool counts_padding,
                    std::optional<std::int64_t> divisor) {
  const char* const op = named(average_names, dims);
  if (divisor == 0)
    throw ShapeError(text(op, ": divisor_override 0; another number is needed, or None"));
  if (!is_floating(input.dtype()) && input.dtype() != DType::int64)
    throw DTypeError(text(op, ": input of dtype ", name_of(input.dtype()),
                          "; a floating one is needed, or int64"));
  if (is_half(input.dtype()))
    return to(average_pool(dims, in_float(input), options, counts_padding, divisor), input.dtype());
  return average({form_of(op, dims, input, options), counts_padding, divisor.value_or(0)}, input);
}

Tensor adaptive_average_pool(int dims, const Tensor& input, const Dims& sizes) {
  if (is_half(input.dtype()))
    return to(adaptive_average_pool(dims, in_float(input), sizes), input.dtype());
  const char* const op = named(adaptive_average_names, dims);
  check_floating(op, input);
  const PoolForm form = adaptive_form(op, dims, input, sizes);
  const bool takes_planes = std::ranges::all_of(sizes, [](std::int64_t size) { return size == 1; });
  if (input.count() == 0 || !takes_planes) return average({form, false, 0}, input);
  Dims whole = Dims::filled(dims, 0);
  for (int d = 0; d < dims; ++d) whole[d] = input.ndim() - dims + d;
  return mean(input, {whole, true});  // which reads planes faster
}

}  // namespace garboard
