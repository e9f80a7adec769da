// Convolutions as products of matrices: what the taps meet is copied, moved, into a matrix with a
// row for each channel and tap, a piece of bounded size at a time, and multiplied while it is in
// the second cache. How work is cut depends on sizes alone, and so do the bits.
#include <cstring>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t block_rows = 1024, piece_elements = 1 << 16, column_unit = 32;

/// Some places of some samples: part of one, or several whole.
struct Piece {
  std::int64_t sample, samples, first, last;

  std::int64_t places() const { return last - first; }
  std::int64_t columns() const { return samples * places(); }
};

/// All places of all samples in pieces, whose columns are few enough for `rows` of them.
class Cut {
 public:
  Cut(std::int64_t samples, std::int64_t places, std::int64_t rows)
      : samples_(samples), places_(places) {
    const std::int64_t most = larger(piece_elements / smaller(rows + 1, block_rows), column_unit) /
                              column_unit * column_unit;
    const std::int64_t parts = larger(divided_up(places, most), 1);
    places_each_ = larger(divided_up(places, parts), 1);
    if (parts > 1) places_each_ = divided_up(places_each_, column_unit) * column_unit;
    parts_ = divided_up(places, places_each_);
    samples_each_ = larger(smaller(most / places_each_, samples), 1);
  }

  std::int64_t count() const { return divided_up(samples_, samples_each_) * parts_; }
  std::int64_t most_columns() const { return samples_each_ * places_each_; }
  Piece operator[](std::int64_t i) const {
    const std::int64_t sample = i / parts_ * samples_each_, first = i % parts_ * places_each_;
    return {sample, smaller(samples_each_, samples_ - sample), first,
            smaller(first + places_each_, places_)};
  }

 private:
  std::int64_t samples_, places_, samples_each_, places_each_, parts_;
};

/// The matrix of what taps meet: row c * taps + j has, at place i, element i * step + start +
/// j * tap_step of channel c, or 0 outside of it.
template <class T>
struct Moved {
  const T* data;  // of the first channel
  std::int64_t sample_stride, length;
  std::int64_t taps = 1, step = 1, start = 0, tap_step = 0;

  /// Rows [first, last), with a column for each place of the piece.
  void copy(T* to, std::int64_t first, std::int64_t last, const Piece& piece) const {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t offset = start + row % taps * tap_step;
      const std::int64_t end = inside(divided_up(length - offset, step), piece.first, piece.last);
      const std::int64_t begin = inside(divided_up(-offset, step), piece.first, end);
      for (std::int64_t i = 0; i < piece.samples; ++i, to += piece.places()) {
        const T* const from = data + (piece.sample + i) * sample_stride + row / taps * length;
        fill(to, begin - piece.first, T(0));
        copy_inside(to + (begin - piece.first), from, begin, end, offset);
        fill(to + (end - piece.first), piece.last - end, T(0));
      }
    }
  }

  static void fill(T* to, std::int64_t count, T value) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = value;
  }

 private:
  static std::int64_t inside(std::int64_t x, std::int64_t low, std::int64_t high) {
    return larger(smaller(x, high), low);
  }
  void copy_inside(T* to, const T* from, std::int64_t begin, std::int64_t end,
                   std::int64_t offset) const {
    if (begin >= end) return;
    if (step == 1) {
      std::memcpy(to, from + (begin + offset), static_cast<std::size_t>(end - begin) * sizeof(T));
      return;
    }
    from += begin * step + offset;
    for (std::int64_t i = 0; i < end - begin; ++i) to[i] = from[i * step];
  }
};

template <class T>
constexpr DType dtype_of = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;

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

/// What `rows` of a product, `depth` of them moved rows, take.
template <class T>
double cost_ns(std::int64_t rows, std::int64_t depth, std::int64_t samples, std::int64_t places) {
  const double copied = static_cast<double>(samples * places) * static_cast<double>(depth + 1);
  return copied * (0.1 + static_cast<double>(rows) * 0.005 * sizeof(T));
}

/// factors @ moved for each group, to places i * step + start of the rows of `out`.
template <class T>
struct Gathering {
  std::int64_t groups, rows, channels;  // of a group each
  const T* factors;                     // [groups, rows, channels * taps]
  Moved<T> moved;                       // of the first group
  std::int64_t samples, first, places;  // places [first, first + places) of each sample
  T* out;
  std::int64_t sample_stride, length;  // of out
  std::int64_t step = 1, start = 0;
  const T* bias = nullptr;

  void run() const {
    const std::int64_t depth = channels * moved.taps, most_depth = smaller(depth, block_rows);
    const Cut cut(samples, places, larger(depth, rows));
    const std::int64_t row_blocks = divided_up(rows, block_rows), pieces = cut.count();
    for_each_part(groups * row_blocks * pieces, 1,
                  cost_ns<T>(groups * rows, depth, samples, places),
                  [&](std::int64_t begin, std::int64_t end) {
                    const Scratch copies(most_depth * cut.most_columns() * item);
                    const Scratch results(smaller(rows, block_rows) * cut.most_columns() * item);
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t block = i / pieces;
                      Piece piece = cut[i % pieces];
                      piece.first += first;
                      piece.last += first;
                      run_piece(block / row_blocks, block % row_blocks * block_rows, piece,
                                copies.as<T>(), results.as<T>());
                    }
                  });
  }

 private:
  static constexpr auto item = static_cast<std::int64_t>(sizeof(T));

  void run_piece(std::int64_t group, std::int64_t first_row, const Piece& piece, T* copies,
                 T* results) const {
    const std::int64_t depth = channels * moved.taps, row = group * rows + first_row;
    const std::int64_t count = smaller(rows - first_row, block_rows), columns = piece.columns();
    const bool is_direct = step == 1 && piece.samples == 1;
    T* const target = out + piece.sample * sample_stride + row * length;
    T* const to = is_direct ? target + (start + piece.first) : results;
    const std::int64_t stride = is_direct ? length : columns;
    if (bias || depth == 0)
      for (std::int64_t i = 0; i < count; ++i)
        Moved<T>::fill(to + i * stride, columns, bias ? bias[row + i] : T(0));
    Moved<T> source = moved;
    source.data += group * channels * moved.length;
    for (std::int64_t k = 0; k < depth; k += block_rows) {
      if (k > 0) interruption_point();
      const std::int64_t last = smaller(k + block_rows, depth);
      source.copy(copies, k, last, piece);
      multiply(dtype_of<T>, matrix(to, count, columns, stride),
               matrix(factors + row * depth + k, count, last - k, depth),
               matrix(copies, last - k, columns, columns), bias || k > 0);
    }
    if (is_direct) return;
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t s = 0; s < piece.samples; ++s) {
        T* const at = target + s * sample_stride + i * length;
        for (std::int64_t p = piece.first; p < piece.last; ++p) at[start + p * step] = *results++;
      }
  }
};

/// The sizes of a convolution, of one group where it says so.
struct Sizes {
  std::int64_t samples, length, places, taps, groups, rows, channels;

  explicit Sizes(const Convolution& of)
      : samples(of.x.sizes.data()[0]),
        length(of.x.sizes.data()[2]),
        places(of.out.sizes.data()[2]),
        taps(of.weight.sizes.data()[2]),
        groups(of.groups),
        rows(of.weight.sizes.data()[0] / of.groups),
        channels(of.weight.sizes.data()[1]) {}

  std::int64_t input_stride() const { return groups * channels * length; }
  std::int64_t out_stride() const { return groups * rows * places; }
};

template <class T>
Moved<T> moved_input(const Convolution& of, const Sizes& sizes) {
  return {of.x.as<T>(), sizes.input_stride(), sizes.length, sizes.taps,
          of.stride,    -of.padding,          of.dilation};
}

template <class T>
void convolve(const Conv1d& of) {
  const Sizes sizes(of);
  Gathering<T>{.groups = sizes.groups,
               .rows = sizes.rows,
               .channels = sizes.channels,
               .factors = of.weight.as<T>(),
               .moved = moved_input<T>(of, sizes),
               .samples = sizes.samples,
               .first = 0,
               .places = sizes.places,
               .out = of.out.as<T>(),
               .sample_stride = sizes.out_stride(),
               .length = sizes.places,
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

/// The taps from `first` on by `step`, with rows and channels swapped in each group.
template <class T>
void swap_weight(T* to, const T* weight, const Sizes& sizes, std::int64_t first, std::int64_t step,
                 std::int64_t taps) {
  const std::int64_t elements = sizes.rows * taps;
  for_each_part(sizes.groups * sizes.channels, (1 << 16) / (elements + 1) + 1,
                static_cast<double>(sizes.groups * sizes.channels * elements),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t group = i / sizes.channels, channel = i % sizes.channels;
                    const std::int64_t depth = sizes.channels * sizes.taps;
                    const T* from = weight + group * sizes.rows * depth + channel * sizes.taps;
                    T* at = to + i * elements;
                    for (std::int64_t row = 0; row < sizes.rows; ++row, from += depth)
                      for (std::int64_t j = 0; j < taps; ++j) *at++ = from[first + j * step];
                  }
                });
}

/// Element l of x meets tap k at place (l + padding - k dilation) / stride where that is whole. So
/// taps fall into classes that meet the same elements, every stride-th, and for each class the
/// gradient is a convolution of stride 1.
template <class T>
void gradient_of_input(const Conv1dInputGradient& of) {
  const Sizes sizes(of);
  T* const x = of.x.as<T>();
  if (of.stride > 1)
    for_each_part(of.x.count, 1 << 16, static_cast<double>(of.x.count) * 0.2,
                  [&](std::int64_t first, std::int64_t last) {
                    Moved<T>::fill(x + first, last - first, T(0));
                  });
  const std::int64_t divisor = common_divisor(of.dilation, of.stride);
  const std::int64_t classes = of.stride / divisor;
  const Scratch factors(sizes.groups * sizes.channels * sizes.rows *
                        divided_up(sizes.taps, classes) * std::int64_t{sizeof(T)});
  for (std::int64_t k = 0; k < smaller(classes, sizes.taps); ++k) {
    if (k > 0) interruption_point();
    const std::int64_t taps = divided_up(sizes.taps - k, classes);
    const std::int64_t rest = k * of.dilation % of.stride;
    const std::int64_t first = larger(divided_up(of.padding - rest, of.stride), 0);
    const std::int64_t last = divided_up(sizes.length + of.padding - rest, of.stride);
    if (last <= first) continue;
    swap_weight(factors.as<T>(), of.weight.as<T>(), sizes, k, classes, taps);
    Gathering<T>{.groups = sizes.groups,
                 .rows = sizes.channels,
                 .channels = sizes.rows,
                 .factors = factors.as<T>(),
                 .moved = {of.out.as<T>(), sizes.out_stride(), sizes.places, taps, 1,
                           -(k * of.dilation / of.stride), -(of.dilation / divisor)},
                 .samples = sizes.samples,
                 .first = first,
                 .places = last - first,
                 .out = x,
                 .sample_stride = sizes.input_stride(),
                 .length = sizes.length,
                 .step = of.stride,
                 .start = rest - of.padding}
        .run();
  }
}

/// The sum over all places of out's gradient times what the taps met there. Pieces are added up in
/// several parts, which are added in order.
template <class T>
void gradient_of_weight(const Conv1dWeightGradient& of) {
  constexpr std::int64_t most_parts = tuning::convolution_parts, most_elements = 1 << 23;
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const Sizes sizes(of);
  const std::int64_t depth = sizes.channels * sizes.taps, rows = sizes.rows;
  const std::int64_t most_depth = smaller(depth, block_rows), most_rows = smaller(rows, block_rows);
  const std::int64_t depth_blocks = divided_up(depth, block_rows);
  const std::int64_t blocks = sizes.groups * divided_up(rows, block_rows) * depth_blocks;
  const Cut cut(sizes.samples, sizes.places, larger(depth, rows));
  const std::int64_t pieces = cut.count();
  const std::int64_t wanted = smaller(most_parts / blocks, most_elements / of.weight.count);
  const std::int64_t parts = larger(smaller(wanted, pieces), 1);
  const Scratch sums(parts > 1 ? parts * of.weight.count * item : 0);
  T* const total = parts > 1 ? sums.as<T>() : of.weight.as<T>();

  const auto add_part = [&](std::int64_t part, std::int64_t block, T* copies, T* factors) {
    const std::int64_t k = block % depth_blocks * block_rows,
                       count = smaller(depth - k, block_rows);
    block /= depth_blocks;
    const std::int64_t group = block % sizes.groups, first_row = block / sizes.groups * block_rows;
    const std::int64_t some_rows = smaller(rows - first_row, block_rows);
    const std::int64_t row = group * rows + first_row;
    Moved<T> moved = moved_input<T>(of, sizes);
    moved.data += group * sizes.channels * sizes.length;
    const Moved<T> gradient{of.out.as<T>() + row * sizes.places, sizes.out_stride(), sizes.places};
    T* const target = total + part * of.weight.count + row * depth + k;
    const std::int64_t first = pieces * part / parts, last = pieces * (part + 1) / parts;
    if (first == last)
      for (std::int64_t i = 0; i < some_rows; ++i) Moved<T>::fill(target + i * depth, count, T(0));
    for (std::int64_t i = first; i < last; ++i) {
      interruption_point();
      const Piece piece = cut[i];
      const std::int64_t columns = piece.columns();
      moved.copy(copies, k, k + count, piece);
      const bool is_direct = piece.samples == 1;
      if (!is_direct) gradient.copy(factors, 0, some_rows, piece);
      const T* const left =
          is_direct ? gradient.data + piece.sample * gradient.sample_stride + piece.first : factors;
      multiply(dtype_of<T>, matrix(target, some_rows, count, depth),
               matrix(left, some_rows, columns, is_direct ? sizes.places : columns),
               matrix(copies, columns, count, 1, columns), i > first);
    }
  };
  for_each_part(parts * blocks, 1,
                cost_ns<T>(sizes.groups * rows, depth, sizes.samples, sizes.places),
                [&](std::int64_t begin, std::int64_t end) {
                  const Scratch copies(most_depth * cut.most_columns() * item);
                  const Scratch factors(most_rows * cut.most_columns() * item);
                  for (std::int64_t i = begin; i < end; ++i)
                    add_part(i / blocks, i % blocks, copies.as<T>(), factors.as<T>());
                });
  if (parts == 1) return;
  for_each_part(of.weight.count, 1 << 12, static_cast<double>(of.weight.count * parts) * 0.2,
                [&](std::int64_t begin, std::int64_t end) {
                  T* const to = of.weight.as<T>();
                  for (std::int64_t i = begin; i < end; ++i) to[i] = total[i];
                  for (std::int64_t part = 1; part < parts; ++part)
                    for (std::int64_t i = begin; i < end; ++i)
                      to[i] += total[part * of.weight.count + i];
                });
}

}  // namespace

template <>
void kernel(const Conv1d& of, Stream) {
  of.x.dtype == DType::float32 ? convolve<float>(of) : convolve<double>(of);
}
template <>
void kernel(const Conv1dInputGradient& of, Stream) {
  of.x.dtype == DType::float32 ? gradient_of_input<float>(of) : gradient_of_input<double>(of);
}
template <>
void kernel(const Conv1dWeightGradient& of, Stream) {
  of.x.dtype == DType::float32 ? gradient_of_weight<float>(of) : gradient_of_weight<double>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
