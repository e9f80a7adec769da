// The gradient for a convolution's weight: the sum over all places of out's gradient times what the
// taps met there. Boxes of places are added up in several parts, which are added in order, so that
// the bits do not depend on threads.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/cpu/convolution/amx/amx_weight_gradient.h"
#include "kernels/cpu/convolution/by_product.h"
#include "kernels/cpu/convolution/depthwise.h"
#include "kernels/cpu/convolution/direct_tile.h"
#include "kernels/cpu/convolution/half_operands.h"
#include "kernels/cpu/convolution/weight_tile.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/taps/planes.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// A box's gradients of two vectors of out channels stay in the first cache, its copies in the
// second.
constexpr std::int64_t most_places = 512, most_copied = 1 << 16, most_rows = 256;
constexpr std::int64_t most_parts = tuning::convolution_parts, most_sums = 1 << 21;

template <class T>
class WeightGradient {
 public:
  explicit WeightGradient(const ConvolutionWeightGradient& of, bool of_pairs = false)
      : of_(of),
        of_pairs_(of_pairs),
        sizes_(of),
        moved_(moved_input<T>(of, sizes_)),
        axes_{{moved_, 0, Reading::elements},
              {moved_, 1, Reading::elements},
              {moved_, 2, Reading::elements}},
        cut_(axes_, sizes_.samples, moved_.places, {most_copied / 8, most_places}, 8),
        planes_(moved_, axes_, cut_) {
    const std::int64_t taps = product(moved_.taps);
    const bool has_lines = moved_.taps[2] <= most_line_taps &&
                           (moved_.taps[2] == 1 || planes_.tap(1) == planes_.tap(0) + 1);
    line_taps_ = has_lines ? moved_.taps[2] : 1;
    for (std::int64_t k = 0; k < taps; k += line_taps_) lines_.push_back(planes_.tap(k));
    const std::int64_t channel = planes_.channel();
    channels_ = larger(smaller(most_copied / channel, sizes_.channels), 1);
    blocks_ = divided_up(sizes_.channels, channels_);
    channels_ = divided_up(sizes_.channels, blocks_);
  }

  void run() const {
    const std::int64_t sums_of_all = sizes_.groups * sizes_.depth() * row_;
    const std::int64_t blocks = sizes_.groups * blocks_;
    const std::int64_t wanted = smaller(most_parts / blocks, most_sums / sums_of_all);
    const std::int64_t parts = larger(smaller(wanted, cut_.count() / 2), 1);
    const Scratch sums(parts * sums_of_all * item);
    for_each_part(parts * blocks, 1,
                  cost_ns<T>(sizes_.groups * sizes_.rows, sizes_.depth(), sizes_.samples,
                             product(sizes_.places)),
                  [&](std::int64_t begin, std::int64_t end) {
                    const std::int64_t copied = channels_ * planes_.channel();
                    const std::int64_t met = cut_.samples_each() * product(cut_.full());
                    const Scratch copies((copied + Planes<T>::slack) * item);
                    const Scratch grads(smaller(row_, most_rows) * met * item);
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t part = i / blocks, block = i % blocks;
                      add_part({.group = block / blocks_,
                                .first_channel = block % blocks_ * channels_,
                                .first_box = cut_.count() * part / parts,
                                .last_box = cut_.count() * (part + 1) / parts,
                                .copies = copies.as<T>(),
                                .grads = grads.as<T>(),
                                .sums = sums.as<T>() + part * sums_of_all});
                    }
                  });
    add_up(sums.as<T>(), parts, sums_of_all);
  }

 private:
  static constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t lanes = WideVector<T>::lanes;

  /// Some channels of a group over the boxes of a part.
  struct Part {
    std::int64_t group, first_channel, first_box, last_box;
    T *copies, *grads;
    T* sums;  // [groups, channels * taps, row_]
  };

  void add_part(const Part& part) const {
    const std::int64_t some = smaller(channels_, sizes_.channels - part.first_channel);
    if (part.first_box == part.last_box) {  // there are no samples
      const std::int64_t taps = product(sizes_.taps);
      fill(part.sums + (part.group * sizes_.channels + part.first_channel) * taps * row_,
           some * taps * row_, T(0));
    }
    std::vector<RunOfPlaces> runs;
    for (std::int64_t i = part.first_box; i < part.last_box; ++i) {
      interruption_point();
      const Box box = cut_[i];
      const T* const from =
          moved_.data + box.sample * moved_.sample_stride +
          (part.group * sizes_.channels + part.first_channel) * moved_.channel_stride();
      for (std::int64_t c = 0; c < some; ++c)
        planes_.copy(part.copies + c * planes_.channel(), from + c * moved_.channel_stride(), box);
      find_runs(runs, box);
      for (std::int64_t row = 0; row < sizes_.rows; row += most_rows)
        add_rows(part, box, runs, row, some, i > part.first_box);
    }
  }

  void find_runs(std::vector<RunOfPlaces>& runs, const Box& box) const {
    runs.clear();
    for (std::int64_t s = 0; s < box.samples; ++s)
      for (std::int64_t z = 0; z < box.count[0]; ++z)
        for (std::int64_t y = 0; y < box.count[1]; ++y)
          runs.push_back({planes_.place(s, z, y, 0),
                          s * box.places() + (z * box.count[1] + y) * box.count[2], box.count[2]});
  }

  /// The rows from `row` on, of a block of them.
  void add_rows(const Part& part, const Box& box, const std::vector<RunOfPlaces>& runs,
                std::int64_t row, std::int64_t channels, bool accumulate) const {
    const std::int64_t rows = smaller(most_rows, sizes_.rows - row);
    const std::int64_t places = box.places(), met = box.samples * places;
    const std::int64_t channel = product(sizes_.places);
    const std::int64_t first =
        (box.first[0] * moved_.places[1] + box.first[1]) * moved_.places[2] + box.first[2];
    for (std::int64_t r = 0; r < rows; r += lanes)
      for (std::int64_t s = 0; s < box.samples; ++s)
        pack_lines(part.grads + r * met + s * places * lanes, lanes,
                   of_.out.as<T>() + (box.sample + s) * sizes_.out_stride() +
                       (part.group * sizes_.rows + row + r) * channel + first,
                   channel, smaller(rows - r, lanes), places);
    const auto lines_a_channel = static_cast<std::int64_t>(lines_.size());
    const std::int64_t lines = channels * lines_a_channel;
    const std::int64_t high = tile_lines(static_cast<int>(line_taps_));
    WeightTile<T> tile{};
    tile.step = planes_.place(0, 0, 0, 1);
    tile.first = runs.data();
    tile.last = runs.data() + runs.size();
    tile.sums_row = row_;
    tile.accumulate = accumulate;
    T* const sums =
        part.sums +
        (part.group * sizes_.channels + part.first_channel) * product(sizes_.taps) * row_ + row;
    const std::int64_t wide = tile_vectors(static_cast<int>(line_taps_));
    for (std::int64_t r = 0; r < rows; r += wide * lanes) {
      const std::int64_t vectors = smaller(divided_up(rows - r, lanes), wide);
      for (std::int64_t v = 0; v < vectors; ++v) tile.grads[v] = part.grads + (r + v * lanes) * met;
      for (std::int64_t l = 0; l < lines; l += high) {
        for (std::int64_t i = 0; i < high; ++i) {
          const std::int64_t line = smaller(l + i, lines - 1);  // what is too much is not kept
          tile.met[i] = part.copies + line / lines_a_channel * planes_.channel() +
                        lines_[static_cast<std::size_t>(line % lines_a_channel)];
        }
        tile.lines = smaller(lines - l, high);
        tile.sums = sums + l * line_taps_ * row_ + r;
        tile_of(vectors)(tile);
      }
    }
  }

  auto tile_of(std::int64_t vectors) const {
    if constexpr (holds_pairs<T>)
      if (of_pairs_) return weight_tiles<T, true>.of[line_taps_ - 1][vectors - 1];
    return weight_tiles<T, false>.of[line_taps_ - 1][vectors - 1];
  }

  /// The parts in order, and turned around.
  void add_up(const T* sums, std::int64_t parts, std::int64_t all) const {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr std::int64_t side = 32;
    const std::int64_t depth = sizes_.depth(), strips = divided_up(depth, side);
    for_each_part(sizes_.groups * strips, 1, static_cast<double>(all * (parts + 4)) * 0.2,
                  [&](std::int64_t begin, std::int64_t end) {
                    T total[side * side];
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t group = i / strips, k = i % strips * side;
                      const std::int64_t high = smaller(side, depth - k);
                      for (std::int64_t row = 0; row < sizes_.rows; row += side) {
                        const std::int64_t wide = smaller(side, sizes_.rows - row);
                        const T* from = sums + (group * depth + k) * row_ + row;
                        std::int64_t step = row_;
                        if (parts > 1) {
                          for (std::int64_t a = 0; a < high; ++a)
                            add_parts(total + a * side, from + a * row_, parts, all, wide);
                          from = total;
                          step = side;
                        }
                        T* const to = of_.weight.as<T>() + (group * sizes_.rows + row) * depth + k;
                        transpose(reinterpret_cast<Bits*>(to), depth,
                                  reinterpret_cast<const Bits*>(from), step, high, wide);
                      }
                    }
                  });
  }
  static void add_parts(T* total, const T* from, std::int64_t parts, std::int64_t all,
                        std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) total[i] = from[i];
    for (std::int64_t part = 1; part < parts; ++part)
      for (std::int64_t i = 0; i < count; ++i) total[i] += from[part * all + i];
  }

  const ConvolutionWeightGradient& of_;
  bool of_pairs_;
  Sizes sizes_;
  Moved<T> moved_;
  Axis axes_[space_dims];
  Cut cut_;
  Planes<T> planes_;
  std::int64_t line_taps_;
  std::vector<std::int64_t> lines_;  // of a channel
  std::int64_t channels_, blocks_;   // of a block; blocks of a group
  /// Of a sum: its rows side by side, to whole vectors.
  std::int64_t row_ = divided_up(sizes_.rows, lanes) * lanes;
};

void run(const ConvolutionWeightGradient& of) {
  if (is_depthwise(of)) return depthwise_weight_gradient(of);
  if (suits_product(of)) return weight_gradient_by_product(of);
  of.x.dtype == DType::float32 ? WeightGradient<float>(of).run() : WeightGradient<double>(of).run();
}

/// Pairs are of samples.
void run_in_halves(const ConvolutionWeightGradient& of) {
  if (!is_depthwise(of) && AmxWeightGradient::suits(of)) return AmxWeightGradient(of).run();
  const Sizes sizes(of);
  HalfOperands<ConvolutionWeightGradient> operands(of, &Convolution::weight);
  const std::int64_t columns = sizes.samples * product(sizes.places);
  if (sizes.samples > 1 && !is_depthwise(of) &&
      goes_by_pairs(of, sizes.rows, sizes.depth(), columns)) {
    operands.pair(&Convolution::x, 0, 1);
    operands.pair(&Convolution::out, 0, 1);
    WeightGradient<float>(operands.floats, true).run();
  } else {
    operands.widen(&Convolution::x);
    operands.widen(&Convolution::out);
    run(operands.floats);
  }
  operands.round();
}

}  // namespace

template <>
void kernel(const ConvolutionWeightGradient& of, Stream) {
  is_of_halves(of) ? run_in_halves(of) : run(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
