// Kernels that CUDA has not got: in their places stand functions that say so.
#pragma once

#include "kernels/cuda/launch/refusal.h"
#include "kernels/entries.h"

namespace garboard::kernels::cuda {

template <Name op, class... Arguments>
void lack_functor(Arguments...) {
  throw_lacking(op.letters);
}
template <class Arguments>
ResultOf<Arguments> lack(const Arguments&, Stream) {
  throw_lacking(Arguments::name);
}

/// A table that raises DeviceError, in the name of the op, whatever is called.
inline Table lacking_table() {
  Table table{};
  for_each_functor_entry(
      table, []<Name op, class... Arguments>(void (*&entry)(Arguments...)) {
        entry = lack_functor<op, Arguments...>;
      });
  for_each_type(Kernels{}, [&]<class Arguments> { table.of<Arguments>() = lack<Arguments>; });
  return table;
}

}  // namespace garboard::kernels::cuda
