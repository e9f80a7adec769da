// Division of many integers by one: by a product and a shift (Granlund and Montgomery, "Division by
// invariant integers using multiplication", 1994). The machine's own takes ten times as long, and
// no vectors.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "kernels/functors/binary.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// All bits set where `a` is below 0.
template <class T>
std::make_unsigned_t<T> sign_mask(T a) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::make_unsigned_t<T>>(a >> (sizeof(T) * 8 - 1));
  else
    return 0;
}
template <class T>
std::make_unsigned_t<T> size_of_number(T a) {
  using Size = std::make_unsigned_t<T>;
  return static_cast<Size>((static_cast<Size>(a) ^ sign_mask(a)) - sign_mask(a));
}

/// What a / b and its rest are, for one b whose size is 2 at least.
template <class T>
class Divisor {
  using Size = std::make_unsigned_t<T>;
  using Wide = std::conditional_t<sizeof(T) == 8, unsigned __int128,
                                  std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>>;
  using Factor = std::conditional_t<sizeof(T) == 8, std::uint64_t, Wide>;
  static constexpr int bits = static_cast<int>(sizeof(T)) * 8 - std::is_signed_v<T>;

 public:
  explicit Divisor(T b)
      : size_(size_of_number(b)),
        shift_(bits + std::bit_width(static_cast<Size>(size_ - 1))),
        factor_(static_cast<Factor>((Wide(1) << shift_) / size_ + 1)) {}

  static bool takes(T b) { return size_of_number(b) >= 2; }

  struct Result {
    Size whole, rest;
  };
  /// Of |a|, whose bits are at most those of a number that T holds, or one more.
  Result divide(Size a) const {
    const Wide product = Wide(a) * factor_;
    Size whole;
    if constexpr (sizeof(T) == 8)  // half of the product is all that is shifted
      whole = static_cast<Size>(product >> 64) >> (shift_ - 64);
    else
      whole = static_cast<Size>(product >> shift_);
    return {whole, static_cast<Size>(a - whole * size_)};
  }

 private:
  Size size_;
  int shift_;
  Factor factor_;
};

template <class F>
concept Divides = std::is_same_v<F, functors::Remainder> ||
    std::is_same_v<F, functors::FloorDivide> || std::is_same_v<F, functors::Fmod>;

/// y[i] = F(a[i], b), for a b that the divisor takes. Signs are masks: as branches they would be
/// mispredicted half the time.
template <Divides F, functors::Integer T>
void divide_by_one(T* y, const T* a, std::int64_t count, T b) {
  using Size = std::make_unsigned_t<T>;
  const Divisor<T> by(b);
  const Size of_b = sign_mask(b), size = size_of_number(b);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) {
    const Size of_a = sign_mask(a[i]), differ = of_a ^ of_b;
    const auto [whole, rest] = by.divide(size_of_number(a[i]));
    const Size is_rest = rest != 0;
    if constexpr (std::is_same_v<F, functors::FloorDivide>) {
      y[i] = static_cast<T>(((whole + (differ & is_rest)) ^ differ) - differ);
    } else if constexpr (std::is_same_v<F, functors::Remainder>) {
      const Size away = differ & static_cast<Size>(Size(0) - is_rest);
      y[i] = static_cast<T>(((((rest ^ away) - away) + (size & away)) ^ of_b) - of_b);
    } else {
      y[i] = static_cast<T>((rest ^ of_a) - of_a);
    }
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
