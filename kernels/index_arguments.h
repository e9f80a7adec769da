// What kernels are given whose elements are found by numbers that a tensor holds, or by a mask. The
// rules of kernels/arguments.h hold.
#pragma once

#include <cstdint>

#include "csrc/core/view.h"

namespace garboard::kernels {

/// The dim that an index counts along: `size` elements, `stride` apart. To a negative index `wrap`
/// is added: the size, so that it counts from the end, or 0, so that it is out of range.
struct IndexedDim {
  std::int64_t size, stride, wrap;
};

/// How an element that is written meets what is there. `write` takes any dtype, the others number
/// and bool.
enum class Meeting : std::uint8_t { write, add, multiply, maximum, minimum };

// An index is int64. It is read once and looked at before it is used, so that one that another
// thread changes meanwhile, through memory that NumPy shares, does no harm. Both kernels return
// whether every index was in range; of a call where one was not, the results are unfinished.

/// out[i] = x[i, moved on by index[i]]. All views have out's sizes; `x` has stride 0 where the
/// index alone decides, and its data is that of index 0.
struct Gather {
  static constexpr const char* name = "indexing";
  using Result = bool;
  static constexpr Result idle_result = true;

  const View& out;
  const View& x;
  const View& index;
  IndexedDim along;
};

/// The same place of `x` meets source[i]. Of writes to one element the last in row-major order
/// stays, and sums are added up in that order, whatever the number of threads.
struct Scatter {
  static constexpr const char* name = "writing by index";
  using Result = bool;
  static constexpr Result idle_result = true;

  const View& x;
  const View& index;
  const View& source;
  IndexedDim along;
  Meeting meeting;
};

/// The least and the largest index; least 0 and largest -1 where there is none.
struct IndexRange {
  struct Range {
    std::int64_t least, largest;
  };
  static constexpr const char* name = "indexing";
  using Result = Range;
  static constexpr Result idle_result{0, -1};

  const View& index;
};

/// out[i] = index[i] * stride, plus what out[i] was unless `is_first`; `out` is contiguous, and
/// `index` may be broadcast. A negative stride counts from the end of the dim, so that no place is
/// negative. Returns whether every index was in range.
struct IndexedPlaces {
  static constexpr const char* name = "indexing";
  using Result = bool;
  static constexpr Result idle_result = true;

  const View& out;
  const View& index;
  IndexedDim along;
  bool is_first;
};

/// How the rows of a bag become one.
enum class BagMode : std::uint8_t { sum, mean, max };

/// out[b] = what the rows x[index[j]] for starts[b] <= j < starts[b + 1] come to, without those of
/// `padding`; 0 where there is none. All views are dense; what may be without data is not wanted.
struct Bags {
  enum class Found : std::uint8_t { nothing_wrong, bad_index, bad_starts };
  static constexpr const char* name = "embedding_bag";
  using Result = Found;
  static constexpr Result idle_result = Found::nothing_wrong;

  View out;      // [bags, width], floating, as x
  View x;        // [rows, width]
  View index;    // [numbers], int64
  View starts;   // [bags + 1], int64: ascending from 0 to at most `numbers`
  View factors;  // [numbers], as x, of a sum alone; or without data
  View picked;   // [bags, width], int64, of a maximum: the row that it is of, -1 for none
  View shares;   // [numbers], of what x is widened to: how a row counts, 0 for one that does not
  View bag_of;   // [numbers], int64, or without data; what is in no bag is said to be in the first
  BagMode mode;
  std::int64_t padding;  // -1: none
};

// A mask is a contiguous bool view, counted in blocks: what lies before a block says where its
// elements go.

inline constexpr std::int64_t mask_block = std::int64_t{1} << 12;

/// starts[b], of int64, dense, one a block: how many are true before it. Returns how many there
/// are.
struct CountTrue {
  static constexpr const char* name = "nonzero";
  using Result = std::int64_t;
  static constexpr Result idle_result = 0;

  const View& mask;
  const View& starts;
};

/// Brings the elements of the contiguous `x` where `mask` is true to `out`, of one dim and dense,
/// of which nothing is written beyond its end.
struct MaskedTake {
  static constexpr const char* name = "masked_select";
  const View& out;
  const View& x;
  const View& mask;
  const View& starts;
};

/// The way back: the elements of the contiguous `source`, as many as are true or more, to the
/// places of the contiguous `x` where `mask` is true.
struct MaskedPut {
  static constexpr const char* name = "masked_scatter";
  const View& x;
  const View& source;
  const View& mask;
  const View& starts;
};

/// out[k, d]: coordinate d of the k-th true element, int64, any strides.
struct TruePlaces {
  static constexpr const char* name = "nonzero";
  const View& out;
  const View& mask;
  const View& starts;
};

}  // namespace garboard::kernels
