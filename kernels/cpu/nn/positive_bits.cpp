// Which elements are above 0 or NaN, a bit each, and what is taken by such bits. Comparisons come
// first, by whole vectors and a byte each, in the first cache; then eight bytes become one.
#include <cstring>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/functors/element.h"
#include "kernels/loop_nest.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr std::int64_t bits_at_once = 512;  // elements whose comparisons are in the first cache

/// Eight truths, 0 or 1 a byte, as the bits of one byte: each factor takes one to its place.
std::uint8_t packed(const std::uint8_t* truths) {
  std::uint64_t eight;
  std::memcpy(&eight, truths, sizeof eight);
  return static_cast<std::uint8_t>(eight * 0x0102040810204080u >> 56);
}

/// Of elements [0, count), whose bits begin with a byte.
template <class T>
void pack(std::uint8_t* bits, const T* x, std::int64_t count) {
  alignas(64) std::uint8_t truths[bits_at_once];
  for (std::int64_t first = 0; first < count; first += bits_at_once) {
    const std::int64_t n = smaller(count - first, bits_at_once);
    for (std::int64_t i = 0; i < n; ++i) truths[i] = !(functors::widened(x[first + i]) <= 0);
    const std::int64_t bytes = divided_up(n, 8);
    for (std::int64_t i = n; i < bytes * 8; ++i) truths[i] = 0;
    for (std::int64_t b = 0; b < bytes; ++b) bits[first / 8 + b] = packed(truths + 8 * b);
  }
}

/// `Item` is an unsigned integer of an element's size: a bit becomes a mask of all its bits.
template <class Item>
void take(Item* out, const Item* x, const std::uint8_t* bits, std::int64_t count) {
  const std::int64_t whole = count / 8;
  for (std::int64_t b = 0; b < whole; ++b) {
    const Item byte = bits[b];
    for (int k = 0; k < 8; ++k)
      out[8 * b + k] = x[8 * b + k] & static_cast<Item>(-(byte >> k & Item{1}));
  }
  for (std::int64_t i = 8 * whole; i < count; ++i)
    out[i] = x[i] & static_cast<Item>(-static_cast<Item>(bits[i / 8] >> i % 8 & 1));
}

/// Calls `run(first, last)` for parts of `count` elements that begin with a byte of bits.
template <class Run>
void for_each_byte_part(std::int64_t count, Run run) {
  for_each_part(
      divided_up(count, 8), tuning::bits_part, static_cast<double>(count) * tuning::bit_ns,
      [&](std::int64_t first, std::int64_t last) { run(8 * first, smaller(8 * last, count)); });
}

}  // namespace

template <>
void kernel(const PositiveBits& of, Stream) {
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) {
    for_each_byte_part(of.x.count, [&](std::int64_t first, std::int64_t last) {
      pack(of.bits.as<std::uint8_t>() + first / 8, of.x.as<T>() + first, last - first);
    });
  });
}

template <>
void kernel(const WherePositive& of, Stream) {
  visit_item(item_size(of.x.dtype), [&]<class Item>(Type<Item>) {
    if constexpr (std::is_integral_v<Item>) {
      for_each_byte_part(of.x.count, [&](std::int64_t first, std::int64_t last) {
        take(of.out.as<Item>() + first, of.x.as<Item>() + first,
             of.bits.as<std::uint8_t>() + first / 8, last - first);
      });
    }
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
