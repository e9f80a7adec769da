// The kernels of simulated devices.
#include "kernels/entries.h"

namespace garboard::kernels {
namespace {

template <class... Arguments>
void do_nothing(Arguments...) noexcept {}

template <class Arguments>
ResultOf<Arguments> pass(const Arguments&, Stream) noexcept {
  if constexpr (!std::is_void_v<ResultOf<Arguments>>) return Arguments::idle_result;
}

Table filled() noexcept {
  Table table{};
  for_each_functor_entry(
      table, []<Name op, class... Arguments>(void (*&entry)(Arguments...)) {
        entry = do_nothing<Arguments...>;
      });
  for_each_type(Kernels{}, [&]<class Arguments> { table.of<Arguments>() = pass<Arguments>; });
  return table;
}

}  // namespace

const Table& idle_table() {
  static const Table filled_once = filled();
  return filled_once;
}

}  // namespace garboard::kernels
