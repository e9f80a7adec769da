// Sampling along one dim. A first launch writes what each place is made of; the others read that
// table. Places go forwards with the elements they are made of, so those that an element has a part
// in follow each other, and its gradient is their sum.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/formulas/resampled_place.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
__global__ void find_places(ResampledPlace<T>* table, Resampling<T> form, std::int64_t places) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < places) table[i] = form.place(i);
}

template <class T>
__global__ void mix(T* out, const T* x, const ResampledPlace<T>* table, Resampling<T> form,
                    std::int64_t places, std::int64_t inner, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const ResampledPlace<T>& made = table[i / inner % places];
  x += i / inner / places * form.size * inner + i % inner;
  T sum = made.factor[0] * x[made.at[0] * inner];
  for (int k = 1; k < form.taps(); ++k) sum += made.factor[k] * x[made.at[k] * inner];
  out[i] = sum;
}

/// The first place whose tap `k` is at or behind `element`.
template <class T>
GARBOARD_HD std::int64_t first_place(const ResampledPlace<T>* table, std::int64_t places, int k,
                                     std::int64_t element) {
  std::int64_t from = 0, to = places;
  while (from < to) {
    const std::int64_t middle = from + (to - from) / 2;
    if (table[middle].at[k] < element)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/// The places that have a part of an element.
struct PlaceRange {
  std::int64_t first, end;
};

template <class T>
__global__ void find_ranges(PlaceRange* ranges, const ResampledPlace<T>* table, Resampling<T> form,
                            std::int64_t places) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < form.size)
    ranges[i] = {first_place(table, places, form.taps() - 1, i),
                 first_place(table, places, 0, i + 1)};
}

template <class T>
__global__ void gather_parts(T* x, const T* out, const ResampledPlace<T>* table,
                             const PlaceRange* ranges, Resampling<T> form, std::int64_t places,
                             std::int64_t inner, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t at = i / inner % form.size;
  out += i / inner / form.size * places * inner + i % inner;
  const PlaceRange range = ranges[at];
  T sum = 0;
  for (std::int64_t place = range.first; place < range.end; ++place)
    for (int k = 0; k < form.taps(); ++k)
      if (table[place].at[k] == at) sum += table[place].factor[k] * out[place * inner];
  x[i] = sum;
}

/// Memory for the table, and the kernel that fills it.
template <class T>
class PlaceTable {
 public:
  PlaceTable(const Resample& of, Stream stream)
      : form(Resampling<T>::of(of, of.x.sizes[1])),
        places(of.out.sizes[1]),
        memory_(places * sizeof(ResampledPlace<T>), stream) {
    launch(find_places<T>, {divided_up(places, threads), stream}, data(), form, places);
  }
  ResampledPlace<T>* data() const { return memory_.template as<ResampledPlace<T>>(); }

  const Resampling<T> form;
  const std::int64_t places;

 private:
  Scratch memory_;
};

template <class T>
void resample(const Resample& of, Stream stream) {
  const PlaceTable<T> table(of, stream);
  launch(mix<T>, {divided_up(of.out.count, threads), stream}, of.out.as<T>(), of.x.as<T>(),
         table.data(), table.form, table.places, of.out.sizes[2], of.out.count);
}

template <class T>
void gather(const ResampleGradient& of, Stream stream) {
  const PlaceTable<T> table(of, stream);
  const Scratch ranges(table.form.size * sizeof(PlaceRange), stream);
  launch(find_ranges<T>, {divided_up(table.form.size, threads), stream}, ranges.as<PlaceRange>(),
         table.data(), table.form, table.places);
  launch(gather_parts<T>, {divided_up(of.x.count, threads), stream}, of.x.as<T>(), of.out.as<T>(),
         table.data(), ranges.as<PlaceRange>(), table.form, table.places, of.x.sizes[2],
         of.x.count);
}

}  // namespace

template <>
void kernel(const Resample& of, Stream stream) {
  if (of.out.count == 0) return;
  of.x.dtype == DType::float32 ? resample<float>(of, stream) : resample<double>(of, stream);
}
template <>
void kernel(const ResampleGradient& of, Stream stream) {
  if (of.x.count == 0) return;
  of.x.dtype == DType::float32 ? gather<float>(of, stream) : gather<double>(of, stream);
}

}  // namespace garboard::kernels::cuda
