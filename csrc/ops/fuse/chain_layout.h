// In which order a chain meets the elements of its inputs.
#pragma once

#include <vector>

#include "csrc/ops/fuse/chain.h"

namespace garboard {

/// The inputs of a program as its kernels read them, broadcast to the program's sizes, whose dims
/// are in the order in which the result lies: pieces of it are stretches of memory. What lies
/// across them is read through a copy that does not: against its grain a line of the cache is
/// fetched for each element.
struct ChainLayout {
  explicit ChainLayout(const ChainProgram& program);

  std::vector<View> views;  // one element each is left as it is
  Dims sizes;
  Dims strides;          // that results take, of the dims as the program has them
  bool is_flat = false;  // each view is dense, or one element

 private:
  std::vector<Tensor> copies_;
};

}  // namespace garboard
