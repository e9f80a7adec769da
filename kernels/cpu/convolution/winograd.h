// 3 x 3 taps that move by one place, by Winograd's F(2 x 2, 3 x 3): four places of a patch of 4 x 4
// elements take 16 products instead of 36. docs/design/0052 says what that costs.
// (A. Lavin, S. Gray: Fast Algorithms for Convolutional Neural Networks, 2015.)
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "csrc/core/machine.h"
#include "kernels/cpu/convolution/gathering.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Work goes by blocks of patches, which are brought to their components (B' d B), multiplied by
/// those of the factors (G g G'), one component after the other, and brought back (A' m A).
class Winograd {
 public:
  /// Whether it is the faster one; about sizes alone.
  static bool suits(const Gathering<float>& of) {
    const Moved<float>& moved = of.moved;
    const auto is_plain = [&](int d) {
      return moved.taps[d] == 3 && moved.step[d] == 1 && std::abs(moved.tap_step[d]) == 1;
    };
    if (of.of_pairs || !is_plain(1) || !is_plain(2) || moved.tap_step[1] != moved.tap_step[2])
      return false;
    if (moved.sizes[0] != 1 || moved.places[0] != 1 || moved.taps[0] != 1 || moved.start[0] != 0)
      return false;
    return of.target.is_dense(of.places) && is_worth(of);
  }

  explicit Winograd(const Gathering<float>& of)
      : of_(of),
        high_(divided_up(of.moved.places[1], 2)),
        wide_(divided_up(of.moved.places[2], 2)),
        strips_(divided_up(of.rows, most_tile_rows)),
        patches_(of.samples * high_ * wide_),
        most_(most_patches()),
        blocks_(divided_up(patches_, most_)) {
    const bool is_turned = of.moved.tap_step[2] < 0;
    for (std::int64_t c = 0; c < of.channels; ++c) offsets_.push_back(c * pitch());
    for (int d = 0; d < 2; ++d) start_[d] = of.moved.start[d + 1] - (is_turned ? 2 : 0);
  }

  /// False, with nothing of use in the target, where a number is so large that sums or products of
  /// such may not be finite, or is not itself: it would reach places whose taps do not meet it.
  bool run() const {
    const Scratch factors(of_.groups * components * factors_each() * item);
    if (!transform_factors(factors.as<float>())) return false;
    std::atomic<bool> are_moderate{true};
    for_each_part(of_.groups * blocks_, 1, cost(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t patches = components * patches_each(), sums = components * sums_each();
      const Scratch room((patches + sums + lines_room()) * item);
      Work work{.patches = room.as<float>(),
                .sums = room.as<float>() + patches,
                .lines = room.as<float>() + patches + sums};
      for (std::int64_t i = begin; i < end && are_moderate.load(std::memory_order_relaxed); ++i) {
        interruption_point();
        work.group = i / blocks_;
        find(work, i % blocks_);
        if (!transform_patches(work)) {
          are_moderate.store(false, std::memory_order_relaxed);
          continue;
        }
        multiply(factors.as<float>() + work.group * components * factors_each(), work);
        transform_sums(work);
      }
    });
    return are_moderate.load(std::memory_order_relaxed);
  }

 private:
  using V = WideVector<float>;
  using Vector = V::Type;
  static constexpr std::int64_t lanes = V::lanes, item = sizeof(float);
  static constexpr std::int64_t components = 16, of_line = 4;  // of a patch, of one of its lines
  static constexpr std::int64_t unit = 64 / item;              // a line of the cache
  static constexpr std::int64_t pair = 2 * lanes;              // patches of a tile

  /// Those patches of a work that lie in one row.
  struct Part {
    std::int64_t at, count;  // from the work's first patch on
    std::int64_t sample, y, x;
    bool follows;  // has two of its lines from the part before
  };
  /// Patches that follow each other: some rows of them, or parts of rows, of all samples.
  struct Work {
    std::int64_t group = 0, count = 0;
    std::vector<Part> parts = {};
    float *patches = nullptr, *sums = nullptr, *lines = nullptr;
  };

  /// Tells of numbers from 2^40 on, of which no sum of products is infinite.
  class Moderation {
   public:
    void look_at(const Vector& x) { are_not_ |= !(wide_abs(x) < 0x1p40f); }
    bool holds() const {
      std::int32_t any = 0;
      for (int i = 0; i < int{lanes}; ++i) any |= are_not_[i];
      return any == 0;
    }

   private:
    typedef std::int32_t Mask __attribute__((vector_size(vector_bytes)));

    static Vector wide_abs(const Vector& x) { return (Vector)((Mask)x & 0x7fffffff); }

    Mask are_not_ = {};
  };

  std::int64_t most_patches() const {
    const std::int64_t a_patch = components * (of_.channels + of_.rows) * item;
    const std::int64_t most = machine().second_cache_bytes / a_patch / pair * pair;
    return larger(smaller(most, divided_up(patches_, 8 * pair) * pair), pair);
  }
  std::int64_t pitch() const { return divided_up(most_, pair) * pair; }
  // Each component lies an odd number of lines behind the one before, in other sets of the cache.
  std::int64_t patches_each() const { return of_.channels * pitch() + unit; }
  std::int64_t sums_each() const { return of_.rows * pitch() + unit; }
  std::int64_t factors_each() const { return strips_ * of_.channels * strip_line + unit; }
  std::int64_t line_pitch() const { return divided_up(wide_ + lanes, unit) * unit; }
  /// Four lines, transformed, and one as it was.
  std::int64_t lines_room() const { return (of_line * of_line + 2) * line_pitch() + 2 * pair; }
  std::int64_t first_row(std::int64_t strip) const { return strip * of_.rows / strips_; }
  double cost() const {
    return cost_ns<float>(of_.groups * of_.rows, of_.channels * 9, of_.samples,
                          product(of_.moved.places)) /
           2;
  }

  void find(Work& work, std::int64_t block) const {
    const std::int64_t first = block * most_;
    work.count = smaller(patches_ - first, most_);
    work.parts.clear();
    for (std::int64_t i = 0; i < work.count;) {
      const std::int64_t x = (first + i) % wide_, row = (first + i) / wide_;
      const std::int64_t some = smaller(wide_ - x, work.count - i), y = row % high_;
      const bool follows = y > 0 && !work.parts.empty() && work.parts.back().x == x &&
                           work.parts.back().count >= some;
      work.parts.push_back({i, some, row / high_, y, x, follows});
      i += some;
    }
  }

  /// By multiplications, and what else takes as long as some of them.
  static bool is_worth(const Gathering<float>& of) {
    const std::int64_t high = divided_up(of.moved.places[1], 2),
                       wide = divided_up(of.moved.places[2], 2);
    const auto samples = static_cast<double>(of.samples), rows = static_cast<double>(of.rows),
               channels = static_cast<double>(of.channels);
    const auto patches = static_cast<double>(high * wide),
               in_lanes = static_cast<double>(high * divided_up(wide, lanes) * lanes),
               places = static_cast<double>(product(of.moved.places));
    const double here =
        samples * (patches * components * rows * channels +
                   in_lanes * (channels * tuning::patch_element + rows * tuning::patch_sum)) +
        rows * channels *
            (of.factors.is_dense() ? tuning::patch_factors : tuning::patch_turned_factors);
    return here < tuning::worth_patches * samples * places * 9 * rows * channels * of.met_part();
  }

  bool transform_factors(float* to) const {
    std::atomic<bool> are_moderate{true};
    const std::int64_t all = of_.groups * strips_, channels = of_.channels;
    const bool is_turned = of_.moved.tap_step[2] < 0;
    for_each_part(all, 1, static_cast<double>(of_.groups * of_.rows * channels) * 9,
                  [&](std::int64_t begin, std::int64_t end) {
                    const Scratch packed(channels * 9 * strip_line * item);
                    Moderation moderation;
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t s = i % strips_, row = first_row(s);
                      of_.factors.pack(packed.as<float>(), i / strips_, row, first_row(s + 1) - row,
                                       channels);
                      float* const strip = to + i / strips_ * components * factors_each() +
                                           s * channels * strip_line;
                      for (std::int64_t c = 0; c < channels; ++c)
                        for (std::int64_t v = 0; v < strip_line; v += lanes)
                          transform_taps(strip + c * strip_line + v,
                                         packed.as<float>() + c * 9 * strip_line + v, is_turned,
                                         moderation);
                    }
                    if (!moderation.holds()) are_moderate.store(false, std::memory_order_relaxed);
                  });
    return are_moderate.load(std::memory_order_relaxed);
  }
  /// Of a channel, for a vector of rows.
  void transform_taps(float* to, const float* taps, bool is_turned, Moderation& moderation) const {
    Vector tap[3][3], columns[of_line][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int k = 3 * i + j;
        tap[i][j] = V::load(taps + (is_turned ? 8 - k : k) * strip_line);
        moderation.look_at(tap[i][j]);
      }
    for (int j = 0; j < 3; ++j) {
      const Vector outer = (tap[0][j] + tap[2][j]) * 0.5f, inner = tap[1][j] * 0.5f;
      columns[0][j] = tap[0][j];
      columns[1][j] = outer + inner;
      columns[2][j] = outer - inner;
      columns[3][j] = tap[2][j];
    }
    for (int i = 0; i < of_line; ++i, to += of_line * factors_each()) {
      const Vector outer = (columns[i][0] + columns[i][2]) * 0.5f, inner = columns[i][1] * 0.5f;
      V::store(to, columns[i][0]);
      V::store(to + factors_each(), outer + inner);
      V::store(to + 2 * factors_each(), outer - inner);
      V::store(to + 3 * factors_each(), columns[i][2]);
    }
  }

  bool transform_patches(const Work& work) const {
    Moderation moderation;
    const Moved<float>& moved = of_.moved;
    for (std::int64_t c = 0; c < of_.channels; ++c) {
      const float* const channel =
          moved.data + (work.group * of_.channels + c) * moved.channel_stride();
      for (const Part& part : work.parts) {
        const float* const sample = channel + part.sample * moved.sample_stride;
        for (std::int64_t k = part.follows ? 2 : 0; k < of_line; ++k)
          transform_line(line_of(work, part, k), sample, 2 * part.y + start_[0] + k, part, work,
                         moderation);
        transform_columns(work.patches + c * pitch() + part.at, work, part);
      }
    }
    return moderation.holds();
  }
  float* line_of(const Work& work, const Part& part, std::int64_t k) const {
    return work.lines + (2 * part.y + k) % of_line * of_line * line_pitch();
  }
  void transform_line(float* to, const float* sample, std::int64_t y, const Part& part,
                      const Work& work, Moderation& moderation) const {
    const std::int64_t width = of_.moved.sizes[2], next = line_pitch();
    if (y < 0 || y >= of_.moved.sizes[1]) {
      for (std::int64_t j = 0; j < of_line; ++j) fill(to + j * next, part.count, 0.0f);
      return;
    }
    float* const line = work.lines + of_line * of_line * next;
    const std::int64_t first = 2 * part.x + start_[1], count = 2 * part.count + 2;
    const std::int64_t left = smaller(larger(-first, 0), count);
    const std::int64_t inside = larger(smaller(width - first, count), left);
    fill(line, left, 0.0f);
    copy_near(line + left, sample + y * width + first + left, inside - left);
    fill(line + inside, divided_up(part.count, lanes) * pair + 2 - inside, 0.0f);
    for (std::int64_t i = 0; i < part.count; i += lanes) {
      const auto [d0, d1] = apart(line + 2 * i);
      const auto [d2, d3] = apart(line + 2 * i + 2);
      moderation.look_at(d0);
      moderation.look_at(d1);
      V::store(to + i, d0 - d2);
      V::store(to + next + i, d1 + d2);
      V::store(to + 2 * next + i, d2 - d1);
      V::store(to + 3 * next + i, d1 - d3);
    }
  }
  /// Without a call.
  static void copy_near(float* to, const float* from, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) V::store(to + i, V::load(from + i));
    if (i == count) return;
    if (count >= lanes) return V::store(to + count - lanes, V::load(from + count - lanes));
    for (; i < count; ++i) to[i] = from[i];
  }
  void transform_columns(float* to, const Work& work, const Part& part) const {
    const float* const d0 = line_of(work, part, 0);
    const float* const d1 = line_of(work, part, 1);
    const float* const d2 = line_of(work, part, 2);
    const float* const d3 = line_of(work, part, 3);
    const std::int64_t each = patches_each();
    for (std::int64_t j = 0; j < of_line; ++j, to += each)
      for (std::int64_t i = 0; i < part.count; i += lanes) {
        const std::int64_t at = j * line_pitch() + i;
        const Vector x0 = V::load(d0 + at), x1 = V::load(d1 + at), x2 = V::load(d2 + at),
                     x3 = V::load(d3 + at);
        V::store(to + i, x0 - x2);
        V::store(to + of_line * each + i, x1 + x2);
        V::store(to + 2 * of_line * each + i, x2 - x1);
        V::store(to + 3 * of_line * each + i, x1 - x3);
      }
  }

  void multiply(const float* factors, const Work& work) const {
    constexpr auto all = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1);
    DirectTile<float> tile{};
    tile.offsets = offsets_.data();
    tile.depth = of_.channels;
    tile.out_stride = pitch();
    for (std::int64_t k = 0; k < components; ++k) {
      tile.met = work.patches + k * patches_each();
      for (std::int64_t s = 0; s < strips_; ++s) {
        const std::int64_t row = first_row(s), rows = first_row(s + 1) - row;
        tile.factors = factors + k * factors_each() + s * of_.channels * strip_line;
        tile.out = work.sums + k * sums_each() + row * pitch();
        for (std::int64_t i = 0; i < work.count; i += pair) {
          Spot spots[2];
          for (std::int64_t v = 0; v < 2; ++v)
            spots[v] = {.at = i + v * lanes, .to = i + v * lanes, .kept = all};
          direct_tiles<float>.of[rows - 1][work.count - i > lanes](tile, spots);
        }
      }
    }
  }

  void transform_sums(const Work& work) const {
    const std::int64_t each = sums_each();
    const std::int64_t(&places)[space_dims] = of_.moved.places;
    for (std::int64_t row = 0; row < of_.rows; ++row) {
      const std::int64_t channel = work.group * of_.rows + row;
      const float bias = of_.bias ? of_.bias[channel] : 0.0f;
      for (const Part& part : work.parts) {
        const float* const from = work.sums + row * pitch() + part.at;
        float* const to = of_.target.data + part.sample * of_.target.sample_stride +
                          channel * product(places) + 2 * part.y * places[2] + 2 * part.x;
        const bool is_last = 2 * part.y + 1 == places[1];
        for (std::int64_t i = 0; i < part.count; i += lanes) {
          Vector upper[of_line], lower[of_line];
          for (std::int64_t j = 0; j < of_line; ++j) {
            const float* const at = from + j * each + i;
            const Vector x1 = V::load(at + of_line * each), x2 = V::load(at + 2 * of_line * each);
            upper[j] = V::load(at) + x1 + x2;
            lower[j] = x1 - x2 - V::load(at + 3 * of_line * each);
          }
          const std::int64_t left = smaller(2 * (part.count - i), places[2] - 2 * (part.x + i));
          keep_line(to + 2 * i, upper, bias, left);
          if (!is_last) keep_line(to + places[2] + 2 * i, lower, bias, left);
        }
      }
    }
  }
  static void keep_line(float* to, const Vector (&x)[of_line], float bias, std::int64_t count) {
    const Vector y0 = x[0] + x[1] + x[2] + bias, y1 = x[1] - x[2] - x[3] + bias;
    const auto [first, second] = beside(y0, y1, std::make_integer_sequence<int, lanes>{});
    if (count >= pair) {
      V::store(to, first);
      V::store(to + lanes, second);
      return;
    }
    float line[pair];
    V::store(line, first);
    V::store(line + lanes, second);
    copy_dense(to, line, count);
  }

  struct Two {
    Vector first, second;
  };
  /// Every second of two vectors' elements, and those between.
  static Two apart(const float* from) {
    return apart(V::load(from), V::load(from + lanes), std::make_integer_sequence<int, lanes>{});
  }
  template <int... k>
  static Two apart(const Vector& a, const Vector& b, std::integer_sequence<int, k...>) {
    return {__builtin_shufflevector(a, b, (2 * k)...),
            __builtin_shufflevector(a, b, (2 * k + 1)...)};
  }
  /// By turns an element of each.
  template <int... k>
  static Two beside(const Vector& a, const Vector& b, std::integer_sequence<int, k...>) {
    return {__builtin_shufflevector(a, b, (k / 2 + k % 2 * int{lanes})...),
            __builtin_shufflevector(a, b, (int{lanes} / 2 + k / 2 + k % 2 * int{lanes})...)};
  }

  const Gathering<float>& of_;
  std::int64_t high_, wide_, strips_, patches_, most_, blocks_;
  std::int64_t start_[2];              // of the first patch, along both dims
  std::vector<std::int64_t> offsets_;  // of channels, from a component's first
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
