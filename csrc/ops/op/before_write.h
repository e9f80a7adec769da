// Who is to know before a tensor is written in place.
#pragma once

#include "csrc/tensor/storage.h"

namespace garboard {

/// `call` gets the storage before an op writes into it, and may throw; null: nobody is told. For
/// whoever has put off reading it. Optimizers and backward passes do not tell.
void set_before_write(void (*call)(const Storage&)) noexcept;

}  // namespace garboard
