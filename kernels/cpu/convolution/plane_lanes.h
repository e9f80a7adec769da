// Planes beside each other, one in each lane of a vector: neither the ends of lines nor strides
// leave lanes empty. Planes are turned around on their way in and out, a band of lines at a time.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/taps/moved.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Lines of as many planes as a vector has lanes, with zeros before and behind each.
template <class T>
class PlaneLanes {
 public:
  static constexpr std::int64_t lanes = WideVector<T>::lanes;
  /// What may be read behind the last line, in places.
  static constexpr std::int64_t slack = 16;

  PlaneLanes(std::int64_t lines, std::int64_t width, std::int64_t left, std::int64_t right,
             std::int64_t most_step = 1)
      : width_(width),
        left_(left),
        pitch_(left + width + right),
        count_((lines * pitch_ + slack * most_step) * lanes),
        memory_(count_, sizeof(T)) {
    fill(data(), count_, T(0));
  }

  T* data() const { return memory_.template as<T>(); }
  /// Of a place in its first lane.
  std::int64_t at(std::int64_t line, std::int64_t x) const {
    return (line * pitch_ + left_ + x) * lanes;
  }

  /// Lines that follow each other in each of `planes`, which are `plane` apart.
  void read(const T* from, std::int64_t plane, std::int64_t planes, std::int64_t lines) const {
    T turned[lanes * lanes] = {};
    std::int64_t line = 0, x = 0;
    for (std::int64_t p = 0; p < lines * width_; p += lanes) {
      const std::int64_t count = smaller(lines * width_ - p, lanes);
      turn(turned, lanes, from + p, plane, planes, count);
      for (std::int64_t i = 0; i < count; ++i) {
        WideVector<T>::store(data() + at(line, x), WideVector<T>::load(turned + i * lanes));
        if (++x < width_) continue;
        x = 0;
        ++line;
      }
    }
  }
  /// The other way, of lines with nothing beside them.
  void write(T* to, std::int64_t plane, std::int64_t planes, std::int64_t lines) const {
    T turned[lanes * lanes];
    const std::int64_t places = lines * width_;
    for (std::int64_t p = 0; p < places; p += lanes) {
      const std::int64_t count = smaller(places - p, lanes);
      if (planes == lanes && count == lanes) {
        turn(to + p, plane, data() + p * lanes, lanes, lanes, lanes);
        continue;
      }
      turn(turned, lanes, data() + p * lanes, lanes, count, lanes);
      for (std::int64_t i = 0; i < planes; ++i)
        copy_dense(to + i * plane + p, turned + i * lanes, count);
    }
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  [[gnu::noinline, gnu::noclone]] static void turn(T* to, std::int64_t to_stride, const T* from,
                                                   std::int64_t from_stride, std::int64_t rows,
                                                   std::int64_t columns) {
    transpose(reinterpret_cast<Bits*>(to), to_stride, reinterpret_cast<const Bits*>(from),
              from_stride, rows, columns);
  }

  std::int64_t width_, left_, pitch_, count_;
  Scratch memory_;
};

/// Along one dim, output o meets at tap k element (o * step + shift + k * tap_step) / divisor,
/// where that is whole; so there are `divisor` classes of outputs, each with taps of its own.
struct LaneAxis {
  std::int64_t outputs, inputs, taps, step, shift, tap_step, divisor;

  bool meets(std::int64_t o, std::int64_t k) const {
    return divisor == 1 || numerator(o, k) % divisor == 0;
  }
  /// Rounded down where it is not whole.
  std::int64_t input(std::int64_t o, std::int64_t k) const {
    const std::int64_t n = numerator(o, k);
    return divisor == 1 ? n : n / divisor - (n % divisor < 0 ? 1 : 0);
  }
  /// The least and the largest that any tap meets.
  std::int64_t first(std::int64_t o) const { return input(o, tap_step < 0 ? taps - 1 : 0); }
  std::int64_t last(std::int64_t o) const { return input(o, tap_step < 0 ? 0 : taps - 1); }

 private:
  std::int64_t numerator(std::int64_t o, std::int64_t k) const {
    return o * step + shift + k * tap_step;
  }
};

/// All outputs in bands of lines, and what each band meets.
struct LaneBands {
  LaneAxis z, y, x;
  std::int64_t left, right, height, count;  // of a band, and how many

  LaneBands(const LaneAxis (&axes)[space_dims], std::int64_t lane_bytes)
      : z(axes[0]), y(axes[1]), x(axes[2]) {
    constexpr std::int64_t band_bytes = 1 << 17;
    left = larger(-x.first(0), 0);
    right = larger(x.last(x.outputs - 1) - x.inputs + 1, 0);
    const std::int64_t met = (left + x.inputs + right) * y.step / y.divisor;
    const std::int64_t most = band_bytes / (larger(larger(met, x.outputs), 1) * lane_bytes);
    height = is_flat() ? larger(smaller(most, y.outputs), 1) : y.outputs;
    count = divided_up(y.outputs, height);
    height = divided_up(y.outputs, count);
  }

  bool is_flat() const { return z.outputs == 1 && z.inputs == 1; }
  std::int64_t first(std::int64_t band) const { return band * height; }
  std::int64_t last(std::int64_t band) const { return smaller((band + 1) * height, y.outputs); }
  /// Of what is met, lines [first_met, last_met) of each z.
  std::int64_t first_met(std::int64_t band) const {
    return is_flat() ? smaller(larger(y.first(first(band)), 0), y.inputs) : 0;
  }
  std::int64_t last_met(std::int64_t band) const {
    if (!is_flat()) return y.inputs;
    return larger(smaller(y.last(last(band) - 1) + 1, y.inputs), first_met(band));
  }
  std::int64_t most_met() const {
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = larger(most, last_met(i) - first_met(i));
    return most * z.inputs;
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
