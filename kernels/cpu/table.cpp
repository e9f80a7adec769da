#include "kernels/cpu/table.h"

#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/once.h"

namespace garboard::kernels::GARBOARD_LEAST_ISA {

template <OnRollCall Arguments>
ResultOf<Arguments> kernel(const Arguments&, Stream);

}  // namespace garboard::kernels::GARBOARD_LEAST_ISA

namespace garboard::kernels::GARBOARD_ISA {
namespace {

Table filled() noexcept {
  Table table{};
  for (const auto fill : {fill_unary, fill_binary, fill_ternary, fill_reduce}) fill(table);
  for_each_type(Kernels{}, [&]<class Arguments> {
    if constexpr (is_in<Arguments, CompiledOnce>)
      table.of<Arguments>() = GARBOARD_LEAST_ISA::kernel<Arguments>;
    else
      table.of<Arguments>() = kernel<Arguments>;
  });
  return table;
}

}  // namespace

const Table& table() {
  static const Table filled_once = filled();
  return filled_once;
}

}  // namespace garboard::kernels::GARBOARD_ISA
