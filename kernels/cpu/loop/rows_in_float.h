// Rows of half types as arithmetic wants them: in float.
#pragma once

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/half_conversions.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// What a copy of `count` elements of T in float takes, in bytes: nothing, unless T is a half type.
template <class T>
constexpr std::int64_t wide_bytes(std::int64_t count) {
  return functors::Half<T> ? count * static_cast<std::int64_t>(sizeof(float)) : 0;
}

/// `row` itself; of a half type a copy in `memory`. Null stays null.
template <class T>
const functors::Widened<T>* wide_row(const T* row, functors::Widened<T>* memory,
                                     std::int64_t count) {
  if constexpr (functors::Half<T>) {
    if (!row) return nullptr;
    widen(memory, row, count);
    return memory;
  } else {
    return row;
  }
}

/// Where a result goes that `finish_row` brings to `row`.
template <class T>
functors::Widened<T>* wide_result(T* row, functors::Widened<T>* memory) {
  if constexpr (functors::Half<T>)
    return row ? memory : nullptr;
  else
    return row;
}
template <class T>
void finish_row(T* row, const functors::Widened<T>* result, std::int64_t count) {
  if constexpr (functors::Half<T>)
    if (row) narrow(row, result, count);
}

/// The RowFunction of a half type made of float's, for a result and `inputs` rows. A result in the
/// memory of the first input must be as good to float's as one of its own.
template <functors::Half T, int inputs, RowFunction of_float>
void row_in_float(void* const* data, std::int64_t count) {
  constexpr std::int64_t short_row = 1024;
  if (count == 0) return;
  alignas(64) float own[inputs][short_row];
  const Scratch scratch(count > short_row ? wide_bytes<T>(inputs * count) : 0);
  void* wide[1 + inputs];
  for (int k = 0; k < inputs; ++k) {
    float* const row = count > short_row ? scratch.as<float>() + k * count : own[k];
    const auto* const from = static_cast<const T*>(data[1 + k]);
    for (const auto [first, last] : Pieces<>(count)) widen(row + first, from + first, last - first);
    wide[1 + k] = row;
  }
  wide[0] = wide[1];
  of_float(wide, count);
  for (const auto [first, last] : Pieces<>(count))
    narrow(static_cast<T*>(data[0]) + first, static_cast<const float*>(wide[0]) + first,
           last - first);
}

/// A dense view in float: itself, or of a half type a copy for the length of a kernel.
template <class T>
class WideView {
 public:
  explicit WideView(const View& of)
      : memory_(wide_bytes<T>(of.data ? of.count : 0)), of_(of), view_(of) {
    if constexpr (functors::Half<T>) {
      if (of.data) view_.data = memory_.as<float>();
      view_.dtype = DType::float32;
    }
  }

  const View& view() const { return view_; }
  /// Brings the elements there.
  void read() const {
    convert([](float* wide, T* own, auto n) { widen(wide, own, n); });
  }
  /// Brings them back.
  void write() const {
    convert([](float* wide, T* own, auto n) { narrow(own, wide, n); });
  }

 private:
  template <class Convert>
  void convert(Convert some) const {
    if constexpr (functors::Half<T>) {
      if (!of_.data) return;
      for_each_part(
          of_.count, tuning::row_part, static_cast<double>(of_.count) * tuning::widened_ns,
          [&](std::int64_t first, std::int64_t last) {
            some(view_.template as<float>() + first, of_.template as<T>() + first, last - first);
          });
    }
  }

  Scratch memory_;
  View of_, view_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
