// The widest vectors that functions can return where they are compiled, without naming an
// instruction.
#pragma once

#include <cstdint>
#include <utility>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr bool has_many_registers = true;  // 32 of them, else 16
#else
constexpr bool has_many_registers = false;
#endif

template <class T>
struct WideVector {
  typedef T Type __attribute__((vector_size(vector_bytes)));
  static constexpr std::int64_t lanes = vector_bytes / sizeof(T);

  static Type load(const T* from) {
    Type x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static Type load(const T* from, std::int64_t by) {
    if (by == 1) return load(from);
    if (by == 2) return load_every_second(from, std::make_integer_sequence<int, lanes>{});
    Type x;
    for (int i = 0; i < lanes; ++i) x[i] = from[i * by];
    return x;
  }
  static void store(T* to, const Type& x) { __builtin_memcpy(to, &x, sizeof x); }
  static void store(T* to, const Type& x, std::int64_t count) {
    __builtin_memcpy(to, &x, static_cast<std::size_t>(count < lanes ? count : lanes) * sizeof(T));
  }

 private:
  /// Reads nothing behind the last one.
  template <int... k>
  static Type load_every_second(const T* from, std::integer_sequence<int, k...>) {
    return __builtin_shufflevector(load(from), load(from + lanes - 1),
                                   (k < lanes / 2 ? 2 * k : 2 * k + 1)...);
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
