// What of a chain and its memory decides on the kernel, and what of it a launch is told.
#pragma once

#include <string>
#include <vector>

#include "kernels/fused_chain.h"

namespace garboard::kernels::cuda {

/// The sizes of a chain, and how far it is from one element to the next in each input; runs of dims
/// merged. The output is dense. It borrows what the chain does.
struct ChainNest {
  struct Dim {
    std::int64_t size;
    std::int64_t strides[FusedChain::most_inputs];  // in elements
  };
  explicit ChainNest(const FusedChain& chain);

  std::int64_t count() const;
  const Dim& inner() const { return dim[dims - 1]; }
  /// Parts of at most `most` elements that together are this.
  std::vector<ChainNest> parts(std::int64_t most) const;

  const FusedChain* chain;
  int dims = 0;
  Dim dim[max_dims];  // the last is the innermost; at least one
  const char* in[FusedChain::most_inputs];
  char* out;

 private:
  void coalesce();
};

/// What a kernel is compiled for: the chain but for its numbers, and how its memory lies.
struct ChainForm {
  explicit ChainForm(const ChainNest& nest);

  /// Equal where the kernels are.
  std::string key() const;

  const FusedChain* chain;
  bool is_flat;  // one dim
  int elements;  // of a pack
  int packs;     // of a thread at once
  bool is_unrolled;
  std::vector<bool> repeats;  // of the inputs: along the inner dim, one element for all
};

/// The kernel's text, which needs chain_kernel.h.
std::string chain_source(const ChainForm& form);

/// What a launch is told: ChainArguments, as they lie in memory.
struct ChainLaunch {
  ChainLaunch(const ChainNest& nest, const ChainForm& form);

  std::int64_t blocks;
  std::vector<std::uint64_t> arguments;
};

}  // namespace garboard::kernels::cuda
