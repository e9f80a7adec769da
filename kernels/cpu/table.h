// The CPU's kernels, once per instruction set. Only a machine that has the set may call them.
#pragma once

#include "kernels/table.h"

namespace garboard::kernels {

namespace baseline {
const Table& table();
}
#ifdef __x86_64__
namespace v3 {
const Table& table();
}
namespace v4 {
const Table& table();
}
#endif

}  // namespace garboard::kernels
