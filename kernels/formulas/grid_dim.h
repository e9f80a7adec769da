// Where a coordinate of a grid falls along one dim of a plane, and what is mixed there.
#pragma once

#include "kernels/functors/scalar_math.h"
#include "kernels/windows.h"

namespace garboard::kernels {

inline constexpr int most_along = 4;   // elements along a dim
inline constexpr int most_mixed = 16;  // elements of a place: 4 x 4, or 2 x 2 x 2

/// A coordinate, and how fast it moves with the one that was given.
template <functors::Real T>
struct GridCoordinate {
  T at, speed;
};

/// One dim of the plane.
template <functors::Real T>
class GridDim {
 public:
  GridDim() = default;
  GARBOARD_HD GridDim(const GridSample& of, std::int64_t size)
      : sampling_(of.sampling),
        beyond_(of.beyond),
        size_(static_cast<T>(size)),
        low_(of.aligns_corners ? T(0) : T(-0.5)),
        span_(of.aligns_corners ? size_ - 1 : size_),
        speed_(span_ / 2) {}

  /// The same dim, of what its caller knows it to be: constants, without which no loop over
  /// coordinates becomes one of vectors.
  GARBOARD_HD GridDim known_as(Sampling sampling, Beyond beyond) const {
    GridDim known = *this;
    known.sampling_ = sampling;
    known.beyond_ = beyond;
    return known;
  }

  GARBOARD_HD int along() const {
    return sampling_ == Sampling::cubic ? 4 : sampling_ == Sampling::linear ? 2 : 1;
  }

  /// Writes `along()` numbers of elements, -1 outside, their factors, and how fast those change,
  /// each `apart` behind the one before.
  GARBOARD_HD void read(T given, std::int32_t* at, T* factor, T* slope, int apart = 1) const {
    const T raw = (given + 1) * speed_ + low_;
    if (sampling_ == Sampling::cubic) return read_cubic(raw, at, factor, slope, apart);
    const auto [from, speed] = moved_inside({raw, speed_});
    if (sampling_ == Sampling::nearest) {
      at[0] = element(functors::round_to_even(from));
      factor[0] = 1;
      slope[0] = 0;
      return;
    }
    const T first = functors::floor(from), rest = from - first;
    at[0] = element(first);
    at[apart] = element(first + 1);
    factor[0] = 1 - rest;
    factor[apart] = rest;
    slope[0] = -speed;
    slope[apart] = speed;
  }

 private:
  /// -1 outside; NaN lies there too.
  GARBOARD_HD std::int32_t element(T at) const {
    const bool is_inside = at >= 0 && at < size_;
    return is_inside ? static_cast<std::int32_t>(at) : -1;
  }

  GARBOARD_HD GridCoordinate<T> moved_inside(GridCoordinate<T> from) const {
    if (beyond_ == Beyond::zeros) return from;
    if (beyond_ == Beyond::reflection) from = reflected(from);
    const T top = size_ - 1;
    if (!(from.at > 0)) return {0, 0};
    return from.at < top ? from : GridCoordinate<T>{top, 0};
  }
  /// To and fro between the two edges.
  GARBOARD_HD GridCoordinate<T> reflected(GridCoordinate<T> from) const {
    if (!(span_ > 0)) return {0, 0};
    const T away = functors::abs(from.at - low_);
    const T rest = away - functors::floor(away / (2 * span_)) * 2 * span_;
    const bool is_coming = rest > span_, is_before = from.at < low_;
    return {(is_coming ? 2 * span_ - rest : rest) + low_,
            is_coming == is_before ? from.speed : -from.speed};
  }

  // Cubic convolution with a = -0.75 (Keys, "Cubic convolution interpolation for digital image
  // processing", 1981), at distances up to 1 and up to 2, and how fast it changes there. No
  // lambdas: they would be compiled for one instruction set and might be linked into code for
  // another.
  static constexpr T a = T(-0.75);
  GARBOARD_HD static T near(T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
  GARBOARD_HD static T far(T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }
  GARBOARD_HD static T near_slope(T x) { return (3 * (a + 2) * x - 2 * (a + 3)) * x; }
  GARBOARD_HD static T far_slope(T x) { return (3 * a * x - 10 * a) * x + 8 * a; }

  // Each of the four elements is looked for inside by itself.
  GARBOARD_HD void read_cubic(T from, std::int32_t* at, T* factor, T* slope, int apart) const {
    const T first = functors::floor(from), rest = from - first;
    const T factors[] = {far(rest + 1), near(rest), near(1 - rest), far(2 - rest)};
    const T slopes[] = {far_slope(rest + 1), near_slope(rest), -near_slope(1 - rest),
                        -far_slope(2 - rest)};
    for (int k = 0; k < 4; ++k) {
      at[k * apart] = element(moved_inside({first - 1 + static_cast<T>(k), 0}).at);
      factor[k * apart] = factors[k];
      slope[k * apart] = slopes[k] * speed_;
    }
  }

  Sampling sampling_;
  Beyond beyond_;
  T size_, low_, span_, speed_;
};

}  // namespace garboard::kernels
