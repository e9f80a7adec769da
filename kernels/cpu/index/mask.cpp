// Elements chosen by a mask, in row-major order. The true ones of each block are counted first;
// then every block knows where its elements go, and threads share the blocks. Within a block each
// element is written, and the place moves on only where the mask is true: nothing is mispredicted.
#include <cstring>
#ifdef __AVX512BW__
#include <immintrin.h>
#endif

#include "kernels/cpu/index/indexed_walk.h"
#include "kernels/cpu/index/masked_vectors.h"
#include "kernels/cpu/loop/copy_bytes.h"
#include "kernels/cpu/loop/parts.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

std::int64_t count_true(const std::uint8_t* mask, std::int64_t count) {
  std::int64_t all = 0;
  constexpr std::int64_t at_once = 192;  // a byte counts so far
  std::int64_t first = 0;
  for (; first + at_once <= count; first += at_once) {
    std::uint8_t lanes[64] = {};
    for (std::int64_t i = 0; i < at_once; i += 64) {
      for (int l = 0; l < 64; ++l) lanes[l] += mask[first + i + l] != 0;
    }
    int sum = 0;
    for (int l = 0; l < 64; ++l) sum += lanes[l];
    all += sum;
  }
  for (; first < count; ++first) all += mask[first] != 0;
  return all;
}

/// Calls `run(first, last, start, end)` for the elements of each block, of which those that are
/// true have the places [start, end).
template <class Run>
void for_each_block(const View& mask, const View& starts, std::int64_t place_count, Run run) {
  const std::int64_t blocks = divided_up(mask.count, mask_block);
  const auto* const at = starts.as<std::int64_t>();
  for_each_part(blocks, 1, static_cast<double>(mask.count) * tuning::masked_ns,
                [&](std::int64_t first, std::int64_t last) {
                  for (std::int64_t b = first; b < last; ++b) {
                    const std::int64_t end = b + 1 < blocks ? at[b + 1] : place_count;
                    run(b * mask_block, smaller((b + 1) * mask_block, mask.count), at[b], end);
                  }
                });
}

/// Whether eight bytes are all false: most are, of a mask that is seldom true.
bool is_nothing(const std::uint8_t* mask) {
  std::uint64_t eight;
  std::memcpy(&eight, mask, sizeof eight);
  return eight == 0;
}

/// The places in [0, count) where `mask` is true, to `places`, which has room for `count`. Returns
/// how many.
std::int64_t true_places(const std::uint8_t* mask, std::int64_t count, std::uint16_t* places) {
  std::int64_t n = 0, i = 0;
#ifdef __AVX512BW__
  __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (; i + 16 <= count; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(mask + i));
    const __mmask16 is_true = _mm_test_epi8_mask(bytes, bytes);
    const __m512i first_ones = _mm512_maskz_compress_epi32(is_true, numbers);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(places + n), _mm512_cvtepi32_epi16(first_ones));
    n += __builtin_popcount(is_true);
    numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
  }
#endif
  for (; i + 8 <= count; i += 8) {
    if (is_nothing(mask + i)) continue;
    for (std::int64_t k = i; k < i + 8; ++k) {
      places[n] = static_cast<std::uint16_t>(k);
      n += mask[k] != 0;
    }
  }
  for (; i < count; ++i) {
    places[n] = static_cast<std::uint16_t>(i);
    n += mask[i] != 0;
  }
  return n;
}
static_assert(mask_block <= 1 << 16);

/// Calls `move(k, i)` for the k-th true place i of a block, from `first` on, of `most` at most.
template <class Move>
void for_each_true(const std::uint8_t* mask, std::int64_t first, std::int64_t last,
                   std::int64_t most, Move move) {
  std::uint16_t places[mask_block];
  const std::int64_t n = smaller(true_places(mask + first, last - first, places), most);
  for (std::int64_t k = 0; k < n; ++k) move(k, first + places[k]);
}

template <class Item>
void take(const MaskedTake& of) {
  typedef Item Aliased __attribute__((may_alias));
  const auto* const mask = of.mask.as<std::uint8_t>();
  const auto* const x = of.x.as<Aliased>();
  auto* const out = of.out.as<Aliased>();
  for_each_block(of.mask, of.starts, of.out.count,
                 [&](std::int64_t first, std::int64_t last, std::int64_t start, std::int64_t end) {
                   if (start == end) return;
                   if (end - start == last - first) {
                     copy_bytes(out + start, x + first,
                                (end - start) * static_cast<std::int64_t>(sizeof(Item)));
                     return;
                   }
                   const MaskProgress done = take_vectors<Aliased>(
                       mask + first, x + first, last - first, out + start, end - start);
                   for_each_true(mask, first + done.read, last, end - start - done.taken,
                                 [&, to = out + start + done.taken](
                                     std::int64_t k, std::int64_t i) { to[k] = x[i]; });
                 });
}

template <class Item>
void put(const MaskedPut& of) {
  typedef Item Aliased __attribute__((may_alias));
  const auto* const mask = of.mask.as<std::uint8_t>();
  const auto* const source = of.source.as<Aliased>();
  auto* const x = of.x.as<Aliased>();
  for_each_block(of.mask, of.starts, of.source.count,
                 [&](std::int64_t first, std::int64_t last, std::int64_t start, std::int64_t end) {
                   if (start == end) return;
                   const MaskProgress done = put_vectors<Aliased>(
                       mask + first, x + first, last - first, source + start, end - start);
                   for_each_true(mask, first + done.read, last, end - start - done.taken,
                                 [&, from = source + start + done.taken](
                                     std::int64_t k, std::int64_t i) { x[i] = from[k]; });
                 });
}

/// The coordinates of places that lie in one walk through the mask, which moves on and on.
class Coordinates {
 public:
  Coordinates(const View& mask, std::int64_t place) : dims_(mask.sizes.size()) {
    for (int d = 0; d < dims_; ++d) sizes_[d] = mask.sizes.data()[d];
    for (int d = dims_ - 1; d >= 0; --d) {
      at_[d] = place % sizes_[d];
      place /= sizes_[d];
    }
  }
  void advance(std::int64_t steps) {
    if (dims_ == 0) return;
    at_[dims_ - 1] += steps;
    for (int d = dims_ - 1; d > 0 && at_[d] >= sizes_[d]; --d) {
      const bool is_next = at_[d] < 2 * sizes_[d];  // a division takes long
      at_[d - 1] += is_next ? 1 : at_[d] / sizes_[d];
      at_[d] = is_next ? at_[d] - sizes_[d] : at_[d] % sizes_[d];
    }
  }
  std::int64_t operator[](int d) const { return at_[d]; }

 private:
  int dims_;
  std::int64_t sizes_[max_dims], at_[max_dims];
};

}  // namespace

template <>
std::int64_t kernel(const CountTrue& of, Stream) {
  const auto* const mask = of.mask.as<std::uint8_t>();
  auto* const starts = of.starts.as<std::int64_t>();
  const std::int64_t blocks = divided_up(of.mask.count, mask_block);
  for_each_part(blocks, 16, static_cast<double>(of.mask.count) * tuning::mask_counted_ns,
                [&](std::int64_t first, std::int64_t last) {
                  for (std::int64_t b = first; b < last; ++b)
                    starts[b] = count_true(mask + b * mask_block,
                                           smaller(of.mask.count - b * mask_block, mask_block));
                });
  std::int64_t all = 0;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t count = starts[b];
    starts[b] = all;
    all += count;
  }
  return all;
}

template <>
void kernel(const MaskedTake& of, Stream) {
  visit_item(item_size(of.x.dtype), [&]<class Item>(Type<Item>) { take<Item>(of); });
}

template <>
void kernel(const MaskedPut& of, Stream) {
  visit_item(item_size(of.x.dtype), [&]<class Item>(Type<Item>) { put<Item>(of); });
}

template <>
void kernel(const TruePlaces& of, Stream) {
  const auto* const mask = of.mask.as<std::uint8_t>();
  auto* const out = of.out.as<std::int64_t>();
  const std::int64_t along = of.out.strides.data()[0], across = of.out.strides.data()[1];
  const int dims = of.mask.sizes.size();
  for_each_block(of.mask, of.starts, of.out.sizes.data()[0],
                 [&](std::int64_t first, std::int64_t last, std::int64_t start, std::int64_t end) {
                   if (start == end) return;
                   std::uint16_t places[mask_block];
                   const std::int64_t n =
                       smaller(true_places(mask + first, last - first, places), end - start);
                   if (dims == 1) {
                     for (std::int64_t k = 0; k < n; ++k)
                       out[(start + k) * along] = first + places[k];
                     return;
                   }
                   Coordinates at(of.mask, first);
                   std::int64_t before = 0;
                   for (std::int64_t k = 0; k < n; ++k) {
                     at.advance(places[k] - before);
                     before = places[k];
                     for (int d = 0; d < dims; ++d) out[(start + k) * along + d * across] = at[d];
                   }
                 });
}

}  // namespace garboard::kernels::GARBOARD_ISA
