// Convolutions as products of matrices: what the taps meet is copied, moved, a piece at a time and
// as the product wants to read it, and multiplied while it is in the second cache. How work is cut
// depends on sizes alone, and so do the bits.
#include "kernels/cpu/convolution/depthwise.h"
#include "kernels/cpu/convolution/moved.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/product/packed_product.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t block_rows = 1024, block_depth = 512, piece_elements = 1 << 16;

/// Where places of a product go: each to start + place * step along its dim.
template <class T>
struct Target {
  T* data;
  std::int64_t sample_stride;
  std::int64_t sizes[space_dims];
  std::int64_t step[space_dims], start[space_dims];

  /// Whether places lie as they are counted.
  bool is_dense(const std::int64_t (&places)[space_dims]) const {
    bool is = true;
    for (int d = 0; d < space_dims; ++d)
      is &= step[d] == 1 && start[d] == 0 && places[d] == sizes[d];
    return is;
  }

  /// Brings a row of a product to the channel at `to`.
  void store(T* to, const T* from, const std::int64_t (&places)[space_dims],
             const Piece& piece) const {
    for (std::int64_t s = 0; s < piece.samples; ++s, to += sample_stride) {
      std::int64_t w = piece.first % places[2], line = piece.first / places[2];
      for (std::int64_t left = piece.places(); left > 0; ++line, w = 0) {
        const std::int64_t count = smaller(places[2] - w, left);
        const std::int64_t y = line % places[1] * step[1] + start[1];
        const std::int64_t z = line / places[1] * step[0] + start[0];
        T* const at = to + (z * sizes[1] + y) * sizes[2] + start[2];
        const std::int64_t by = step[2];
        for (std::int64_t i = 0; i < count; ++i) at[(w + i) * by] = from[i];
        from += count;
        left -= count;
      }
    }
  }
};

template <class T>
Matrix matrix(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
              std::int64_t column_stride = 1) {
  return {reinterpret_cast<char*>(const_cast<T*>(data)),
          sizeof(T),
          rows,
          columns,
          row_stride,
          column_stride};
}

template <class T>
constexpr DType dtype_of = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;

/// factors @ moved, + bias, for each group, to the target.
template <class T>
struct Gathering {
  std::int64_t samples, groups, rows, channels;  // of a group each
  const T* factors;                              // [groups, rows, channels * taps]
  Moved<T> moved;                                // of the first group
  Target<T> target;
  const std::int64_t (&places)[space_dims];
  const T* bias = nullptr;

  void run() const {
    const Cut cut(samples, product(places),
                  piece_elements / smaller(larger(depth(), rows) + 1, block_rows));
    const std::int64_t row_blocks = divided_up(rows, block_rows), pieces = cut.count();
    const bool uses_tiles = is_float && has_panels();
    const std::int64_t strip = PanelProduct::strip_line * depth();
    const Scratch strips(uses_tiles ? groups * strips_before(rows) * strip * item : 0);
    if (uses_tiles) pack_factors(strips.as<float>(), strip);
    for_each_part(groups * row_blocks * pieces, 1,
                  cost_ns<T>(groups * rows, depth(), samples, product(places)),
                  [&](std::int64_t begin, std::int64_t end) {
                    const std::int64_t width =
                        divided_up(cut.most_columns(), Cut::unit) * Cut::unit;
                    const Scratch copies((smaller(depth(), block_rows) + 1) * width * item);
                    const Scratch results(smaller(rows, block_rows) * cut.most_columns() * item);
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t block = i / pieces;
                      const Part part{block / row_blocks, block % row_blocks * block_rows,
                                      cut[i % pieces], uses_tiles ? strips.as<float>() : nullptr};
                      run_part(part, copies.as<T>(), results.as<T>());
                    }
                  });
  }

 private:
  static constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  static constexpr bool is_float = sizeof(T) == sizeof(float);

  /// Some rows of a group at some places.
  struct Part {
    std::int64_t group, first_row;
    Piece piece;
    const float* strips;
  };

  std::int64_t depth() const { return channels * product(moved.taps); }
  /// Of a group's rows before `row`, where a block begins or all end.
  static std::int64_t strips_before(std::int64_t row) {
    return row / block_rows * RowStrips{block_rows}.count() + RowStrips{row % block_rows}.count();
  }

  /// Rows of each block of rows of each group, in strips.
  void pack_factors(float* to, std::int64_t strip) const {
    const auto* const from = reinterpret_cast<const float*>(factors);
    for (std::int64_t group = 0; group < groups; ++group)
      for (std::int64_t first = 0; first < rows; first += block_rows) {
        const RowStrips cut{smaller(rows - first, block_rows)};
        for (std::int64_t s = 0; s < cut.count(); ++s, to += strip) {
          const std::int64_t row = cut.first_row(s);
          pack_rows(to, {from + (group * rows + first + row) * depth(), depth(), 1},
                    cut.first_row(s + 1) - row, depth());
        }
      }
  }

  void run_part(const Part& part, T* copies, T* results) const {
    const Piece& piece = part.piece;
    const std::int64_t row = part.group * rows + part.first_row;
    const std::int64_t count = smaller(rows - part.first_row, block_rows);
    const std::int64_t columns = piece.columns(), channel = product(target.sizes);
    const bool is_direct = piece.samples == 1 && target.is_dense(places);
    T* const first = target.data + piece.sample * target.sample_stride + row * channel;
    T* const to = is_direct ? first + piece.first : results;
    const std::int64_t stride = is_direct ? channel : columns;
    if (bias || depth() == 0)
      for (std::int64_t i = 0; i < count; ++i)
        fill(to + i * stride, columns, bias ? bias[row + i] : T(0));
    Moved<T> source = moved;
    source.data += part.group * channels * moved.channel_stride();
    if constexpr (is_float) {
      if (part.strips)
        multiply_tiles(part, source, to, count, stride, copies);
      else
        multiply_copies(source, to, count, stride, factors + row * depth(), piece, copies);
    } else {
      multiply_copies(source, to, count, stride, factors + row * depth(), piece, copies);
    }
    if (is_direct) return;
    for (std::int64_t i = 0; i < count; ++i, results += columns)
      target.store(first + i * channel, results, places, piece);
  }

  void multiply_copies(const Moved<T>& source, T* to, std::int64_t count, std::int64_t stride,
                       const T* left, const Piece& piece, T* copies) const {
    const std::int64_t columns = piece.columns();
    const bool is_there = source.is_plain() && piece.samples == 1;
    for (std::int64_t k = 0; k < depth(); k += block_rows) {
      if (k > 0) interruption_point();
      const std::int64_t some = smaller(block_rows, depth() - k);
      const T* from = copies;
      std::int64_t from_stride = columns;
      if (is_there) {
        from_stride = source.channel_stride();
        from = source.data + piece.sample * source.sample_stride + k * from_stride + piece.first;
      } else {
        for (std::int64_t i = 0; i < some; ++i) source.copy(copies + i * columns, k + i, piece);
      }
      multiply(dtype_of<T>, matrix(to, count, columns, stride),
               matrix(left + k, count, some, depth()), matrix(from, some, columns, from_stride),
               bias || k > 0);
    }
  }

  void multiply_tiles(const Part& part, const Moved<T>& source, T* to, std::int64_t count,
                      std::int64_t stride, T* panels) const {
    const Piece& piece = part.piece;
    const std::int64_t columns = piece.columns(), strip = PanelProduct::strip_line * depth();
    const bool is_there = source.is_plain() && piece.samples == 1;
    const std::int64_t first_strip =
        part.group * strips_before(rows) + strips_before(part.first_row);
    for (std::int64_t k = 0; k < depth(); k += block_depth) {
      if (k > 0) interruption_point();
      const std::int64_t some = smaller(block_depth, depth() - k);
      if (is_there)
        pack_columns(panels,
                     {source.data + piece.sample * source.sample_stride +
                          k * source.channel_stride() + piece.first,
                      source.channel_stride(), 1},
                     some, columns);
      else
        copy_panels(panels, source, k, some, piece);
      multiply_panels({.a = part.strips + first_strip * strip + k * PanelProduct::strip_line,
                       .a_row = 1,
                       .a_step = PanelProduct::strip_line,
                       .a_strip = strip,
                       .panels = panels,
                       .rows = {count},
                       .columns = columns,
                       .depth = some,
                       .out = to,
                       .out_stride = stride,
                       .is_turned = false,
                       .accumulate = bias || k > 0});
    }
  }

  /// Each row by way of the first cache: its lines begin anywhere, those of panels do not.
  static void copy_panels(T* panels, const Moved<T>& source, std::int64_t first, std::int64_t depth,
                          const Piece& piece) {
    constexpr std::int64_t width = PanelProduct::width;
    const std::int64_t columns = piece.columns(), padded = divided_up(columns, width) * width;
    T* const row = panels + padded * depth;
    fill(row + columns, padded - columns, T(0));
    for (std::int64_t k = 0; k < depth; ++k) {
      source.copy(row, first + k, piece);
      for (std::int64_t j = 0; j < padded; j += width)
        std::memcpy(panels + j * depth + k * width, row + j, width * sizeof(T));
    }
  }
};

template <class T>
void convolve(const Convolve& of) {
  const Sizes sizes(of);
  Target<T> target{of.out.as<T>(), sizes.out_stride(), {}, {1, 1, 1}, {}};
  for (int d = 0; d < space_dims; ++d) target.sizes[d] = sizes.places[d];
  Gathering<T>{.samples = sizes.samples,
               .groups = sizes.groups,
               .rows = sizes.rows,
               .channels = sizes.channels,
               .factors = of.weight.as<T>(),
               .moved = moved_input<T>(of, sizes),
               .target = target,
               .places = sizes.places,
               .bias = of.bias.as<T>()}
      .run();
}

std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    const std::int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Along one dim, element l of x meets tap k at place (l + padding - k dilation) / stride where
/// that is whole. So taps fall into classes that meet the same elements, every stride-th, and for
/// each class the gradient is a convolution of stride 1.
struct Classes {
  std::int64_t count, tap_step;

  Classes(std::int64_t stride, std::int64_t dilation) {
    const std::int64_t divisor = common_divisor(dilation, stride);
    count = stride / divisor;
    tap_step = -(dilation / divisor);
  }
};

/// The taps of a class, with rows and channels swapped in each group.
template <class T>
void swap_weight(T* to, const T* weight, const Sizes& sizes,
                 const std::int64_t (&first)[space_dims], const std::int64_t (&step)[space_dims],
                 const std::int64_t (&taps)[space_dims]) {
  const std::int64_t elements = sizes.rows * product(taps);
  for_each_part(sizes.groups * sizes.channels, (1 << 16) / (elements + 1) + 1,
                static_cast<double>(sizes.groups * sizes.channels * elements),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t group = i / sizes.channels, channel = i % sizes.channels;
                    const T* from =
                        weight + group * sizes.rows * sizes.depth() + channel * product(sizes.taps);
                    T* at = to + i * elements;
                    for (std::int64_t row = 0; row < sizes.rows; ++row, from += sizes.depth())
                      for (std::int64_t z = 0; z < taps[0]; ++z)
                        for (std::int64_t y = 0; y < taps[1]; ++y) {
                          const T* const line = from + ((first[0] + z * step[0]) * sizes.taps[1] +
                                                        first[1] + y * step[1]) *
                                                           sizes.taps[2];
                          for (std::int64_t j = 0; j < taps[2]; ++j)
                            *at++ = line[first[2] + j * step[2]];
                        }
                  }
                });
}

/// The part of the gradient that comes through the class of taps `k`.
template <class T>
void gather_class(const ConvolutionInputGradient& of, const Sizes& sizes, T* factors,
                  const std::int64_t (&k)[space_dims]) {
  std::int64_t places[space_dims], steps[space_dims];
  Moved<T> moved{of.out.as<T>(), sizes.out_stride(), {}, {}, {}, {1, 1, 1}, {}, {}};
  Target<T> target{of.x.as<T>(), sizes.input_stride(), {}, {}, {}};
  for (int d = 0; d < space_dims; ++d) {
    const Classes classes(of.stride[d], of.dilation[d]);
    const std::int64_t stride = of.stride[d], shift = k[d] * of.dilation[d], rest = shift % stride;
    const std::int64_t first = larger(divided_up(of.padding[d] - rest, stride), 0);
    const std::int64_t last = divided_up(sizes.sizes[d] + of.padding[d] - rest, stride);
    if (last <= first) return;
    places[d] = last - first;
    steps[d] = classes.count;
    moved.sizes[d] = sizes.places[d];
    moved.places[d] = places[d];
    moved.taps[d] = divided_up(sizes.taps[d] - k[d], classes.count);
    moved.start[d] = first - shift / stride;
    moved.tap_step[d] = classes.tap_step;
    target.sizes[d] = sizes.sizes[d];
    target.step[d] = stride;
    target.start[d] = rest - of.padding[d] + first * stride;
  }
  swap_weight(factors, of.weight.as<T>(), sizes, k, steps, moved.taps);
  moved.merge_lines();
  Gathering<T>{.samples = sizes.samples,
               .groups = sizes.groups,
               .rows = sizes.channels,
               .channels = sizes.rows,
               .factors = factors,
               .moved = moved,
               .target = target,
               .places = places,
               .bias = of.bias.as<T>()}
      .run();
}

template <class T>
void gradient_of_input(const ConvolutionInputGradient& of) {
  const Sizes sizes(of);
  T* const x = of.x.as<T>();
  const T* const bias = of.bias.as<T>();
  std::int64_t classes[space_dims], taps = 1;
  for (int d = 0; d < space_dims; ++d) {
    const std::int64_t count = Classes(of.stride[d], of.dilation[d]).count;
    classes[d] = smaller(count, sizes.taps[d]);
    taps *= divided_up(sizes.taps[d], count);
  }
  const std::int64_t channel = product(sizes.sizes), channels = sizes.groups * sizes.channels;
  if (of.stride[0] > 1 || of.stride[1] > 1 || of.stride[2] > 1)  // some may meet no tap
    for_each_part(sizes.samples * channels, (1 << 16) / channel + 1,
                  static_cast<double>(of.x.count) * 0.2,
                  [&](std::int64_t first, std::int64_t last) {
                    for (std::int64_t i = first; i < last; ++i)
                      fill(x + i * channel, channel, bias ? bias[i % channels] : T(0));
                  });
  const Scratch factors(channels * sizes.rows * taps * std::int64_t{sizeof(T)});
  for (std::int64_t z = 0; z < classes[0]; ++z)
    for (std::int64_t y = 0; y < classes[1]; ++y)
      for (std::int64_t w = 0; w < classes[2]; ++w) {
        interruption_point();
        gather_class<T>(of, sizes, factors.as<T>(), {z, y, w});
      }
}

}  // namespace

template <>
void kernel(const Convolve& of, Stream) {
  if (is_depthwise(of)) return convolve_depthwise(of);
  of.x.dtype == DType::float32 ? convolve<float>(of) : convolve<double>(of);
}
template <>
void kernel(const ConvolutionInputGradient& of, Stream) {
  if (is_depthwise(of)) return depthwise_input_gradient(of);
  of.x.dtype == DType::float32 ? gradient_of_input<float>(of) : gradient_of_input<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
