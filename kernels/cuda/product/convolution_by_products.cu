// Of some samples, `columns` is a matrix [channels, taps][samples, places]: what each place meets,
// or the gradients of that. The product of a group's weights and it is the result; that of the
// output's gradients and it, the weights' gradient. Sums are the products', and of an input's
// gradient those of its taps, in their order.
#include "kernels/cuda/product/convolution_by_products.h"

#include <algorithm>
#include <optional>

#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::cuda {
namespace {

using functors::widened;
using functors::Widened;

constexpr std::int64_t least_depth = 16;  // of a product, or the formula is as good
constexpr int channels_at_once = 8;       // of a thread that folds

/// A thread for each tap, sample and place of a group: it goes through the channels.
template <class T>
__global__ void unfold(T* columns, const T* x, const __grid_constant__ GroupShape shape,
                       std::int64_t sample_step, std::int64_t count, std::int64_t wide) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t column = i % wide, tap = i / wide;
  const std::int64_t at = shape.met(column % shape.places, tap);
  x += column / shape.places * sample_step;
  columns += tap * wide + column;
  for (std::int64_t c = 0; c < shape.channels; ++c)
    columns[c * shape.taps * wide] = at < 0 ? T(0.0f) : x[c * shape.size + at];
}

/// A thread for some channels of each sample's element.
template <class T>
__global__ void fold(T* x, const Widened<T>* columns, const __grid_constant__ GroupShape shape,
                     std::int64_t sample_step, std::int64_t count, std::int64_t wide) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t at = i % shape.size, rest = i / shape.size;
  const std::int64_t samples = wide / shape.places, sample = rest % samples;
  const std::int64_t first = rest / samples * channels_at_once;
  Widened<T> sums[channels_at_once] = {};
  for (std::int64_t tap = 0; tap < shape.taps; ++tap) {
    const std::int64_t place = shape.place(at, tap);
    if (place < 0) continue;
    const Widened<T>* const from =
        columns + (first * shape.taps + tap) * wide + sample * shape.places + place;
    for (int c = 0; c < channels_at_once; ++c)
      if (first + c < shape.channels) sums[c] += from[c * shape.taps * wide];
  }
  x += sample * sample_step + first * shape.size + at;
  for (int c = 0; c < channels_at_once; ++c)
    if (first + c < shape.channels) x[c * shape.size] = static_cast<T>(sums[c]);
}

/// The matrices of some samples, group by group.
class Columns {
 public:
  Columns(const Convolution& of, ConvolutionPart part, Stream stream, std::int64_t most_bytes)
      : of_(of),
        part_(part),
        stream_(stream),
        shape_(of),
        dtype_(of.x.dtype),
        summed_(part == ConvolutionPart::x && is_half(dtype_) ? DType::float32 : dtype_),
        at_once_(std::clamp<std::int64_t>(most_bytes / bytes_of(1), 1, of.x.sizes[0])),
        memory_(static_cast<std::size_t>(bytes_of(at_once_)), stream) {}

  void run() const {
    for (std::int64_t first = 0; first < shape_.samples; first += at_once_)
      for (std::int64_t group = 0; group < shape_.groups; ++group)
        run(first, std::min(at_once_, shape_.samples - first), group);
  }

 private:
  /// A tensor in another dtype where sums want that.
  class Summed {
   public:
    Summed(const View& x, DType dtype, Stream stream) : view_(x) {
      if (x.dtype == dtype) return;
      copy_.emplace(static_cast<std::size_t>(x.count) * item_size(dtype), stream);
      view_ = make_view(copy_->as<void>(), dtype, x.sizes, contiguous_strides(x.sizes));
      kernel(Copy{view_, x}, stream);
    }
    const View& view() const { return view_; }

   private:
    View view_;
    std::optional<Scratch> copy_;
  };

  std::int64_t depth() const { return shape_.channels * shape_.taps; }
  std::int64_t bytes_of(std::int64_t samples) const {
    return depth() * samples * shape_.places * static_cast<std::int64_t>(item_size(summed_));
  }
  View columns(const Dims& sizes, const Dims& strides) const {
    return make_view(memory_.as<void>(), summed_, sizes, strides);
  }
  View part_of(const View& whole, std::int64_t from, const Dims& sizes, const Dims& strides) const {
    auto* const start = whole.as<char>() + from * static_cast<std::int64_t>(item_size(dtype_));
    return make_view(start, dtype_, sizes, strides);
  }

  void run(std::int64_t first, std::int64_t samples, std::int64_t group) const {
    const std::int64_t rows = shape_.rows, places = shape_.places, wide = samples * places;
    const std::int64_t step = shape_.groups * shape_.channels * shape_.size;
    const View x = part_of(of_.x, first * step + group * shape_.channels * shape_.size, {}, {});
    const View weight = part_of(of_.weight, group * rows * depth(), {rows, depth()}, {depth(), 1});
    const std::int64_t out_step = shape_.groups * rows * places;
    const View out = part_of(of_.out, first * out_step + group * rows * places,
                             {samples, rows, places}, {out_step, places, 1});
    const View by_sample = columns({samples, depth(), places}, {places, wide, 1});
    if (part_ == ConvolutionPart::x) {
      const Summed factor(weight, summed_, stream_), slopes(out, summed_, stream_);
      const View turned =
          make_view(factor.view().data, summed_, {samples, depth(), rows}, {0, 1, depth()});
      kernel(Matmul{by_sample, turned, slopes.view()}, stream_);
      const std::int64_t parts = divided_up(shape_.channels, channels_at_once);
      return visit_floating(dtype_, [&]<class T>(Type<T>) {
        const std::int64_t count = parts * samples * shape_.size;
        launch(fold<T>, {divided_up(count, threads), stream_}, x.as<T>(), memory_.as<Widened<T>>(),
               shape_, step, count, wide);
      });
    }
    visit_floating(dtype_, [&]<class T>(Type<T>) {
      const std::int64_t count = shape_.taps * wide;
      launch(unfold<T>, {divided_up(count, threads), stream_}, memory_.as<T>(), x.as<T>(), shape_,
             step, count, wide);
    });
    if (part_ == ConvolutionPart::out) {
      const View weights =
          make_view(weight.data, dtype_, {samples, rows, depth()}, {0, depth(), 1});
      return kernel(Matmul{out, weights, by_sample}, stream_);
    }
    // The product wants the output's gradients as [rows, samples, places].
    const Scratch turned(static_cast<std::size_t>(rows * wide) * item_size(dtype_), stream_);
    const auto slopes = [&](const Dims& sizes, const Dims& strides) {
      return make_view(turned.as<void>(), dtype_, sizes, strides);
    };
    kernel(Copy{slopes({samples, rows, places}, {places, wide, 1}), out}, stream_);
    kernel(Matmul{weight, slopes({rows, wide}, {wide, 1}), columns({wide, depth()}, {1, wide}),
                  first > 0},
           stream_);
  }

  const Convolution& of_;
  ConvolutionPart part_;
  Stream stream_;
  GroupShape shape_;
  DType dtype_, summed_;  // the tensors', and that of columns
  std::int64_t at_once_;  // samples
  Scratch memory_;
};

}  // namespace

bool convolve_by_products(const Convolution& of, ConvolutionPart part, Stream stream,
                          std::int64_t most_bytes) {
  const GroupShape shape(of);
  const bool is_empty = std::min({of.x.count, of.weight.count, of.out.count}) == 0;
  const std::int64_t depth = shape.channels * shape.taps;
  if (is_empty || shape.channels < 2 || shape.rows < 2 || depth < least_depth) return false;
  Columns(of, part, stream, most_bytes).run();
  return true;
}

}  // namespace garboard::kernels::cuda
