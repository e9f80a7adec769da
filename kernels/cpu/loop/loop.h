// Walks views of any strides in one place. The arithmetic of an op is a stretch: a flat loop over
// dense elements, which g++ vectorises. Whatever is not dense is brought into dense blocks that
// stay in the first cache, so strides and transposes cost no loop of their own per op and dtype.
//
// Everything in this folder but blas.cpp is compiled once per instruction set, in a namespace of
// that set's name: the linker must never take code of one set for another.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {

inline constexpr int max_inputs = 3;

/// Computes `count` dense elements of `out`. Input k is dense as well, or, where bit k of `scalars`
/// is set, one element for all. `out` may be an input.
using Stretch = void (*)(void* out, const void* const* in, std::int64_t count, unsigned scalars);

/// The same of some rows of `count` elements: row r of operand k, the result first, is r * steps[k]
/// bytes behind its first.
using RowsStretch = void (*)(void* out, const void* const* in, std::int64_t rows,
                             const std::int64_t* steps, std::int64_t count, unsigned scalars);

struct Elementwise {
  Stretch stretch;
  int inputs;
  /// Bit s is set if the stretch takes scalars == s. Bit 0 always is.
  unsigned scalar_sets;
  double element_ns = tuning::few_ns;  // about, in the caches: whether threads share the work
  bool moves = false;                  // results are the elements of the one input
  RowsStretch rows = nullptr;          // for short ones; null: there is none
};

/// Runs the op over all elements. Each input has out's sizes, or is one element.
void run(const Elementwise& op, const View& out, const View* const* in);

/// Whether all of `x` stands for one element of its dtype.
inline bool is_scalar(const View& x) { return x.count == 1; }

/// Whether `x` can be walked beside `out` as a flat array.
inline bool is_flat(const View& x, const View& out) { return x.contiguous && x.count == out.count; }

/// Copies bytes past the cache.
void stream_copy(void* to, const void* from, std::int64_t bytes);

/// A rectangle of elements, `rows` by `columns`, with strides in elements.
struct Rectangle {
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;

  bool is_dense() const {
    return (column_stride == 1 || columns == 1) && (row_stride == columns || rows == 1);
  }
};

/// Brings the block at `from` together, row by row; `item` is an element's bytes: 1, 2, 4, 8 or 16.
void gather(int item, void* to, const void* from, const Rectangle& block) noexcept;
/// The way back.
void scatter(int item, void* to, const void* from, const Rectangle& block) noexcept;

}  // namespace garboard::kernels::GARBOARD_ISA
