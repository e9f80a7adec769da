// Where numbers would stand in a sorted row: by halving, without a branch on what is compared.
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/order/entries.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr int at_once = 16;         // keys whose halvings wait for memory together
constexpr std::int64_t few = 1024;  // elements that are worth a row of their keys

/// A row's keys, each made when it is looked at.
template <class T>
struct KeysOf {
  using Place = std::int64_t;
  StridedSlice<const T> row;
  BitsOf<T> operator[](Place i) const { return key_at(row[i]); }
};

/// A row's keys, made before. Its places are as wide as they are: a lane of a vector holds either.
template <class T>
struct KeptKeys {
  using Place = std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>;
  const BitsOf<T>* row;
  BitsOf<T> operator[](Place i) const { return row[i]; }
};

/// How many of `count` sorted keys come before each of `bounds`.
template <class Keys, class Key>
void find(const Keys& sorted, std::int64_t count, const Key* bounds, typename Keys::Place* place) {
  using Place = typename Keys::Place;
  const auto step = [&](Place half) __attribute__((always_inline)) {
    for (int k = 0; k < at_once; ++k) {
      const Key there = sorted[place[k] + half - 1];
      place[k] += there < bounds[k] ? half : Place(0);
    }
  };
  for (int k = 0; k < at_once; ++k) place[k] = 0;
  auto rest = static_cast<Place>(count);
  for (; rest > 1; rest -= rest / 2) step(rest / 2);
  if (rest == 1) step(1);
}

/// With `right`, what is equal comes before, too: the bound is the next key. After the last key
/// there is none, and all come before.
template <class T, class Keys>
void find_all(const Keys& sorted, std::int64_t count, bool right, StridedSlice<const T> values,
              StridedSlice<std::int64_t> out, std::int64_t first, std::int64_t last) {
  using Key = BitsOf<T>;
  Key bounds[at_once] = {};
  typename Keys::Place place[at_once];
  for (; first < last; first += at_once) {
    const auto some = static_cast<int>(smaller(at_once, last - first));
    for (int k = 0; k < some; ++k)
      bounds[k] = static_cast<Key>(key_at(values[first + k]) + Key(right));
    find(sorted, count, bounds, place);
    for (int k = 0; k < some; ++k) out[first + k] = right && bounds[k] == 0 ? count : place[k];
  }
}

template <class T>
void search(const SearchSorted& of) {
  const int dim = of.out.sizes.size() - 1;
  const std::int64_t count = of.out.sizes.data()[dim];
  if (of.out.count == 0) return;
  const double slice_ns = tuning::looked_for_ns * static_cast<double>(count);
  for_each_slice({&of.out, &of.values, &of.sorted}, dim, slice_ns, [&](char* const* data) {
    const StridedSlice<std::int64_t> out = slice_of<std::int64_t>(of.out, dim, data[0]);
    const StridedSlice<const T> values = slice_of<const T>(of.values, dim, data[1]);
    const StridedSlice<const T> sorted = slice_of<const T>(of.sorted, dim, data[2]);
    const auto find_in = [&](const auto& keys) {
      for_each_part(count, tuning::looked_for_part, slice_ns,
                    [&](std::int64_t first, std::int64_t last) {
                      find_all<T>(keys, sorted.count, of.right, values, out, first, last);
                    });
    };
    if (sorted.count > smaller(few, count)) return find_in(KeysOf<T>{sorted});
    BitsOf<T> kept[few];
    for (std::int64_t i = 0; i < sorted.count; ++i) kept[i] = key_at(sorted[i]);
    find_in(KeptKeys<T>{kept});
  });
}

}  // namespace

template <>
void kernel(const SearchSorted& of, Stream) {
  visit_real(of.name, of.values.dtype, [&]<class T>(Type<T>) { search<T>(of); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
