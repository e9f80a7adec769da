// Dense rows that threads hold in registers: read once, whatever is then asked of them.
#pragma once

#include <utility>

#include "kernels/cuda/launch/launch_plan.h"
#include "kernels/cuda/launch/packs.h"

namespace garboard::kernels::cuda {

/// How many neighbouring threads hold a row, and how many packs each of them.
struct HeldPlan {
  int lanes;
  int packs;  // 0: the row is too long
};

/// The most packs of T that a thread holds: 32 elements, or 16 double ones.
template <class T>
inline constexpr int most_held = sizeof(T) >= 4 ? 8 : 4;

/// The plan for rows of `size` elements of T. Lanes are many enough to read lines of memory as
/// wholes, and few enough to have several packs each.
template <class T>
HeldPlan plan_held_rows(std::int64_t size) {
  const std::int64_t packs = divided_up(size, pack_of<T, 8>);
  if (packs > threads * most_held<T>) return {1, 0};
  const auto wide = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(packs)));
  int lanes = std::clamp(wide / 4, std::min(wide, 8), threads);
  if (wide / 4 > 32 && wide / most_held<T> <= 32) lanes = 32;  // within a warp nobody has to wait
  for (int held = most_held<T> / 4;; held *= 2)
    if (held * lanes >= packs) return {lanes, held};
}

/// Calls `visit(n)` for each n below `count`. Unrolled whatever the compiler thinks of that: what
/// registers hold cannot be counted through.
template <int count, class Visit>
GARBOARD_HD void unrolled(Visit visit) {
  [&]<int... n>(std::integer_sequence<int, n...>) { (visit(n), ...); }
  (std::make_integer_sequence<int, count>{});
}

/// What a lane holds of a row.
template <class T, int packs>
struct HeldRow {
  static constexpr int pack = pack_of<T, 8>;

  ElementPack<T, pack> held[packs];
  int first, step;  // element 0 of pack 0, and from there to that of pack 1

  /// Beyond the `size` elements of the row stands `filling`.
  GARBOARD_HD HeldRow(const T* row, int lane, int lanes, int size, T filling)
      : first(lane * pack), step(lanes * pack) {
    if (size % pack == 0 && suits_packs<T, pack>(row)) {
      unrolled<packs>([&](int k) {
        for (int i = 0; i < pack; ++i) held[k].item[i] = filling;
        if (first + k * step < size) held[k] = load_pack<T, pack>(row + first + k * step, true);
      });
      return;
    }
    for_each([&](int k, int i) {
      held[k].item[i] = filling;
      if (place(k, i) < size) held[k].item[i] = row[place(k, i)];
    });
  }

  GARBOARD_HD T operator()(int k, int i) const { return held[k][i]; }
  /// Where it stands in the row.
  GARBOARD_HD int place(int k, int i) const { return first + k * step + i; }

  /// Calls `visit(k, i)` for item i of each pack k.
  template <class Visit>
  GARBOARD_HD static void for_each(Visit visit) {
    unrolled<packs * pack>([&](int n) { visit(n / pack, n % pack); });
  }
  /// Of another row, which may be null, what stands beside pack k.
  GARBOARD_HD ElementPack<T, pack> beside(int k, const T* row, int size, T filling) const {
    ElementPack<T, pack> found;
    for (int i = 0; i < pack; ++i) found.item[i] = filling;
    if (!row) return found;
    if (size % pack == 0 && suits_packs<T, pack>(row)) {
      if (place(k, 0) < size) found = load_pack<T, pack>(row + place(k, 0), true);
    } else {
      for (int i = 0; i < pack; ++i)
        if (place(k, i) < size) found.item[i] = row[place(k, i)];
    }
    return found;
  }
  /// Writes `result(i)` to another row, where item i of pack k stands.
  template <class Result>
  GARBOARD_HD void write_pack(int k, T* row, int size, Result result) const {
    const bool is_aligned = size % pack == 0 && suits_packs<T, pack>(row);
    ElementPack<T, pack> results;
    unrolled<pack>([&](int i) { results.item[i] = result(i); });
    store_part(row + place(k, 0), results, size - place(k, 0), is_aligned);
  }
  /// Writes `result(k, i)` for all of them.
  template <class Result>
  GARBOARD_HD void write(T* row, int size, Result result) const {
    unrolled<packs>([&](int k) { write_pack(k, row, size, [&](int i) { return result(k, i); }); });
  }
};

/// Calls `run(number)` with the number of packs that a kernel was compiled for, as a constant.
template <class T, class Run>
void with_held_packs(int packs, Run run) {
  constexpr int most = most_held<T>;
  if (packs == most) return run(std::integral_constant<int, most>{});
  if (packs == most / 2) return run(std::integral_constant<int, most / 2>{});
  run(std::integral_constant<int, most / 4>{});
}

}  // namespace garboard::kernels::cuda
