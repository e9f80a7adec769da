// The element of a slice by its rank: those whose keys have its first digit are kept, and of those
// the ones with its second, until few are left.
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/order/results.h"
#include "kernels/cpu/order/short_slices.h"
#include "kernels/cpu/order/sort_entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The numbers of a slice, and where its first NaN is.
struct Census {
  std::int64_t numbers = 0, first_nan = -1;

  bool gives_nan(NaNs nans) const { return first_nan >= 0 && (nans == NaNs::win || numbers == 0); }
  std::int64_t rank_of(const Select& of) const {
    return of.nans == NaNs::passed_over ? (numbers - 1) / 2 : of.rank;
  }
};

template <class T>
Census census_of(StridedSlice<const T> x) {
  if constexpr (std::is_integral_v<T>) return {.numbers = x.count};
  Census census;
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) census.numbers += !is_nan(x[i]);
  }
  if (census.numbers == x.count) return census;
  census.first_nan = 0;
  while (census.first_nan + 1 < x.count && !is_nan(x[census.first_nan])) ++census.first_nan;
  return census;
}

/// The digits of keys, the first one first: of 11 bits where so many counts are fewer than what is
/// counted.
template <class T, int digit_bits>
class Digit {
 public:
  static constexpr std::int64_t buckets = std::int64_t{1} << digit_bits;

  bool is_last() const { return shift_ == 0; }
  void advance() { shift_ = larger(shift_ - digit_bits, 0); }
  std::uint64_t of(std::uint64_t key) const { return key >> shift_ & (buckets - 1); }

 private:
  std::int64_t shift_ = larger(8 * std::int64_t{sizeof(T)} - digit_bits, 0);
};

/// How many elements have each digit, and which one has the element of a rank.
template <std::int64_t buckets>
struct Counts {
  std::int64_t of[buckets] = {};

  /// Makes of a rank among all one among those with the digit that is returned.
  std::uint64_t find(std::int64_t& rank) const {
    std::int64_t digit = 0;
    for (; digit + 1 < buckets && rank >= of[digit]; ++digit) rank -= of[digit];
    return static_cast<std::uint64_t>(digit);
  }
};

/// Calls `visit(first, keys, count)` for keys of a slice, many at a time.
template <class T, class Visit>
void for_each_keys(StridedSlice<const T> x, Visit visit) {
  constexpr std::int64_t at_once = 512;
  BitsOf<T> keys[at_once];
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; i += at_once) {
      const std::int64_t count = smaller(last - i, at_once);
      if (x.stride == 1)
        for (std::int64_t k = 0; k < count; ++k) keys[k] = key_at(x.data[i + k]);
      else
        for (std::int64_t k = 0; k < count; ++k) keys[k] = key_at(x[i + k]);
      visit(i, keys, count);
    }
  }
}

/// The place of the element with `rank`. Who writes to the slice meanwhile, as through an array
/// that shares its memory, changes what is found, never what is read.
template <int digit_bits, class Entry, class T>
std::int64_t find_place(StridedSlice<const T> x, std::int64_t rank) {
  using Counted = Counts<Digit<T, digit_bits>::buckets>;
  EntryRoom<Entry> room(x.count);  // all may have the same digits
  Entry* const kept = room.entries();
  Digit<T, digit_bits> digit;
  Counted all;
  for_each_keys(x, [&](std::int64_t, const BitsOf<T>* keys, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) ++all.of[digit.of(keys[k])];
  });
  std::uint64_t wanted = all.find(rank);
  std::int64_t left = 0;
  for_each_keys(x, [&](std::int64_t first, const BitsOf<T>* keys, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
      kept[left] = Entry::of(keys[k], first + k);
      left += digit.of(keys[k]) == wanted;
    }
  });
  if (rank >= left) return 0;  // it was written to
  while (left > short_run && !digit.is_last()) {
    digit.advance();
    Counted some;
    for (const auto [begin, end] : Pieces<>(left)) {
      for (std::int64_t i = begin; i < end; ++i) ++some.of[digit.of(kept[i].key())];
    }
    wanted = some.find(rank);
    const std::int64_t before = left;
    left = 0;
    for (const auto [begin, end] : Pieces<>(before)) {
      for (std::int64_t i = begin; i < end; ++i) {
        const Entry entry = kept[i];
        kept[left] = entry;
        left += digit.of(entry.key()) == wanted;
      }
    }
  }
  if (left <= short_run) sort_by_insertion(kept, left);
  return kept[rank].place();
}

template <class T>
void select(const Select& of) {
  const std::int64_t count = slice_of<const T>(of.x, of.dim, of.x.as<char>()).count;
  if (count > 0 && count <= longest_column) return select_short(of, count);
  with_entry<T>(count, [&]<class Entry>(Entry) {
    for_each_slice({&of.values, &of.indices, &of.x}, of.dim, 4.0 * static_cast<double>(count),
                   [&](char* const* data) {
                     const StridedSlice<const T> x = slice_of<const T>(of.x, of.dim, data[2]);
                     const Results<T> out = results_of<T>(of.values, of.indices, of.dim, data);
                     const Census census = census_of(x);
                     if (census.gives_nan(of.nans))
                       return out.write(0, x[census.first_nan], census.first_nan);
                     constexpr std::int64_t long_enough = 1 << 13;
                     const std::int64_t rank = census.rank_of(of);
                     const std::int64_t place = count < long_enough
                                                    ? find_place<8, Entry>(x, rank)
                                                    : find_place<11, Entry>(x, rank);
                     out.write(0, x[place], place);
                   });
  });
}

}  // namespace

template <>
void kernel(const Select& of, Stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) { select<T>(of); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
