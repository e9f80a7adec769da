// Slices in order. What is written is fetched anew by its place, so that 0 keeps its sign and NaN
// its bits.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/launch/slices.h"
#include "kernels/cuda/sort/sort_entries.h"
#include "kernels/order_arguments.h"

namespace garboard::kernels::cuda {
namespace {

/// What holds a key of T, and a place below 2^32.
template <class T>
using EntryOf = std::conditional_t<sizeof(T) <= 4, functors::NarrowEntry, functors::WideEntry>;

/// Of values, indices and x.
using SortSlices = Slices<3>;

template <class T, class Entry>
__global__ void make_entries(const __grid_constant__ SortSlices slices, Entry* entries, const T* x,
                             std::int64_t count, bool descending) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t place = i % slices.size;
  const std::int64_t start = slices.starts.at(static_cast<std::uint32_t>(i / slices.size)).of[2];
  const auto key = functors::key_at(x[start + place * slices.strides[2]]);
  entries[i] = Entry::of(descending ? static_cast<decltype(key)>(~key) : key, place);
}

template <class T>
struct SortResults {
  T* values;  // either may be null
  std::int64_t* indices;
  const T* x;

  GARBOARD_HD void write(const SortSlices& slices, std::uint32_t slice, std::int64_t i,
                         std::int64_t place) const {
    const auto start = slices.starts.at(slice);
    if (values)
      values[start.of[0] + i * slices.strides[0]] = x[start.of[2] + place * slices.strides[2]];
    if (indices) indices[start.of[1] + i * slices.strides[1]] = place;
  }
};

template <class T, class Entry>
__global__ void write_sorted(const __grid_constant__ SortSlices slices, SortResults<T> results,
                             const Entry* sorted, std::int64_t wanted, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t slice = i / wanted, at = i % wanted;
  results.write(slices, static_cast<std::uint32_t>(slice), at,
                sorted[slice * slices.size + at].place());
}

/// How many entries of a slice are of numbers: those of NaN come behind them.
template <class T, class Entry>
GARBOARD_HD std::int64_t numbers_in(const Entry* sorted, std::int64_t size) {
  std::int64_t first = 0, left = functors::Floating<T> ? size : 0;
  if (left == 0) return size;
  while (left > 0) {
    const std::int64_t half = left / 2;
    const bool is_number = sorted[first + half].key() != functors::last_key<T>;
    first += is_number ? half + 1 : 0;
    left = is_number ? left - half - 1 : half;
  }
  return first;
}

template <class T, class Entry>
__global__ void write_selected(const __grid_constant__ SortSlices slices, SortResults<T> results,
                               const Entry* sorted, std::int64_t rank, NaNs nans) {
  const auto slice = static_cast<std::uint32_t>(blockIdx.x * threads + threadIdx.x);
  if (slice >= slices.starts.count) return;
  const Entry* const mine = sorted + slice * slices.size;
  const std::int64_t numbers = numbers_in<T>(mine, slices.size);
  std::int64_t chosen = nans == NaNs::passed_over ? (numbers - 1) / 2 : rank;
  if (numbers < slices.size && (nans == NaNs::win || numbers == 0)) chosen = numbers;
  results.write(slices, slice, 0, mine[chosen].place());
}

template <class T, class Entry>
__global__ void write_modes(const __grid_constant__ SortSlices slices, SortResults<T> results,
                            const Entry* sorted) {
  const auto slice = static_cast<std::uint32_t>(blockIdx.x * threads + threadIdx.x);
  if (slice >= slices.starts.count) return;
  const Entry* const mine = sorted + slice * slices.size;
  std::int64_t run = 0, longest = 0, place = 0;
  for (std::int64_t i = 0; i < slices.size; ++i) {
    run = i > 0 && mine[i].key() == mine[i - 1].key() ? run + 1 : 1;
    if (run <= longest) continue;
    longest = run;
    place = mine[i].place();
  }
  results.write(slices, slice, 0, place);
}

/// Calls `run(slices, results, sorted)` for each part of the slices.
template <class T, class Of, class Run>
void with_sorted(const Of& of, bool descending, Stream stream, Run run) {
  for_each_part_of_slices(
      {&of.values, &of.indices, &of.x}, of.dim, [&](const SortSlices& slices, const auto& at) {
        if (slices.size >= std::int64_t{1} << 32)
          throw DeviceError(text(Of::name, ": ", slices.size,
                                 " elements on a CUDA device; below 2^32 are needed"));
        const std::int64_t count = slices.starts.count * slices.size;
        const Scratch scratch(2 * count * sizeof(EntryOf<T>), stream);
        auto* const entries = scratch.as<EntryOf<T>>();
        const T* const x = of.x.template as<T>() + at[2];
        launch(make_entries<T, EntryOf<T>>, {divided_up(count, threads), stream}, slices, entries,
               x, count, descending);
        const SortResults<T> results{
            of.values.data ? of.values.template as<T>() + at[0] : nullptr,
            of.indices.data ? of.indices.template as<std::int64_t>() + at[1] : nullptr, x};
        run(slices, results,
            sort_entries(entries, entries + count, slices.starts.count, slices.size, stream));
      });
}

Grid one_thread_each(std::int64_t count, Stream stream) {
  return {divided_up(count, threads), stream};
}

}  // namespace

template <>
void kernel(const Sort& of, Stream stream) {
  const View& result = of.values.data ? of.values : of.indices;
  const std::int64_t wanted = result.ndim() ? result.sizes[of.dim] : 1;
  if (wanted == 0) return;
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) {
    with_sorted<T>(of, of.descending, stream,
                   [&]<class Entry>(const SortSlices& slices, const auto& results, Entry* sorted) {
                     const std::int64_t count = slices.starts.count * wanted;
                     launch(write_sorted<T, Entry>, one_thread_each(count, stream), slices, results,
                            sorted, wanted, count);
                   });
  });
}
template <>
void kernel(const Select& of, Stream stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) {
    with_sorted<T>(of, false, stream,
                   [&]<class Entry>(const SortSlices& slices, const auto& results, Entry* sorted) {
                     launch(write_selected<T, Entry>, one_thread_each(slices.starts.count, stream),
                            slices, results, sorted, of.rank, of.nans);
                   });
  });
}
template <>
void kernel(const Mode& of, Stream stream) {
  visit_real(of.name, of.x.dtype, [&]<class T>(Type<T>) {
    with_sorted<T>(of, false, stream,
                   [&]<class Entry>(const SortSlices& slices, const auto& results, Entry* sorted) {
                     launch(write_modes<T, Entry>, one_thread_each(slices.starts.count, stream),
                            slices, results, sorted);
                   });
  });
}

}  // namespace garboard::kernels::cuda
