// The table of CUDA devices: what this library's sources define, and stand-ins for the rest.
#pragma once

#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/library/lacking.h"

namespace garboard::kernels::cuda {

inline Table filled_table() {
  Table table = lacking_table();
  for (const auto fill : {fill_unary, fill_binary, fill_ternary, fill_reduce}) fill(table);
  for_each_type(Kernels{}, [&]<class Arguments> {
    // Null where no source defines it. Volatile: GCC 12 is sure that the address of a template's
    // instance is none, weak or not.
    const Kernel<Arguments> volatile address = kernel<Arguments>;
    if (const Kernel<Arguments> defined = address) table.of<Arguments>() = defined;
  });
  return table;
}

}  // namespace garboard::kernels::cuda
