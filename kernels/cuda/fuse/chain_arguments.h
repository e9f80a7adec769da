// What a launch of a chain is told, for the host that writes it and the kernel that reads it.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch/divider.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::cuda {

inline constexpr int chain_threads = 256;  // of a block
inline constexpr int chain_dims = 8;       // at most

/// What of a launch is the same whatever the chain.
struct alignas(8) ChainShape {
  std::uint32_t count;       // of packs
  std::uint32_t rest;        // elements behind the last of them, where there is one dim
  std::int32_t dims;         // of the packs
  Divider size[chain_dims];  // the innermost first
};

/// All that a launch is told. The host writes it as words of 8 bytes, which all is aligned to.
template <int inputs, int numbers>
struct ChainArguments {
  ChainShape shape;
  void* out;                // dense: pack i is the i-th
  std::uint64_t unknown_0;  // 0, which compilers cannot know
  const void* in[inputs];
  std::int64_t strides[chain_dims][inputs];  // of packs, in elements
  std::uint64_t numbers_[numbers + 1];

  template <class T>
  GARBOARD_HD T number(int i) const {
    if constexpr (functors::Boolean<T>) return numbers_[i] != 0;
    if constexpr (sizeof(T) == 1) return static_cast<T>(numbers_[i]);
    if constexpr (sizeof(T) == 2)
      return functors::bits_as<T>(static_cast<std::uint16_t>(numbers_[i]));
    if constexpr (sizeof(T) == 4)
      return functors::bits_as<T>(static_cast<std::uint32_t>(numbers_[i]));
    if constexpr (sizeof(T) == 8) return functors::bits_as<T>(numbers_[i]);
  }

  /// What an op has made, for the next one. Through an operation on its bits that does nothing:
  /// else a product and the sum after it might be rounded once, and not as the ops by themselves
  /// are.
  template <class T>
  GARBOARD_HD T apart(T x) const {
    if constexpr (std::is_same_v<T, float>)
      return functors::bits_as<float>(functors::bits_as<std::uint32_t>(x) ^
                                      static_cast<std::uint32_t>(unknown_0));
    else if constexpr (std::is_same_v<T, double>)
      return functors::bits_as<double>(functors::bits_as<std::uint64_t>(x) ^ unknown_0);
    else
      return x;
  }
};

}  // namespace garboard::kernels::cuda
