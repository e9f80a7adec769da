// Convolutions of half types are those of floats: their operands are brought there or, of bfloat16
// where the processor multiplies and adds pairs, laid side by side by twos of what is summed over,
// each two in the place of a float. What comes out is rounded once.
#pragma once

#include <cstdint>

#include "csrc/core/half_types.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/pairs.h"
#include "kernels/cpu/taps/moved.h"
#include "kernels/cpu/wide/half_conversions.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

inline bool is_of_halves(const Convolution& of) {
  return of.x.dtype == DType::bfloat16 || of.x.dtype == DType::float16;
}

/// Whether pairs pay, seen as a product of such sizes.
inline bool goes_by_pairs(const Convolution& of, std::int64_t rows, std::int64_t columns,
                          std::int64_t depth) {
  return of.x.dtype == DType::bfloat16 && is_for_pairs(rows, columns, depth);
}

/// `C`, one of the three, with operands in its workspace.
template <class C>
class HalfOperands {
 public:
  C floats;

  using Operand = View Convolution::*;

  HalfOperands(const C& of, Operand written)
      : floats(of),
        of_(of),
        written_(written),
        own_(of.workspace.take ? 0 : floats_of(of), sizeof(float)),
        next_(of.workspace.take ? of.workspace.take(of.workspace.context, floats_of(of))
                                : own_.as<float>()) {
    place(written);
    if constexpr (requires { of.bias; })
      if (of.bias.data) {
        floats.bias = in_workspace(of.bias);
        widen_all(floats.bias, of.bias);
      }
  }

  void widen(Operand operand) {
    place(operand);
    widen_all(floats.*operand, of_.*operand);
  }
  /// Twos along `dim`, each group's by themselves; a last one is with 0.
  void pair(Operand operand, int dim, std::int64_t groups) {
    place(operand);
    const View& from = of_.*operand;
    View& to = floats.*operand;
    std::int64_t outer = groups, plane = 1;
    for (int d = 0; d < dim; ++d) outer *= from.sizes.data()[d];
    for (int d = dim + 1; d < from.ndim(); ++d) plane *= from.sizes.data()[d];
    const std::int64_t planes = from.sizes.data()[dim] / groups, pairs = divided_up(planes, 2);
    to.sizes[dim] = groups * pairs;
    to.count = outer * pairs * plane;
    const auto* const halves = from.as<BFloat16>();
    auto* const paired = to.as<std::uint32_t>();
    for_each_part(outer * pairs, (1 << 14) / (plane + 1) + 1, static_cast<double>(to.count) * 0.3,
                  [=](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t at = i % pairs * 2;
                      const BFloat16* const first = halves + (i / pairs * planes + at) * plane;
                      interleave(paired + i * plane, first,
                                 at + 1 < planes ? first + plane : nullptr, plane);
                    }
                  });
  }
  /// What was written, to where it belongs.
  void round() const {
    const float* const from = (floats.*written_).template as<float>();
    of_half_type([&]<class T>(T* to, std::int64_t begin,
                              std::int64_t end) { narrow(to + begin, from + begin, end - begin); },
                 of_.*written_);
  }

 private:
  /// Of all operands, each from a line of the cache on.
  static std::int64_t floats_of(const Convolution& of) {
    constexpr std::int64_t lines = 4 * 16;  // each operand's last one, and a bias's
    return of.x.count + of.weight.count + of.out.count +
           larger(of.x.sizes.data()[1], of.out.sizes.data()[1]) + lines;
  }
  View in_workspace(const View& of) {
    View view = of;
    view.data = next_;
    view.dtype = DType::float32;
    next_ += divided_up(of.count, 16) * 16;
    return view;
  }
  void place(Operand operand) { floats.*operand = in_workspace(of_.*operand); }

  void widen_all(const View& to, const View& from) const {
    float* const wide = to.as<float>();
    of_half_type(
        [=]<class T>(const T* halves, std::int64_t begin, std::int64_t end) {
          kernels::GARBOARD_ISA::widen(wide + begin, halves + begin, end - begin);
        },
        from);
  }
  /// Calls `each` with the elements of a view, some after the other.
  template <class Each>
  void of_half_type(Each each, const View& view) const {
    for_each_part(view.count, 1 << 14, static_cast<double>(view.count) * 0.2,
                  [&](std::int64_t begin, std::int64_t end) {
                    if (view.dtype == DType::bfloat16)
                      each(view.as<BFloat16>(), begin, end);
                    else
                      each(view.as<Float16>(), begin, end);
                  });
  }

  const C& of_;
  Operand written_;
  Scratch own_;
  float* next_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
