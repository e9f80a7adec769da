#include "kernels/cpu/convolution/by_product.h"

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/taps/planes.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The samples of a block side by side, and what each tap of some channels meets at all places of
/// them: a row for each tap.
template <class T>
class ByProduct {
 public:
  explicit ByProduct(const Convolution& of)
      : of_(of),
        sizes_(of),
        moved_(moved_input<T>(of, sizes_)),
        axes_{{moved_, 0, Reading::vectors_of_places},
              {moved_, 1, Reading::vectors_of_places},
              {moved_, 2, Reading::vectors_of_places}},
        cut_(axes_, sizes_.samples, moved_.places,
             {std::int64_t{1} << 60, larger(most_columns, places_of_sample())}, 1),
        planes_(moved_, axes_, cut_) {
    const std::int64_t most = larger(copied_bytes() / (planes_.channel() * item), 1);
    channels_ = divided_up(sizes_.channels, divided_up(sizes_.channels, most));
  }

  void convolve(const T* bias) const {
    for_each_block([&](std::int64_t group, const Box& box) {
      const Scratch copies(copies_bytes()), sums(box.samples == 1 ? 0 : bytes_of_rows(box));
      T* const out = out_of(group, box);
      const Matrix to = box.samples == 1 ? rows_at(out, places_of_sample(), places_of_sample())
                                         : rows_at(sums.as<T>(), columns(box), columns(box));
      for (std::int64_t row = 0; bias && row < sizes_.rows; ++row)
        fill(reinterpret_cast<T*>(to.data) + row * to.row_stride, to.columns,
             bias[group * sizes_.rows + row]);
      for_each_chunk([&](std::int64_t channel, std::int64_t some) {
        copy_met(copies.as<T>(), group, channel, some, box);
        multiply(dtype, to, factors(of_.weight, group, channel, some),
                 met(copies.as<T>(), some, box), bias || channel > 0);
      });
      if (box.samples > 1)
        move_rows(box, [&](std::int64_t row_and_sample, std::int64_t row_at) {
          copy_dense(out + row_and_sample, sums.as<T>() + row_at, places_of_sample());
        });
    });
  }

  void gather(const T* bias) const {
    T* const x = of_.x.template as<T>();
    for_each_block([&](std::int64_t group, const Box& box) {
      const Scratch copies(copies_bytes()), beside(box.samples == 1 ? 0 : bytes_of_rows(box));
      const Matrix grads = grads_of(group, box, beside.as<T>());
      for_each_chunk([&](std::int64_t channel, std::int64_t some) {
        multiply(dtype, met(copies.as<T>(), some, box),
                 turned(factors(of_.weight, group, channel, some)), grads, false);
        const std::int64_t first = group * sizes_.channels + channel;
        for_each_part(some, 1, copy_ns(some, box), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t c = begin; c < end; ++c)
            for (std::int64_t s = 0; s < box.samples; ++s) {
              T* const plane =
                  x + (box.sample + s) * moved_.sample_stride + (first + c) * product(sizes_.sizes);
              fill(plane, product(sizes_.sizes), bias ? bias[first + c] : T(0));
              add_taps(plane, copies.as<T>() + c * planes_.channel() + s * places_of_sample());
            }
        });
      });
    });
  }

  void weigh() const {
    for (std::int64_t i = 0; i < sizes_.groups * cut_.count(); ++i) {
      const std::int64_t group = i / cut_.count(), block = i % cut_.count();
      const Box box = cut_[block];
      const Scratch copies(copies_bytes()), beside(box.samples == 1 ? 0 : bytes_of_rows(box));
      const Matrix grads = grads_of(group, box, beside.as<T>());
      for_each_chunk([&](std::int64_t channel, std::int64_t some) {
        copy_met(copies.as<T>(), group, channel, some, box);
        multiply(dtype, factors(of_.weight, group, channel, some), grads,
                 turned(met(copies.as<T>(), some, box)), block > 0);
      });
    }
  }

 private:
  static constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  static constexpr DType dtype = sizeof(T) == 4 ? DType::float32 : DType::float64;
  static constexpr std::int64_t most_columns = 512;

  static std::int64_t copied_bytes() { return larger(machine().second_cache_bytes / 2, 1 << 17); }

  std::int64_t places_of_sample() const { return product(sizes_.places); }
  std::int64_t taps() const { return product(sizes_.taps); }
  std::int64_t columns(const Box& box) const { return box.samples * places_of_sample(); }
  std::int64_t bytes_of_rows(const Box& box) const { return sizes_.rows * columns(box) * item; }
  std::int64_t copies_bytes() const {
    return (channels_ * planes_.channel() + Planes<T>::slack) * item;
  }
  double copy_ns(std::int64_t channels, const Box& box) const {
    return static_cast<double>(channels * taps() * columns(box)) * 0.4;
  }

  /// Where there are many, threads share blocks, else what is done for each.
  template <class Run>
  void for_each_block(Run run) const {
    const std::int64_t blocks = cut_.count(), all = sizes_.groups * blocks;
    const auto run_some = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) run(i / blocks, cut_[i % blocks]);
    };
    if (all < tuning::convolution_parts / 4) return run_some(0, all);
    for_each_part(
        all, 1,
        cost_ns<T>(sizes_.groups * sizes_.rows, sizes_.depth(), sizes_.samples, places_of_sample()),
        run_some);
  }
  template <class Run>
  void for_each_chunk(Run run) const {
    for (std::int64_t c = 0; c < sizes_.channels; c += channels_) {
      interruption_point();
      run(c, smaller(channels_, sizes_.channels - c));
    }
  }

  Matrix rows_at(T* data, std::int64_t columns, std::int64_t stride) const {
    return {reinterpret_cast<char*>(data), static_cast<int>(item), sizes_.rows, columns, stride, 1};
  }
  /// The taps of some channels: [rows, channels * taps].
  Matrix factors(const View& weight, std::int64_t group, std::int64_t channel,
                 std::int64_t some) const {
    T* const data = weight.as<T>() + group * sizes_.rows * sizes_.depth() + channel * taps();
    return rows_at(data, some * taps(), sizes_.depth());
  }
  /// [channels * taps, columns].
  Matrix met(T* copies, std::int64_t channels, const Box& box) const {
    return {reinterpret_cast<char*>(copies),
            static_cast<int>(item),
            channels * taps(),
            columns(box),
            planes_.channel() / taps(),
            1};
  }
  void copy_met(T* copies, std::int64_t group, std::int64_t channel, std::int64_t some,
                const Box& box) const {
    const T* const from = moved_.data + box.sample * moved_.sample_stride +
                          (group * sizes_.channels + channel) * moved_.channel_stride();
    // One after the other: a copy writes over the begin of the next one.
    for (std::int64_t c = 0; c < some; ++c)
      planes_.copy(copies + c * planes_.channel(), from + c * moved_.channel_stride(), box);
  }

  T* out_of(std::int64_t group, const Box& box) const {
    return of_.out.template as<T>() + box.sample * sizes_.out_stride() +
           group * sizes_.rows * places_of_sample();
  }
  /// Calls `move(from the first sample's first place to a row of a sample, to the same among rows
  /// with samples side by side)`.
  template <class Move>
  void move_rows(const Box& box, Move move) const {
    for (std::int64_t row = 0; row < sizes_.rows; ++row)
      for (std::int64_t s = 0; s < box.samples; ++s)
        move(s * sizes_.out_stride() + row * places_of_sample(),
             row * columns(box) + s * places_of_sample());
  }
  /// [rows, columns] of the gradient that is in out; a copy, in `memory`, of more samples than one.
  Matrix grads_of(std::int64_t group, const Box& box, T* memory) const {
    T* const out = out_of(group, box);
    if (box.samples == 1) return rows_at(out, places_of_sample(), places_of_sample());
    move_rows(box, [&](std::int64_t row_and_sample, std::int64_t row_at) {
      copy_dense(memory + row_at, out + row_and_sample, places_of_sample());
    });
    return rows_at(memory, columns(box), columns(box));
  }

  /// Adds what came to the taps of a channel, for one sample, to what they met.
  void add_taps(T* plane, const T* from) const {
    const std::int64_t row = planes_.channel() / taps();
    const auto &size = sizes_.sizes, &place = sizes_.places, &tap = sizes_.taps;
    for (std::int64_t k = 0; k < taps(); ++k, from += row) {
      const std::int64_t at[] = {k / tap[2] / tap[1], k / tap[2] % tap[1], k % tap[2]};
      std::int64_t begin[space_dims], first[space_dims], last[space_dims];
      for (int d = 0; d < space_dims; ++d) {
        begin[d] = at[d] * of_.dilation[d] - of_.padding[d];
        const std::int64_t step = of_.stride[d];
        first[d] = begin[d] >= 0 ? 0 : smaller(divided_up(-begin[d], step), place[d]);
        last[d] = begin[d] >= size[d] ? 0 : smaller(divided_up(size[d] - begin[d], step), place[d]);
      }
      for (std::int64_t z = first[0]; z < last[0]; ++z)
        for (std::int64_t y = first[1]; y < last[1]; ++y) {
          const T* const line = from + (z * place[1] + y) * place[2];
          T* const to =
              plane +
              ((begin[0] + z * of_.stride[0]) * size[1] + begin[1] + y * of_.stride[1]) * size[2] +
              begin[2];
          add_line(to, line, first[2], last[2], of_.stride[2]);
        }
    }
  }
  static void add_line(T* to, const T* from, std::int64_t first, std::int64_t last,
                       std::int64_t step) {
    if (step == 1)
      for (std::int64_t x = first; x < last; ++x) to[x] += from[x];
    else
      for (std::int64_t x = first; x < last; ++x) to[x * step] += from[x];
  }

  const Convolution& of_;
  Sizes sizes_;
  Moved<T> moved_;
  Axis axes_[space_dims];
  Cut cut_;  // by samples
  Planes<T> planes_;
  std::int64_t channels_;  // of a chunk
};

/// What decides, as measured against tiles.
struct Extent {
  std::int64_t rows, channels, columns;
  bool may_copy;
  bool is_whole;  // there is one group
  bool is_far;    // the weight, from the second cache
  bool has_stride = false;
  bool is_uneven = false;   // taps fall into classes of different sizes
  bool has_patches = true;  // it may be computed by patches

  explicit Extent(const Convolution& of) {
    const Sizes sizes(of);
    is_whole = sizes.groups == 1;
    rows = sizes.rows;
    channels = sizes.channels;
    const std::int64_t taps = product(sizes.taps), places = product(sizes.places);
    columns = sizes.samples * places;
    const std::int64_t item = of.x.dtype == DType::float32 ? 4 : 8,
                       cache = machine().second_cache_bytes;
    is_far = rows * sizes.depth() > cache / item;
    for (int d = 0; d < space_dims; ++d) {
      has_stride |= of.stride[d] > 1 && sizes.taps[d] > 1;
      is_uneven |= of.stride[d] > 1 && sizes.taps[d] % of.stride[d] != 0;
      has_patches &= sizes.taps[d] == (d == 0 ? 1 : 3) && of.stride[d] == 1 && of.dilation[d] == 1;
    }
    has_patches &= item == 4;
    may_copy = columns > 0 && channels > 0 && taps > 1 && places * taps <= 4 * cache / item;
  }
};

}  // namespace

bool suits_product(const Convolve& of) noexcept {
  const Extent it(of);
  return it.may_copy && it.is_far &&
         it.columns <=
             (it.has_patches ? tuning::product_columns_by_patches : tuning::product_columns);
}
bool suits_product(const ConvolutionInputGradient& of) noexcept {
  const Extent it(of);
  const bool is_thin = it.is_whole && it.channels <= 6 && it.rows >= 8 * it.channels;
  const bool is_short = it.is_whole && it.has_stride && it.columns <= (it.is_uneven ? 2048 : 512);
  return it.may_copy && (is_thin || is_short || (it.is_far && it.columns <= 128));
}
bool suits_product(const ConvolutionWeightGradient& of) noexcept {
  const Extent it(of);
  const std::int64_t most = it.has_stride ? 512 : 1024;
  return it.may_copy && ((it.is_whole && it.rows <= 4) || (it.is_far && it.columns <= most));
}

void convolve_by_product(const Convolve& of) {
  of.x.dtype == DType::float32 ? ByProduct<float>(of).convolve(of.bias.as<float>())
                               : ByProduct<double>(of).convolve(of.bias.as<double>());
}
void input_gradient_by_product(const ConvolutionInputGradient& of) {
  of.x.dtype == DType::float32 ? ByProduct<float>(of).gather(of.bias.as<float>())
                               : ByProduct<double>(of).gather(of.bias.as<double>());
}
void weight_gradient_by_product(const ConvolutionWeightGradient& of) {
  of.x.dtype == DType::float32 ? ByProduct<float>(of).weigh() : ByProduct<double>(of).weigh();
}

}  // namespace garboard::kernels::GARBOARD_ISA
