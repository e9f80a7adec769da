// One kernel for a chain of elementwise ops: each input is read once, the result is written once,
// by packs of up to 16 bytes where memory allows it. What is computed in between, a struct says
// that chain_source.cpp writes: NVRTC compiles this file together with it, when a program runs.
#pragma once

#include <cstdint>

#include "kernels/cuda/fuse/chain_arguments.h"
#include "kernels/cuda/launch/packs.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/in_float.h"
#include "kernels/functors/ternary.h"
#include "kernels/functors/unary.h"

namespace garboard::kernels::cuda {

template <int place, class List>
struct TypeAt;
template <int place, class First, class... Rest>
struct TypeAt<place, TypeList<First, Rest...>> : TypeAt<place - 1, TypeList<Rest...>> {};
template <class First, class... Rest>
struct TypeAt<0, TypeList<First, Rest...>> {
  using Type = First;
};

// The words of the struct: dtypes and functors by their places in their roll calls.

template <int dtype>
using Element = typename TypeAt<dtype, ElementTypes>::Type;
template <int functor, int dtype>
using OfOne = functors::On<typename TypeAt<functor, functors::UnaryFunctors>::Type, Element<dtype>>;
template <int functor, int dtype>
using OfTwo =
    functors::On<typename TypeAt<functor, functors::BinaryFunctors>::Type, Element<dtype>>;
template <int functor, int dtype>
using OfThree =
    functors::On<typename TypeAt<functor, functors::TernaryFunctors>::Type, Element<dtype>>;

/// Elements of an input at `offset`; one for all where it `repeats`.
template <bool repeats, class T, int elements>
GARBOARD_HD void load_input(ElementPack<T, elements>& pack, const void* data, std::int64_t offset) {
  using Item = functors::InMemory<T>;
  const Item* const from = static_cast<const Item*>(data) + offset;
  if constexpr (repeats) {
    const Item single = *from;
    for (Item& item : pack.item) item = single;
  } else {
    pack = *reinterpret_cast<const ElementPack<T, elements>*>(from);
  }
}

/// Where pack `i` lies in each input.
template <class Chain>
struct ChainPlaces {
  std::int64_t in[Chain::inputs] = {};

  GARBOARD_HD ChainPlaces(const typename Chain::Arguments& of, std::uint32_t i) {
    if constexpr (Chain::is_flat) {
      for (int k = 0; k < Chain::inputs; ++k) in[k] = i * of.strides[0][k];
    } else {
      for (int d = 0; d < of.shape.dims; ++d) {
        const bool is_last = d == of.shape.dims - 1;
        const std::uint32_t rest = is_last ? 0 : of.shape.size[d].quotient(i);
        const std::uint32_t index = i - rest * of.shape.size[d].divisor();
        for (int k = 0; k < Chain::inputs; ++k) in[k] += index * of.strides[d][k];
        i = rest;
      }
    }
  }
};

/// Computes the elements of a pack.
template <class Chain, int elements>
GARBOARD_HD void compute_pack(const typename Chain::Arguments& of,
                              typename Chain::template Inputs<elements>& in, std::int64_t first) {
  using Out = typename Chain::Out;
  ElementPack<Out, elements> results;
  if constexpr (Chain::is_unrolled) {
    for (int i = 0; i < elements; ++i) results.item[i] = Chain::result(of, in, i);
  } else {  // its code stands there once
#pragma unroll 1
    for (int i = 0; i < elements; ++i) {
      results.pass_on(Chain::result(of, in, 0));
      in.pass_on();
    }
  }
  auto* const out = static_cast<functors::InMemory<Out>*>(of.out) + first;
  *reinterpret_cast<ElementPack<Out, elements>*>(out) = results;
}

/// What a thread does: all its inputs are loaded before the first result is stored.
template <class Chain>
GARBOARD_HD void run_chain(const typename Chain::Arguments& of, unsigned block, unsigned thread) {
  constexpr int elements = Chain::elements, packs = Chain::packs;
  using Places = ChainPlaces<Chain>;
  const std::uint32_t first = block * chain_threads * packs + thread, count = of.shape.count;
  typename Chain::template Inputs<elements> in[packs];
  for (int k = 0; k < packs; ++k) {
    const std::uint32_t i = first + k * chain_threads;
    if (i < count) in[k].load(of, Places(of, i).in, 0);
  }
  for (int k = 0; k < packs; ++k) {
    const std::uint32_t i = first + k * chain_threads;
    if (i < count) compute_pack<Chain, elements>(of, in[k], std::int64_t{i} * elements);
  }
  if constexpr (elements > 1 && Chain::is_flat) {
    const std::uint32_t behind = count - first;
    if (of.shape.rest == 0 || behind % chain_threads != 0 || behind >= chain_threads * packs)
      return;
    const Places last(of, count);
    for (std::uint32_t i = 0; i < of.shape.rest; ++i) {
      typename Chain::template Inputs<1> one;
      one.load(of, last.in, i);
      compute_pack<Chain, 1>(of, one, std::int64_t{count} * elements + i);
    }
  }
}

}  // namespace garboard::kernels::cuda
