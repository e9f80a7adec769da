// Sorting entries: short rows by insertion and merging, long ones by radix, least digit first, a
// digit of 11 bits a pass, but for digits that all have in common. Choosing some: by quickselect.
#pragma once

#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/order/entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t short_run = 16, long_enough_for_radix = 1024;

/// Memory for the entries of a slice, so many times: a short one needs none from the heap. Throws
/// std::bad_alloc.
template <class Entry>
class EntryRoom {
 public:
  explicit EntryRoom(std::int64_t count, int times = 1)
      : heap_(count > few / times ? count : 0, times * sizeof(Entry)),
        entries_(heap_.data() ? heap_.template as<Entry>() : here_) {}

  Entry* entries() { return entries_; }

 private:
  static constexpr std::int64_t few = 128;

  Entry here_[few];  // unset
  Scratch heap_;
  Entry* entries_;
};

template <class Entry>
void sort_by_insertion(Entry* x, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i) {
    const Entry entry = x[i];
    std::int64_t at = i;
    for (; at > 0 && entry < x[at - 1]; --at) x[at] = x[at - 1];
    x[at] = entry;
  }
}

template <class Entry>
void merge(const Entry* a, const Entry* a_end, const Entry* b, const Entry* b_end, Entry* out) {
  while (a < a_end && b < b_end) {
    const bool takes_b = *b < *a;
    *out++ = takes_b ? *b : *a;
    a += !takes_b;
    b += takes_b;
  }
  while (a < a_end) *out++ = *a++;
  while (b < b_end) *out++ = *b++;
}

/// Sorts `x` with the help of `spare`, as long. Returns where the result is.
template <class Entry>
[[gnu::noinline]] Entry* sort_by_merging(Entry* x, Entry* spare, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += short_run)
    sort_by_insertion(x + i, smaller(short_run, count - i));
  for (std::int64_t run = short_run; run < count; run *= 2) {
    for (std::int64_t i = 0; i < count; i += 2 * run) {
      const std::int64_t middle = smaller(i + run, count), end = smaller(i + 2 * run, count);
      merge(x + i, x + middle, x + middle, x + end, spare + i);
    }
    Entry* const sorted = spare;
    spare = x;
    x = sorted;
  }
  return x;
}

template <class Entry>
[[gnu::noinline]] Entry* sort_by_radix(Entry* x, Entry* spare, std::int64_t count, int key_bits) {
  constexpr int digit_bits = 11, buckets = 1 << digit_bits, most_digits = 6;
  const int digits = (key_bits + digit_bits - 1) / digit_bits;
  std::uint32_t small_counts[most_digits][buckets] = {};
  const auto digit_of = [](Entry entry, int digit) __attribute__((always_inline)) {
    return (entry.key() >> (digit * digit_bits)) & (buckets - 1);
  };
  for (const auto [first, last] : Pieces<>(count)) {
    for (std::int64_t i = first; i < last; ++i) {
      for (int d = 0; d < digits; ++d) ++small_counts[d][digit_of(x[i], d)];
    }
  }
  for (int d = 0; d < digits; ++d) {
    if (small_counts[d][digit_of(x[0], d)] == static_cast<std::uint32_t>(count)) continue;
    std::int64_t starts[buckets];
    std::int64_t start = 0;
    for (int b = 0; b < buckets; ++b) {
      starts[b] = start;
      start += small_counts[d][b];
    }
    for (const auto [first, last] : Pieces<>(count)) {
      for (std::int64_t i = first; i < last; ++i) spare[starts[digit_of(x[i], d)]++] = x[i];
    }
    Entry* const sorted = spare;
    spare = x;
    x = sorted;
  }
  return x;
}

/// Of entries in the order of their places.
template <class Entry>
Entry* sort_entries(Entry* x, Entry* spare, std::int64_t count, int key_bits) {
  const bool takes_radix = count >= long_enough_for_radix && count <= std::int64_t{UINT32_MAX};
  return takes_radix ? sort_by_radix(x, spare, count, key_bits) : sort_by_merging(x, spare, count);
}

/// Brings the first `rank` entries in order to the front, in no order, and the next behind them.
/// By the median of nine spread over what is left; where that has failed often, by sorting.
template <class Entry>
[[gnu::noinline]] void select_entries(Entry* x, std::int64_t count, std::int64_t rank) {
  std::int64_t first = 0, last = count;
  Pace pace;
  for (int attempts = 0; last - first > short_run; ++attempts) {
    pace.advance(last - first);
    Entry sample[9];
    // After many attempts the places move: no order of the input is bad for all of them.
    const std::int64_t step = (last - first - 1) / 8, moved = attempts > 40 ? attempts % 7 : 0;
    for (int k = 0; k < 9; ++k) sample[k] = x[first + (k * step + moved * k) % (last - first)];
    sort_by_insertion(sample, 9);
    const Entry pivot = sample[4];
    std::int64_t low = first, high = last - 1;
    while (low <= high) {
      while (x[low] < pivot) ++low;
      while (pivot < x[high]) --high;
      if (low > high) break;
      const Entry other = x[low];
      x[low++] = x[high];
      x[high--] = other;
    }
    if (rank <= high)
      last = high + 1;
    else if (rank >= low)
      first = low;
    else
      return;
  }
  sort_by_insertion(x + first, last - first);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
