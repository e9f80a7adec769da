// Elementwise kernels: a functor over rows of dense memory, or over views of any strides. Each
// element is read once and written once; of what lies across, a block takes square tiles.
#pragma once

#include <cstring>
#include <utility>

#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/packs.h"
#include "kernels/cuda/loop/across.h"
#include "kernels/functors/effort.h"
#include "kernels/functors/element.h"
#include "kernels/functors/in_float.h"

namespace garboard::kernels::cuda {

/// An input as a kernel takes it. A Python number comes as itself: the host's memory is not read.
template <class T>
struct Source {
  const T* data;  // null: `number` stands for all elements
  T number;
  bool repeats;  // along the inner dim, one element for all

  GARBOARD_HD const functors::InMemory<T>* memory() const {
    return reinterpret_cast<const functors::InMemory<T>*>(data);
  }
  GARBOARD_HD T at(std::int64_t offset) const {
    return data ? functors::loaded<T>(memory()[offset]) : number;
  }
};

/// Whether a kernel waits for arithmetic more than for memory. Then the functor's code stands in it
/// once, not as often as there are elements in flight.
template <class F, class... T>
inline constexpr bool is_laborious = functors::effort_of<F> == functors::Effort::many ||
                                     (functors::ComplexNumber<T> || ...);

/// Of such a functor, whether its code stands there for each element of a pack after all: one that
/// networks call for every layer, and whose arithmetic then takes less than memory does.
template <class F>
inline constexpr bool is_unrolled = false;
template <class F, functors::Half T>
inline constexpr bool is_unrolled<functors::InFloat<F, T>> = is_unrolled<F>;

template <class F, class... T>
inline constexpr int elements_of = is_laborious<F, T...> ? std::min(pack_elements<T...>, 4)
                                                         : pack_elements<T...>;
template <class F, class... T>
inline constexpr int packs_of = is_laborious<F, T...> ? 1 : packs_in_flight;
template <class F, class... T>
inline constexpr int places_of = is_laborious<F, T...> ? 1 : strided_in_flight;

/// What one thread has of an input.
template <class T, int elements, int packs>
struct Packs {
  ElementPack<T, elements> pack[packs];
};

/// Where the packs of a thread lie, `threads` packs apart.
template <int operands, int packs>
struct PackPlaces {
  typename OffsetCalculator<operands>::Offsets at[packs];
  std::uint32_t first, count;

  GARBOARD_HD PackPlaces(const OffsetCalculator<operands>& of, std::uint32_t first)
      : first(first), count(of.count) {
    for (int k = 0; k < packs; ++k) at[k] = of.at(first + k * threads);
  }
  GARBOARD_HD bool has(int k) const { return first + k * threads < count; }
};

template <int elements, int operand, class T, int operands, int packs>
GARBOARD_HD Packs<T, elements, packs> load(const Source<T>& x,
                                           const PackPlaces<operands, packs>& places) {
  using Item = functors::InMemory<T>;
  Packs<T, elements, packs> all;
  for (int k = 0; k < packs; ++k) {
    if (!places.has(k)) continue;
    const std::int64_t offset = places.at[k].of[operand];
    if (!x.repeats) {
      all.pack[k] = *reinterpret_cast<const ElementPack<T, elements>*>(x.memory() + offset);
    } else {
      const T single = x.at(offset);
      for (Item& item : all.pack[k].item) item = single;
    }
  }
  return all;
}

// Takes the inputs as values, so that all of them are loaded before the first is stored: the
// compiler may not change that order, for `out` may be an input.
template <class F, int elements, class Out, int operands, int packs, class... In>
GARBOARD_HD void compute(Out* out, const PackPlaces<operands, packs>& places,
                         Packs<In, elements, packs>... in) {
  for (int k = 0; k < packs; ++k) {
    if (!places.has(k)) continue;
    ElementPack<Out, elements> results;
    if constexpr (is_laborious<F, Out, In...>) {
#pragma unroll(is_unrolled <F> ? elements : 1)
      for (int i = 0; i < elements; ++i) {
        results.pass_on(F{}(in.pack[k][0]...));
        (in.pack[k].pass_on(in.pack[k].item[0]), ...);
      }
    } else {
      for (int i = 0; i < elements; ++i) results.item[i] = F{}(in.pack[k][i]...);
    }
    *reinterpret_cast<ElementPack<Out, elements>*>(out + places.at[k].of[0]) = results;
  }
}

template <class F, class Out, int operands, int packs, std::size_t... k, class... In>
GARBOARD_HD void compute_packs(Out* out, const PackPlaces<operands, packs>& places,
                               std::index_sequence<k...>, const Source<In>&... in) {
  constexpr int elements = elements_of<F, Out, In...>;
  compute<F, elements>(out, places, load<elements, 1 + k>(in, places)...);
}

/// The elements behind the last pack, which begin there.
template <class F, class Out, int operands, std::size_t... k, class... In>
GARBOARD_HD void compute_rest(Out* out, const typename OffsetCalculator<operands>::Offsets& places,
                              std::uint32_t rest, std::index_sequence<k...>,
                              const Source<In>&... in) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < rest; ++i)
    out[places.of[0] + i] = F{}(in.at(places.of[1 + k] + (in.repeats ? 0 : i))...);
}

/// Elements that suit packs, and `rest` behind the last pack.
template <class F, class Out, class... In>
__global__ void packed(const __grid_constant__ OffsetCalculator<1 + sizeof...(In)> packs,
                       std::uint32_t rest, Out* out, Source<In>... in) {
  constexpr int at_once = packs_of<F, Out, In...>, operands = 1 + sizeof...(In);
  const auto first = static_cast<std::uint32_t>(blockIdx.x * threads * at_once + threadIdx.x);
  const PackPlaces<operands, at_once> places(packs, first);
  constexpr auto all = std::index_sequence_for<In...>{};
  compute_packs<F>(out, places, all, in...);
  const std::uint32_t behind = packs.count - first;
  if (rest > 0 && behind % threads == 0 && behind < threads * at_once)
    compute_rest<F, Out, operands>(out, packs.at(packs.count), rest, all, in...);
}

template <class T, int places>
struct Values {
  T of[places];
};

template <int operand, class T, int operands, int count>
GARBOARD_HD Values<T, count> gather(const Source<T>& x, const PackPlaces<operands, count>& places) {
  Values<T, count> values;
  for (int k = 0; k < count; ++k)
    if (places.has(k)) values.of[k] = x.at(places.at[k].of[operand]);
  return values;
}

template <class F, class Out, int operands, int count, class... In>
GARBOARD_HD void compute_values(Out* out, const PackPlaces<operands, count>& places,
                                Values<In, count>... in) {
  for (int k = 0; k < count; ++k)
    if (places.has(k)) out[places.at[k].of[0]] = F{}(in.of[k]...);
}

template <class F, class Out, int operands, int count, std::size_t... k, class... In>
GARBOARD_HD void compute_places(Out* out, const PackPlaces<operands, count>& places,
                                std::index_sequence<k...>, const Source<In>&... in) {
  compute_values<F>(out, places, gather<1 + k>(in, places)...);
}

template <class F, class Out, class... In>
__global__ void strided(const __grid_constant__ OffsetCalculator<1 + sizeof...(In)> offsets,
                        Out* out, Source<In>... in) {
  constexpr int at_once = places_of<F, Out, In...>;
  const auto first = static_cast<std::uint32_t>(blockIdx.x * threads * at_once + threadIdx.x);
  const PackPlaces<1 + sizeof...(In), at_once> places(offsets, first);
  compute_places<F>(out, places, std::index_sequence_for<In...>{}, in...);
}

template <class T>
Source<T> source_of(const View& x) {
  T number{};
  if (is_single(x) && is_on_host(x.data)) {
    if constexpr (functors::Half<T>)
      if (x.dtype == DType::float32) return {nullptr, static_cast<T>(*x.as<float>()), true};
    std::memcpy(&number, x.data, sizeof(T));
    return {nullptr, number, true};
  }
  return {x.as<T>(), number, is_single(x)};
}

/// The source as a part of a nest meets it.
template <class T>
Source<T> met(const Source<T>& x, const NestPart& part, int operand) {
  if (!x.data) return x;
  const bool repeats = part.dims == 0 || part.inner().strides[operand] == 0;
  return {x.data + part.start[operand], x.number, repeats};
}

/// The kernels of a functor, and how much a thread of each has at once.
template <class Out, class... In>
struct ElementwiseKernels {
  void (*packed)(OffsetCalculator<1 + sizeof...(In)>, std::uint32_t, Out*, Source<In>...);
  void (*strided)(OffsetCalculator<1 + sizeof...(In)>, Out*, Source<In>...);
  int elements, packs, places;
};

template <class Out, class... In>
void launch_part(const ElementwiseKernels<Out, In...>& of, const NestPart& part, Stream stream,
                 Out* out, const Source<In>&... in) {
  using Offsets = OffsetCalculator<1 + sizeof...(In)>;
  const void* const data[] = {out, in.data...};
  constexpr std::size_t items[] = {sizeof(Out), sizeof(In)...};
  if (goes_by_packs(part, data, items, of.elements)) {
    const PackedPart by_packs(part, of.elements);
    const Offsets packs(by_packs.packs);
    const std::int64_t all = std::int64_t{packs.count} + (by_packs.rest > 0);
    launch(of.packed, {divided_up(all, threads * of.packs), stream}, packs, by_packs.rest, out,
           in...);
  } else {
    launch(of.strided, {divided_up(part.count(), threads * of.places), stream}, Offsets(part), out,
           in...);
  }
}

template <class Out, class... In, std::size_t... k>
void launch_parts(const ElementwiseKernels<Out, In...>& of, const NestPart& nest, Stream stream,
                  Out* out, std::index_sequence<k...>, const Source<In>&... in) {
  const auto launch_all = [&](const NestPart& whole) {
    for (const NestPart& part : parts_of(whole, most_elements))
      launch_part(of, part, stream, out + part.start[0], met(in, part, 1 + k)...);
  };
  int across = -1;
  ((across = std::max(across, in.data ? dim_across(nest, 1 + k) : -1)), ...);
  if (across < 0) return launch_all(nest);
  for (const NestPart& part : by_tiles(nest, across)) launch_all(part);
}

/// Of all functors the same, so that it is compiled once for the types of the elements.
template <class Out, class... In, class... Views>
void run_kernels(const ElementwiseKernels<Out, In...>& of, Stream stream, const View& out,
                 const Views&... in) {
  if (out.count == 0) return;
  launch_parts(of, nest_over({&out, &in...}), stream, out.as<Out>(),
               std::index_sequence_for<In...>{}, source_of<In>(in)...);
}

/// out = F(in...), element by element. `In` are the element types of the views; each has out's
/// sizes, or is one element.
template <class F, class... In, class... Views>
void run(Stream stream, const View& out, const Views&... in) {
  using Out = std::invoke_result_t<F, In...>;
  run_kernels(ElementwiseKernels<Out, In...>{packed<F, Out, In...>, strided<F, Out, In...>,
                                             elements_of<F, Out, In...>, packs_of<F, Out, In...>,
                                             places_of<F, Out, In...>},
              stream, out, in...);
}

}  // namespace garboard::kernels::cuda
