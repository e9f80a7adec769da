#include "kernels/cpu/dense_reduce.h"
#include "kernels/cpu/parts.h"
#include "kernels/cpu/rows.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// A loop that carries an index along is not vectorised. So the row is searched by blocks, and only
// the first one that holds the extremum is searched for its place.
template <class F, class T>
void find_extremum(void* const* data, std::int64_t count) noexcept {
  constexpr std::int64_t block = 512;
  const T* x = static_cast<const T*>(data[2]);
  T best = x[0];
  std::int64_t at = 0;
  for (std::int64_t first = 0; first < count && best == best; first += block) {
    const T* from = x + first;
    const T found = reduce_dense<T>(
        count - first < block ? count - first : block, *from,
        F{}, [from](std::int64_t i) __attribute__((always_inline)) { return from[i]; });
    if (F{}(best, found) == best) continue;  // not if it is NaN
    best = found;
    at = first;
  }
  const auto is_it = [best](T element) { return (element == best) | (element != element); };
  for (constexpr int width = 32; at + width <= count; at += width) {
    int found = 0;
    for (int i = 0; i < width; ++i) found |= is_it(x[at + i]);
    if (found) break;
  }
  while (!is_it(x[at])) ++at;
  if (data[0]) *static_cast<T*>(data[0]) = best;
  *static_cast<std::int64_t*>(data[1]) = at;
}

template <class F>
void indexed(const View& values, const View& indices, const View& x, int dim, Stream) {
  visit_dtype(x.dtype, [&]<class T>(Type<T>) {
    const View* views[] = {&values, &indices, &x};
    for_each_row({find_extremum<F, T>, 3, 2}, views, dim);
  });
}

}  // namespace

void fill_indexed_reduce(Table& table) noexcept {
  table.maximum_index = indexed<functors::MaximumOf>;
  table.minimum_index = indexed<functors::MinimumOf>;
}

}  // namespace garboard::kernels::GARBOARD_ISA
