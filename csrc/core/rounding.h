// Rounding to multiples of a power of two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace garboard {

/// `multiple` is a power of two, here and below.
constexpr std::size_t rounded_down(std::size_t amount, std::size_t multiple) noexcept {
  return amount & ~(multiple - 1);
}
constexpr std::size_t rounded_up(std::size_t amount, std::size_t multiple) noexcept {
  return rounded_down(amount + multiple - 1, multiple);
}

/// The same of addresses.
inline std::byte* rounded_down(std::byte* address, std::size_t multiple) noexcept {
  return address - (reinterpret_cast<std::uintptr_t>(address) & (multiple - 1));
}
inline std::byte* rounded_up(std::byte* address, std::size_t multiple) noexcept {
  return rounded_down(address + multiple - 1, multiple);
}

/// The bytes of whole multiples, at addresses that are multiples, from `start` on.
inline std::size_t whole_bytes(std::byte* start, std::size_t bytes, std::size_t multiple) noexcept {
  std::byte* const first = rounded_up(start, multiple);
  std::byte* const end = rounded_down(start + bytes, multiple);
  return end > first ? static_cast<std::size_t>(end - first) : 0;
}

}  // namespace garboard
