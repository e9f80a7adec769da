// Rows of a table that become one a bag, each read once: nothing is gathered first. Numbers are
// looked at as they are used, for another thread may write them meanwhile.
#include "kernels/cpu/index/indexed_walk.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/wide/wide_vector.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

using Found = Bags::Found;

/// What the rows of one bag meet in.
template <class T>
struct BagRow {
  using Wide = functors::Widened<T>;
  Wide* sum;     // [width]
  Wide* memory;  // [width], for a row of a half type
  std::int64_t width;

  void clear() const {
    for (std::int64_t i = 0; i < width; ++i) sum[i] = 0;
  }
  void add(const T* const* rows, const Wide* factors, std::int64_t count) const {
    if constexpr (functors::Half<T>) {
      for (std::int64_t r = 0; r < count; ++r) {
        wide_row(rows[r], memory, width);
        for (std::int64_t i = 0; i < width; ++i) sum[i] += factors[r] * memory[i];
      }
    } else {
      constexpr std::int64_t lanes = WideVector<T>::lanes;
      std::int64_t i = 0;
      for (; i + 8 * lanes <= width; i += 8 * lanes) add_vectors<8>(rows, factors, count, i);
      // One sum waits for itself: each row takes as long as four do.
      for (; i + 4 * lanes <= width; i += 4 * lanes) add_vectors<4>(rows, factors, count, i);
      for (; i + lanes <= width; i += lanes) add_vectors<1>(rows, factors, count, i);
      for (; i < width; ++i)
        for (std::int64_t r = 0; r < count; ++r) sum[i] += factors[r] * rows[r][i];
    }
  }
  /// From element `first` on, in registers over all rows.
  template <int vectors>
  void add_vectors(const T* const* rows, const Wide* factors, std::int64_t count,
                   std::int64_t first) const {
    using V = WideVector<T>;
    typename V::Type total[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) total[v] = V::load(sum + first + v * V::lanes);
    for (std::int64_t r = 0; r < count; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v)
        total[v] += factors[r] * V::load(rows[r] + first + v * V::lanes);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) V::store(sum + first + v * V::lanes, total[v]);
  }
  void scale(Wide factor) const {
    for (std::int64_t i = 0; i < width; ++i) sum[i] *= factor;
  }
  void keep_larger(const T* row, std::int64_t* picked, std::int64_t number, bool is_first) const {
    const Wide* const x = wide_row(row, memory, width);
    Wide* const to = sum;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < width; ++i) {
      const bool is_better = is_first || x[i] > to[i] || x[i] != x[i];
      to[i] = is_better ? x[i] : to[i];
      picked[i] = is_better ? number : picked[i];
    }
  }
};

template <class T>
class BagWalk {
  using Wide = functors::Widened<T>;
  static constexpr std::int64_t rows_at_once = tuning::rows_gathered;

 public:
  explicit BagWalk(const Bags& of)
      : of_(of),
        rows_(static_cast<std::uint64_t>(of.x.sizes.data()[0])),
        width_(of.out.sizes.data()[1]),
        numbers_(of.index.count) {}

  Found run() {
    const std::int64_t bags = of_.out.sizes.data()[0];
    const std::int64_t row = (numbers_ / larger(bags, 1) + 1) * (width_ + 1);
    const double cost_ns = static_cast<double>(numbers_ * (width_ + 4)) * tuning::moved_ns;
    if (load(of_.starts, 0) != 0) return Found::bad_starts;
    for_each_part(bags, tuning::index_part / row + 1, cost_ns,
                  [&](std::int64_t first, std::int64_t last) {
                    const Scratch memory(2 * width_, sizeof(Wide));
                    Pace pace;
                    for (std::int64_t bag = first; bag < last; ++bag)
                      take(bag, memory.as<Wide>(), pace);
                  });
    note_unused(load(of_.starts, bags));
    return found_;
  }

 private:
  static std::int64_t load(const View& of, std::int64_t i) {
    return __atomic_load_n(of.as<std::int64_t>() + i, __ATOMIC_RELAXED);
  }
  void note(Found found) { __atomic_store_n(&found_, found, __ATOMIC_RELAXED); }
  void note_share(std::int64_t j, std::int64_t bag, Wide share) const {
    if (of_.bag_of.data) of_.bag_of.as<std::int64_t>()[j] = bag;
    if (of_.shares.data) of_.shares.as<Wide>()[j] = share;
  }
  void note_unused(std::int64_t from) const {
    for (std::int64_t j = from < 0 ? numbers_ : from; j < numbers_; ++j) note_share(j, 0, 0);
  }

  void take(std::int64_t bag, Wide* memory, Pace& pace) {
    const std::int64_t begin = load(of_.starts, bag), end = load(of_.starts, bag + 1);
    if (begin < 0 || begin > end || end > numbers_) return note(Found::bad_starts);
    T* const out = of_.out.as<T>() + bag * width_;
    const BagRow<T> row{wide_result(out, memory), memory + width_, width_};
    std::int64_t* const picked =
        of_.picked.data ? of_.picked.as<std::int64_t>() + bag * width_ : nullptr;
    row.clear();
    if (picked)
      for (std::int64_t i = 0; i < width_; ++i) picked[i] = -1;
    std::int64_t count = 0;
    for (std::int64_t from = begin; from < end; from += rows_at_once) {
      const T* rows[rows_at_once];
      Wide factors[rows_at_once];
      std::int64_t some = 0;
      for (std::int64_t j = from; j < smaller(from + rows_at_once, end); ++j) {
        const std::int64_t number = load(of_.index, j);
        if (static_cast<std::uint64_t>(number) >= rows_) return note(Found::bad_index);
        if (j + rows_at_once < numbers_) ask_for(load(of_.index, j + rows_at_once));
        const bool counts = number != of_.padding;
        note_share(j, bag, counts ? Wide(1) : Wide(0));
        if (!counts) continue;
        rows[some] = of_.x.as<T>() + number * width_;
        factors[some] = of_.factors.data ? functors::widened(of_.factors.as<T>()[j]) : Wide(1);
        if (picked) row.keep_larger(rows[some], picked, number, count + some == 0);
        ++some;
      }
      pace.advance(some * width_);
      if (!picked) row.add(rows, factors, some);
      count += some;
    }
    if (of_.mode == BagMode::mean && count > 1) average(row, begin, end, count);
    finish_row(out, row.sum, width_);
  }

  void average(const BagRow<T>& row, std::int64_t begin, std::int64_t end,
               std::int64_t count) const {
    const Wide share = Wide(1) / static_cast<Wide>(count);
    row.scale(share);
    if (!of_.shares.data) return;
    for (std::int64_t j = begin; j < end; ++j) of_.shares.as<Wide>()[j] *= share;
  }

  // Rows lie anywhere, so the hardware foresees none; the rest of a long one it does.
  void ask_for(std::int64_t number) const {
    if (static_cast<std::uint64_t>(number) >= rows_) return;
    constexpr std::int64_t line = 64 / sizeof(T);
    const T* const x = of_.x.as<T>() + number * width_;
    for (std::int64_t i = 0; i < smaller(width_, 4 * line); i += line) __builtin_prefetch(x + i);
  }

  const Bags& of_;
  std::uint64_t rows_;
  std::int64_t width_, numbers_;
  Found found_ = Found::nothing_wrong;
};

}  // namespace

template <>
Found kernel(const Bags& of, Stream) {
  Found found{};
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) { found = BagWalk<T>(of).run(); });
  return found;
}

}  // namespace garboard::kernels::GARBOARD_ISA
