// Short slices as words: key and place in one number, so that one comparison orders two elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/order/extent.h"
#include "kernels/cpu/order/results.h"
#include "kernels/cpu/order/short_slices.h"
#include "kernels/cpu/order/sort_entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t all_places = longest_short_slice;
constexpr std::uint64_t sign_of_word = std::uint64_t{1} << 63;  // keys have none, words have

inline std::int64_t word_of(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits ^ sign_of_word);
}
inline std::int64_t narrow_word(std::uint64_t key, std::int64_t place) {
  return word_of(functors::NarrowEntry::of(key, place).word);
}
/// The last bits of the key give way to the place.
inline std::int64_t clipped_word(std::uint64_t key, std::int64_t place) {
  return word_of((key & ~std::uint64_t{all_places}) | static_cast<std::uint64_t>(place));
}

/// The words of a slice, in any order or in theirs.
template <int step>
struct SliceWords {
  std::int64_t* data;

  std::int64_t& operator[](std::int64_t i) const { return data[i * step]; }
  std::int64_t place(std::int64_t i) const { return data[i * step] & all_places; }
};

template <class T>
BitsOf<T> key_in_order(StridedSlice<const T> x, std::int64_t i, bool descending) {
  const BitsOf<T> key = key_at(x[i]);
  return descending ? static_cast<BitsOf<T>>(~key) : key;
}

/// Writes the words of a slice. False where they are clipped: elements that differ in their last
/// bits alone may come in any order then.
template <class T, int step>
bool read_words(SliceWords<step> words, StridedSlice<const T> x, bool descending) {
  if constexpr (sizeof(T) <= 4) {
    for (std::int64_t i = 0; i < x.count; ++i)
      words[i] = narrow_word(key_in_order(x, i, descending), i);
    return true;
  } else {
    if constexpr (std::is_integral_v<T>) {
      if (const IntegerExtent<T> extent = extent_of(x); extent.is_narrow()) {
        for (std::int64_t i = 0; i < x.count; ++i)
          words[i] = narrow_word(extent.from_first(x[i], descending), i);
        return true;
      }
    }
    for (std::int64_t i = 0; i < x.count; ++i)
      words[i] = clipped_word(key_in_order(x, i, descending), i);
    return false;
  }
}

template <class T, int step>
[[gnu::noinline]] void sort_whole_keys(SliceWords<step> words, StridedSlice<const T> x,
                                       bool descending) {
  EntryRoom<functors::WideEntry> memory(x.count, 2);
  functors::WideEntry* const entries = memory.entries();
  read_entries(entries, x, descending);
  const functors::WideEntry* const sorted = sort_by_merging(entries, entries + x.count, x.count);
  for (std::int64_t i = 0; i < x.count; ++i)
    words[i] = clipped_word(sorted[i].key(), sorted[i].place());
}

/// Puts sorted words that are clipped in the order of their whole keys.
template <class T, int step>
void mend_order(SliceWords<step> words, StridedSlice<const T> x, bool descending) {
  if constexpr (sizeof(T) == 8) {
    bool ordered = true;
    std::uint64_t before = 0;
    for (std::int64_t i = 0; i < x.count; ++i) {
      const std::uint64_t key = key_in_order(x, words.place(i), descending);
      ordered &= before <= key;
      before = key;
    }
    if (!ordered) [[unlikely]]
      sort_whole_keys(words, x, descending);
  }
}

/// NaN's word, with the place 0: in ascending order no number's is as large.
template <class T>
constexpr std::int64_t first_nan_word() {
  if constexpr (std::is_integral_v<T>) return INT64_MAX;  // none
  const std::uint64_t key = functors::last_key<T>;
  return static_cast<std::int64_t>((sizeof(T) == 8 ? key & ~std::uint64_t{all_places} : key << 32) ^
                                   sign_of_word);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
