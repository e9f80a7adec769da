// Elementwise kernels: a functor over dense memory, or over views of any strides. Each element is
// read once and written once.
#pragma once

#include <cstring>
#include <utility>

#include "kernels/cuda/launch/launch.h"
#include "kernels/functors/effort.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::cuda {

/// An input as a kernel takes it. A Python number comes as itself: the host's memory is not read.
template <class T>
struct Source {
  const T* data;  // null: `number` stands for all elements
  T number;
  bool is_single;  // one element for all

  GARBOARD_HD const functors::InMemory<T>* memory() const {
    return reinterpret_cast<const functors::InMemory<T>*>(data);
  }
  GARBOARD_HD T at(std::int64_t offset) const {
    return data ? functors::loaded<T>(memory()[offset]) : number;
  }
};

/// Whether a kernel waits for arithmetic more than for memory. Then it has one element in flight:
/// the functor's code stands in it as often as there are elements.
template <class F, class... T>
inline constexpr bool is_laborious = functors::effort_of<F> == functors::Effort::many ||
                                     (functors::ComplexNumber<T> || ...);

template <class F, class... T>
inline constexpr int elements_of = is_laborious<F, T...> ? 1 : pack_elements<T...>;
template <class F, class... T>
inline constexpr int places_of = is_laborious<F, T...> ? 1 : strided_in_flight;

template <class T, int elements>
struct alignas(sizeof(T) * elements) AlignedPack {
  T item[elements];
};

/// What one thread computes of a tile.
template <class T, int elements>
struct Packs {
  AlignedPack<functors::InMemory<T>, elements> pack[packs_in_flight];
};

/// Reads the packs that begin at `first`, `threads` packs apart.
template <int elements, class T>
GARBOARD_HD Packs<T, elements> load(const Source<T>& x, std::int64_t first) {
  using Item = functors::InMemory<T>;
  Packs<T, elements> packs;
  if (x.is_single) {
    const T single = x.at(0);
    for (auto& pack : packs.pack)
      for (Item& item : pack.item) item = single;
    return packs;
  }
  for (int k = 0; k < packs_in_flight; ++k)
    packs.pack[k] = *reinterpret_cast<const AlignedPack<Item, elements>*>(x.memory() + first +
                                                                          k * threads * elements);
  return packs;
}

// Takes the inputs as values, so that all of them are loaded before the first is stored: the
// compiler may not change that order, for `out` may be an input.
template <class F, int elements, class Out, class... In>
GARBOARD_HD void compute(Out* out, std::int64_t first, Packs<In, elements>... in) {
  for (int k = 0; k < packs_in_flight; ++k) {
    AlignedPack<Out, elements> results;
    for (int i = 0; i < elements; ++i)
      results.item[i] = F{}(functors::loaded<In>(in.pack[k].item[i])...);
    *reinterpret_cast<AlignedPack<Out, elements>*>(out + first + k * threads * elements) = results;
  }
}

template <class F, class Out, class... In>
__global__ void dense(Out* out, std::int64_t count, Source<In>... in) {
  constexpr int elements = elements_of<F, Out, In...>;
  constexpr std::int64_t tile_elements = dense_tile(elements);
  const std::int64_t tile = blockIdx.x * tile_elements;
  if (tile + tile_elements <= count) {
    const std::int64_t first = tile + threadIdx.x * elements;
    compute<F, elements>(out, first, load<elements>(in, first)...);
    return;
  }
  for (std::int64_t i = tile + threadIdx.x; i < count; i += threads)
    out[i] = F{}(in.at(in.is_single ? 0 : i)...);
}

template <class F, class Out, class Offsets, std::size_t... k, class... In>
GARBOARD_HD void compute_one(Out* out, const Offsets& at, std::index_sequence<k...>,
                             const Source<In>&... in) {
  out[at.of[0]] = F{}(in.at(at.of[1 + k])...);
}

template <class F, class Out, class... In>
__global__ void strided(const __grid_constant__ OffsetCalculator<1 + sizeof...(In)> offsets,
                        Out* out, Source<In>... in) {
  constexpr int places = places_of<F, Out, In...>;
  const auto first = static_cast<std::uint32_t>(blockIdx.x * threads * places + threadIdx.x);
  for (int k = 0; k < places; ++k) {
    const std::uint32_t i = first + k * threads;
    if (i < offsets.count)
      compute_one<F>(out, offsets.at(i), std::index_sequence_for<In...>{}, in...);
  }
}

template <class T>
Source<T> source_of(const View& x) {
  const bool single = is_single(x);
  T number{};
  if (single && is_on_host(x.data)) {
    if constexpr (functors::Half<T>)
      if (x.dtype == DType::float32) return {nullptr, static_cast<T>(*x.as<float>()), true};
    std::memcpy(&number, x.data, sizeof(T));
    return {nullptr, number, true};
  }
  return {x.as<T>(), number, single};
}

template <class T>
Source<T> advanced(Source<T> x, std::int64_t offset) {
  if (x.data) x.data += offset;
  return x;
}

/// The kernels of a functor, and how many elements a thread of each has at once.
template <class Out, class... In>
struct ElementwiseKernels {
  void (*dense)(Out*, std::int64_t, Source<In>...);
  void (*strided)(OffsetCalculator<1 + sizeof...(In)>, Out*, Source<In>...);
  int elements, places;
};

template <class Out, class... In, std::size_t... k>
void launch_strided(const ElementwiseKernels<Out, In...>& of, const NestPart& nest, Stream stream,
                    Out* out, std::index_sequence<k...>, const Source<In>&... in) {
  for (const NestPart& part : parts_of(nest, most_elements)) {
    const Grid grid{divided_up(part.count(), threads * of.places), stream};
    launch(of.strided, grid, OffsetCalculator<1 + sizeof...(In)>(part), out + part.start[0],
           advanced(in, part.start[1 + k])...);
  }
}

/// Of all functors the same, so that it is compiled once for the types of the elements.
template <class Out, class... In, class... Views>
void run_kernels(const ElementwiseKernels<Out, In...>& of, Stream stream, const View& out,
                 const Views&... in) {
  if (out.count == 0) return;
  const NestPart nest = nest_over({&out, &in...});
  if (!is_dense(nest, {&out, &in...}, of.elements))
    return launch_strided(of, nest, stream, out.as<Out>(), std::index_sequence_for<In...>{},
                          source_of<In>(in)...);
  const Grid grid{divided_up(out.count, dense_tile(of.elements)), stream};
  launch(of.dense, grid, out.as<Out>(), out.count, source_of<In>(in)...);
}

/// out = F(in...), element by element. `In` are the element types of the views; each has out's
/// sizes, or is one element.
template <class F, class... In, class... Views>
void run(Stream stream, const View& out, const Views&... in) {
  using Out = std::invoke_result_t<F, In...>;
  run_kernels(ElementwiseKernels<Out, In...>{dense<F, Out, In...>, strided<F, Out, In...>,
                                             elements_of<F, Out, In...>, places_of<F, Out, In...>},
              stream, out, in...);
}

}  // namespace garboard::kernels::cuda
