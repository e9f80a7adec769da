// memcpy, but for where it is ten to thirty times slower than it could be: on Zen 3 and 4 C
// libraries take some kilobytes with `rep movsb`, which crawls where the target lies a few bytes
// behind the source in a page (glibc's bug 30994). Rows of a slice, one column on, lie so.
#pragma once

#include <cstdint>
#include <cstring>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Nothing overlaps.
inline void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  constexpr std::int64_t least = 2048, most = 1 << 20;  // beyond, memory is what takes the time
  constexpr std::uintptr_t page = 4096, near = 64;
  const std::uintptr_t distance =
      (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
  if (bytes < least || bytes > most || distance - 1 >= near - 1) [[likely]]
    return static_cast<void>(std::memcpy(to, from, static_cast<std::size_t>(bytes)));
  auto* const y = static_cast<char*>(to);
  const auto* const x = static_cast<const char*>(from);
  typedef char Vector __attribute__((vector_size(32), aligned(1), may_alias));
  const auto copy_vector = [&](std::int64_t at) {
    *reinterpret_cast<Vector*>(y + at) = *reinterpret_cast<const Vector*>(x + at);
  };
  constexpr std::int64_t step = sizeof(Vector);
  for (std::int64_t i = 0; i + step <= bytes; i += step) copy_vector(i);
  copy_vector(bytes - step);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
