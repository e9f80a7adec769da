// What the sources of this folder define. A kernel that none of them defines raises DeviceError.
#pragma once

#include "kernels/table.h"

namespace garboard::kernels::cuda {

/// The kernel that takes `Arguments`: specialised in the source named for it. Weak: its address is
/// null where no source does.
template <OnRollCall Arguments>
[[gnu::weak]] ResultOf<Arguments> kernel(const Arguments&, Stream);

// The functors' entries; each is defined in the source named like it.
void fill_unary(Table& table);
void fill_binary(Table& table);
void fill_ternary(Table& table);
void fill_reduce(Table& table);

}  // namespace garboard::kernels::cuda
