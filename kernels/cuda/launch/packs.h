// Neighbours in memory that a thread loads or stores at once, up to 16 bytes.
#pragma once

#include <cstdint>

#include "kernels/functors/element.h"

namespace garboard::kernels::cuda {

template <class T, int elements>
struct alignas(sizeof(T) * elements) ElementPack {
  functors::InMemory<T> item[elements];

  GARBOARD_HD T operator[](int i) const { return functors::loaded<T>(item[i]); }
  /// What stands first goes, and `last` comes behind all: every place is known when compiling, so
  /// that a pack stays in registers in a loop that is not unrolled.
  GARBOARD_HD void pass_on(functors::InMemory<T> last) {
    for (int i = 0; i + 1 < elements; ++i) item[i] = item[i + 1];
    item[elements - 1] = last;
  }
};

/// Elements of T in a pack of 16 bytes, but at most `most`.
template <class T, int most = 16>
inline constexpr int pack_of = 16 / sizeof(T) < most ? 16 / static_cast<int>(sizeof(T)) : most;

/// Whether packs can be read and written there at once.
template <class T, int elements>
GARBOARD_HD bool suits_packs(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % (sizeof(T) * elements) == 0;
}

/// The pack that begins at `from`. Where it is not aligned its elements come one by one: in the
/// same order, so results do not depend on addresses.
template <class T, int elements>
GARBOARD_HD ElementPack<T, elements> load_pack(const T* from, bool is_aligned) {
  const auto* const memory = reinterpret_cast<const functors::InMemory<T>*>(from);
  if (is_aligned) return *reinterpret_cast<const ElementPack<T, elements>*>(memory);
  ElementPack<T, elements> pack;
  for (int i = 0; i < elements; ++i) pack.item[i] = memory[i];
  return pack;
}

/// Writes the first `left` elements of a pack.
template <class T, int elements>
GARBOARD_HD void store_part(T* to, const ElementPack<T, elements>& pack, std::int64_t left,
                            bool is_aligned) {
  if (is_aligned && left >= elements) {
    *reinterpret_cast<ElementPack<T, elements>*>(to) = pack;
    return;
  }
  for (int i = 0; i < elements; ++i)
    if (i < left) to[i] = pack[i];
}

}  // namespace garboard::kernels::cuda
