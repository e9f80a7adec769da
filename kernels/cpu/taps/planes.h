// How a channel lies beside the zeros around it, so that what a tap meets at the places of a window
// is found at one distance from each of them: copied once, whatever the number of taps.
#pragma once

#include <cstdint>

#include "kernels/cpu/taps/moved.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// What kernels read along a dim: place after place as a vector, with others between them or only
/// places, or one element at a time.
enum class Reading { vectors, vectors_of_places, elements };

/// One dim of a copy: `combs` of elements that are `step` apart in the channel. Place i meets its
/// tap k in comb `comb(k)`, at i * place_step + shift(k).
struct Axis {
  std::int64_t combs, step, place_step, reach;

  /// Takes the way that copies the least: what taps share, or for each tap what it meets.
  template <class T>
  Axis(const Moved<T>& of, int d, Reading reading)
      : combs(of.taps[d]),
        step(of.step[d]),
        place_step(1),
        reach(0),
        start_(of.start[d]),
        tap_step_(of.tap_step[d]) {
    const std::int64_t gap = tap_step_ < 0 ? -tap_step_ : tap_step_, span = (of.taps[d] - 1) * gap;
    const std::int64_t places = smaller(of.places[d], d == 2 ? 64 : 16);
    const std::int64_t alone = of.taps[d] * places;
    if (reading == Reading::vectors_of_places) return;
    if (reading == Reading::vectors) {
      const std::int64_t different = smaller(of.taps[d], step / common_divisor(step, gap));
      if (different > alone / (places + span / step)) return;
      combs = different;
      reach = span / step;
    } else {
      if (of.taps[d] == 1 || span >= 2 * alone || places - 1 > (2 * alone - span - 1) / step)
        return;
      combs = 1;
      place_step = step;
      step = 1;
      reach = span;
    }
    is_shared_ = true;
    last_ = tap_step_ < 0 ? of.taps[d] - 1 : 0;
  }

  /// How long a comb is that `places` need.
  std::int64_t extent(std::int64_t places) const { return (places - 1) * place_step + 1 + reach; }
  /// Places that a comb of `extent` suffices for; 0 or less: for none.
  std::int64_t places(std::int64_t extent) const {
    return extent <= reach ? 0 : (extent - reach - 1) / place_step + 1;
  }
  std::int64_t comb(std::int64_t k) const { return k % combs; }
  std::int64_t shift(std::int64_t k) const { return is_shared_ ? distance(k) / step : 0; }
  /// The channel's element that the first place finds first in a comb.
  std::int64_t first(std::int64_t comb) const {
    if (!is_shared_) return start_ + comb * tap_step_;
    return start_ + last_ * tap_step_ + distance(comb) % step;
  }

 private:
  /// From the first element that any tap meets to that of tap k.
  std::int64_t distance(std::int64_t k) const { return (k - last_) * tap_step_; }

  std::int64_t start_, tap_step_, last_ = 0;
  bool is_shared_ = false;
};

/// Places of some samples: whole lines, parts of one, or the like of planes; dense as results lie.
struct Box {
  std::int64_t sample, samples, first[space_dims], count[space_dims];

  std::int64_t places() const { return product(count); }
};

/// All places of all samples in boxes. Depends on sizes and limits alone.
class Cut {
 public:
  struct Limits {
    std::int64_t floats, places;  // of a channel's copy, of a box
  };

  /// At least `least_boxes`, if there are as many samples.
  Cut(const Axis (&axes)[space_dims], std::int64_t samples,
      const std::int64_t (&places)[space_dims], const Limits& limits, std::int64_t least_boxes)
      : samples_(samples) {
    constexpr std::int64_t least = 64, unit = 16;  // of a line that is cut
    std::int64_t inner = 1, met = 1;
    bool is_cut = false;
    for (int d = space_dims - 1; d >= 0; --d) {
      std::int64_t outer = 1;
      for (int e = 0; e < d; ++e) outer *= axes[e].combs * axes[e].extent(1);
      places_[d] = places[d];
      std::int64_t most = axes[d].places(limits.floats / (outer * inner) / axes[d].combs);
      most = larger(smaller(most, limits.places / met), d == 2 ? least : 1);
      full_[d] = places[d];
      if (is_cut || most < places[d]) {
        full_[d] = is_cut ? 1 : divided_up(places[d], divided_up(places[d], most));
        if (d == 2) full_[d] = smaller(divided_up(full_[d], unit) * unit, places[d]);
        is_cut = true;
      }
      counts_[d] = divided_up(places[d], full_[d]);
      inner *= axes[d].combs * axes[d].extent(full_[d]);
      met *= full_[d];
    }
    if (product(counts_) > 1) return;
    const std::int64_t some = smaller(limits.floats / inner, limits.places / met);
    samples_each_ = larger(smaller(some, samples / least_boxes), 1);
    samples_each_ = divided_up(larger(samples, 1), divided_up(larger(samples, 1), samples_each_));
  }

  std::int64_t samples_each() const { return samples_each_; }
  const std::int64_t (&full() const)[space_dims] { return full_; }
  bool has_whole_lines() const { return counts_[2] == 1; }
  std::int64_t count() const { return product(counts_) * divided_up(samples_, samples_each_); }
  /// Those of one form follow each other.
  Box operator[](std::int64_t i) const {
    const std::int64_t times = divided_up(samples_, samples_each_);
    Box box{i % times * samples_each_, 0, {}, {}};
    box.samples = smaller(samples_each_, samples_ - box.sample);
    i /= times;
    for (int d = space_dims - 1; d >= 0; --d) {
      box.first[d] = i % counts_[d] * full_[d];
      box.count[d] = smaller(full_[d], places_[d] - box.first[d]);
      i /= counts_[d];
    }
    return box;
  }

 private:
  std::int64_t samples_, samples_each_ = 1;
  std::int64_t places_[space_dims], full_[space_dims], counts_[space_dims];
};

/// The copy of a channel's part that a box meets: a plane for each comb of each dim, in it each
/// sample's lines, all where they are for a full box.
template <class T>
class Planes {
 public:
  /// What a vector may read behind, in elements.
  static constexpr std::int64_t slack = 64;

  Planes(const Moved<T>& of, const Axis (&axes)[space_dims], const Cut& cut)
      : of_(of), axes_{axes[0], axes[1], axes[2]} {
    for (int d = 0; d < space_dims; ++d) extent_[d] = axes_[d].extent(cut.full()[d]);
    // The zeros behind a line are those before the next one.
    pitch_ = extent_[2];
    if (cut.has_whole_lines()) {
      pitch_ = axes_[2].extent(cut.full()[2]) - axes_[2].reach;
      for (std::int64_t r = 0; r < axes_[2].combs; ++r) {
        const Line line = line_of(r, 0, extent_[2]);
        pitch_ = larger(pitch_, larger(line.last, extent_[2] - line.first));
      }
    }
    constexpr std::int64_t unit = 64 / sizeof(T);
    sample_ = extent_[0] * extent_[1] * pitch_ + extent_[2] - pitch_;
    plane_ = divided_up(cut.samples_each() * sample_, unit);
    plane_ = (plane_ | 1) * unit;  // an odd number of lines of the cache: they fall on all its sets
  }

  /// Of all samples of a box.
  std::int64_t channel() const { return axes_[0].combs * axes_[1].combs * axes_[2].combs * plane_; }
  /// From what the box's first place meets at the first tap to a place, and to a tap.
  std::int64_t place(std::int64_t sample, std::int64_t z, std::int64_t y, std::int64_t x) const {
    return sample * sample_ +
           (z * axes_[0].place_step * extent_[1] + y * axes_[1].place_step) * pitch_ +
           x * axes_[2].place_step;
  }
  std::int64_t tap(std::int64_t k) const {
    const std::int64_t x = k % of_.taps[2], y = k / of_.taps[2] % of_.taps[1],
                       z = k / of_.taps[2] / of_.taps[1];
    const std::int64_t plane =
        (axes_[0].comb(z) * axes_[1].combs + axes_[1].comb(y)) * axes_[2].combs + axes_[2].comb(x);
    return plane * plane_ + (axes_[0].shift(z) * extent_[1] + axes_[1].shift(y)) * pitch_ +
           axes_[2].shift(x);
  }

  /// Writes up to a line of the cache more than `channel()`; `channel` is the first sample's. What
  /// lies behind the last place is 0 as far as a vector reads: old numbers there cost nothing but
  /// time, and a lot of that where they are subnormal.
  void copy(T* to, const T* channel, const Box& box) const {
    std::int64_t extent[space_dims];
    for (int d = 0; d < space_dims; ++d) extent[d] = axes_[d].extent(box.count[d]);
    for (std::int64_t z = 0; z < axes_[0].combs; ++z)
      for (std::int64_t y = 0; y < axes_[1].combs; ++y)
        for (std::int64_t x = 0; x < axes_[2].combs; ++x, to += plane_) {
          T* end = to;
          for (std::int64_t s = 0; s < box.samples; ++s)
            end = copy_plane(to + s * sample_, channel + s * of_.sample_stride, box, {z, y, x},
                             extent);
          fill(end, smaller(to + plane_ - end, 64 / sizeof(T)), T(0));
        }
  }

 private:
  /// Elements [first, last) of a line are inside; element i is `begin` + i steps.
  struct Line {
    std::int64_t begin, first, last;
  };

  Line line_of(std::int64_t comb, std::int64_t place, std::int64_t extent) const {
    const Axis& axis = axes_[2];
    const std::int64_t begin = axis.first(comb) + place * axis.place_step * axis.step;
    const std::int64_t first = first_inside(begin, axis.step, extent);
    return {begin, first, last_inside(begin, of_.sizes[2], axis.step, extent, first)};
  }

  /// Returns its end.
  T* copy_plane(T* plane, const T* channel, const Box& box, const std::int64_t (&comb)[space_dims],
                const std::int64_t (&extent)[space_dims]) const {
    const Line line = line_of(comb[2], box.first[2], extent[2]);
    const std::int64_t width = smaller(pitch_, extent[2]);
    std::int64_t begin[2];
    for (int d = 0; d < 2; ++d)
      begin[d] = axes_[d].first(comb[d]) + box.first[d] * axes_[d].place_step * axes_[d].step;
    T* end = plane;
    for (std::int64_t i = 0; i < extent[0]; ++i) {
      const std::int64_t z = begin[0] + i * axes_[0].step;
      T* to = plane + i * extent_[1] * pitch_;
      // Lines outside, inside, outside again.
      const std::int64_t first = first_inside(begin[1], axes_[1].step, extent[1]);
      const bool is_outside = z < 0 || z >= of_.sizes[0];
      const std::int64_t last =
          is_outside ? first : last_inside(begin[1], of_.sizes[1], axes_[1].step, extent[1], first);
      fill(to, first * pitch_, T(0));
      to += first * pitch_;
      const T* from = channel +
                      (z * of_.sizes[1] + begin[1] + first * axes_[1].step) * of_.sizes[2] +
                      line.begin;
      copy_lines(to, from, line, width, last - first);
      to += (last - first) * pitch_;
      fill(to, (extent[1] - last - 1) * pitch_ + (extent[1] > last ? width : 0), T(0));
      end = to + (extent[1] - last - 1) * pitch_ + width;
    }
    fill(end, extent[2] - width, T(0));
    return end + extent[2] - width;
  }

  static std::int64_t first_inside(std::int64_t begin, std::int64_t step, std::int64_t extent) {
    return begin >= 0 ? 0 : smaller(divided_up(-begin, step), extent);
  }
  /// Behind the last one inside, `first` or more.
  static std::int64_t last_inside(std::int64_t begin, std::int64_t size, std::int64_t step,
                                  std::int64_t extent, std::int64_t first) {
    return begin >= size ? first : larger(smaller(divided_up(size - begin, step), extent), first);
  }

  void copy_lines(T* to, const T* from, const Line& line, std::int64_t width,
                  std::int64_t count) const {
    const std::int64_t from_next = axes_[1].step * of_.sizes[2];
#ifdef __AVX512F__
    if (sizeof(T) == 4 && axes_[2].step == 1 && width <= 16) {
      const auto inside =
          static_cast<__mmask16>(low_bits(line.last) & ~low_bits(line.first) & low_bits(width));
      for (std::int64_t j = 0; j < count; ++j, to += pitch_, from += from_next)
        _mm512_storeu_epi32(to, _mm512_maskz_loadu_epi32(inside, from));
      return;
    }
#endif
    for (std::int64_t j = 0; j < count; ++j, to += pitch_, from += from_next)
      copy_line(to, from, line, width);
  }

  void copy_line(T* to, const T* from, const Line& line, std::int64_t width) const {
    const std::int64_t last = smaller(line.last, width), by = axes_[2].step;
#ifdef __AVX512F__
    if (sizeof(T) == 4 && by == 1) {  // over the begin of the next line, which comes after
      for (std::int64_t i = 0; i < width; i += 16) {
        const auto inside = static_cast<__mmask16>(low_bits(last - i) & ~low_bits(line.first - i));
        _mm512_storeu_epi32(to + i, _mm512_maskz_loadu_epi32(inside, from + i));
      }
      return;
    }
#endif
    fill(to, smaller(line.first, width), T(0));
    if (by == 1)
      copy_dense(to + line.first, from + line.first, larger(last - line.first, 0));
    else
      copy_comb(to + line.first, from + line.first * by, by, larger(last - line.first, 0));
    fill(to + last, width - last, T(0));
  }

  static unsigned low_bits(std::int64_t count) {
    return count >= 16 ? 0xffff : count <= 0 ? 0 : (1u << count) - 1;
  }

  Moved<T> of_;
  Axis axes_[space_dims];
  std::int64_t extent_[space_dims], pitch_, sample_, plane_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
