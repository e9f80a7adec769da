#include "csrc/ops/windows/integer_convolution.h"

#include <algorithm>

#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/shape/views.h"
#include "csrc/ops/shape/windows.h"

namespace garboard {
namespace {

/// Zeros [n, channels, *space], in which the input and all that windows meet has room.
Tensor board_of(const ConvolutionForm& form, const Tensor& like) {
  Dims sizes{form.samples, form.channels};
  for (std::size_t d = 0; d < form.sizes.size(); ++d) {
    const std::int64_t span = (form.taps[d] - 1) * form.dilation[d] + 1;
    sizes.push_back(
        std::max(form.padding[d] + form.sizes[d], (form.places[d] - 1) * form.stride[d] + span));
  }
  return zeros(sizes, like.dtype(), like.device());
}

/// Where the input stands on it.
Tensor inside(const Tensor& board, const ConvolutionForm& form) {
  Tensor part = board;
  for (std::size_t d = 0; d < form.sizes.size(); ++d)
    part = slice(part, 2 + static_cast<int>(d), form.padding[d], form.sizes[d], 1);
  return part;
}

Tensor with_bias(const Tensor& out, const Tensor& bias) {
  if (!bias) return out;
  Dims sizes{1, bias.count()};
  while (sizes.size() < out.ndim()) sizes.push_back(1);
  return out + reshape(bias, sizes);
}

/// [groups, out channels of each, what one window meets].
Tensor rows_of(const Tensor& weight, const ConvolutionForm& form) {
  return reshape(weight, {form.groups, form.out_channels / form.groups,
                          form.channels / form.groups * product(form.taps)});
}

}  // namespace

Tensor convolve_integers(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         const ConvolutionForm& form) {
  const Tensor board = board_of(form, x);
  const Tensor place = inside(board, form);
  copy_(place, reshape(x, place.sizes()));
  Dims sizes{form.samples, form.channels};
  Dims strides{board.stride(0), board.stride(1)};
  for (std::size_t d = 0; d < form.taps.size(); ++d) {
    sizes.push_back(form.taps[d]);
    strides.push_back(board.stride(2 + static_cast<int>(d)) * form.dilation[d]);
  }
  for (std::size_t d = 0; d < form.taps.size(); ++d) {
    sizes.push_back(form.places[d]);
    strides.push_back(board.stride(2 + static_cast<int>(d)) * form.stride[d]);
  }
  const Tensor windows = as_strided(board, sizes, strides, 0);
  const Tensor columns =
      reshape(windows, {form.samples, form.groups, form.channels / form.groups * product(form.taps),
                        product(form.places)});
  return with_bias(reshape(matmul(rows_of(weight, form), columns), form.out()), bias);
}

Tensor gather_integers(const Tensor& x, const Tensor& weight, const Tensor& bias,
                       const ConvolutionForm& form) {
  const Tensor board = board_of(form, x);
  const Tensor from = reshape(
      x, {form.samples, form.groups, form.out_channels / form.groups, product(form.places)});
  const Space& taps = form.taps;
  const Tensor sent = reshape(
      matmul(transpose(rows_of(weight, form), 1, 2), from),
      {form.samples, form.channels, product(taps), form.places[0], form.places[1], form.places[2]});
  for (std::int64_t tap = 0; tap < product(taps); ++tap) {
    const Space at{tap / taps[2] / taps[1], tap / taps[2] % taps[1], tap % taps[2]};
    Tensor met = board;
    for (std::size_t d = 0; d < taps.size(); ++d)
      met = slice(met, 2 + static_cast<int>(d), at[d] * form.dilation[d], form.places[d],
                  form.stride[d]);
    add.apply_in_place(met, select(sent, 2, tap));
  }
  return with_bias(reshape(inside(board, form), form.input()), bias);
}

}  // namespace garboard
