// In which order a chain meets the elements of its inputs.
#pragma once

#include <vector>

#include "csrc/ops/fuse/chain.h"

namespace garboard {

/// The inputs of a program as its kernels read them, broadcast to one list of sizes: that of the
/// program, or with the dims in another order. Where all inputs of these sizes fill their memory in
/// one order of dims, that is the order, and pieces are stretches of memory. Of others, what lies
/// turned is read through a dense copy: across its grain a line of the cache is fetched for each
/// element.
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
