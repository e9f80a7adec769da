// The kernels of simulated devices.
#include "kernels/entries.h"

namespace garboard::kernels {
namespace {

template <class Kernel>
struct Idle;
template <class Result, class... Arguments>
struct Idle<Result (*)(Arguments...)> {
  static Result kernel(Arguments...) noexcept {
    if constexpr (!std::is_void_v<Result>) return Result{-1};  // no row is out of range
  }
};

Table filled() noexcept {
  Table table{};
  for_each_entry(table, []<Name op, class Kernel>(Kernel& entry) { entry = Idle<Kernel>::kernel; });
  return table;
}

}  // namespace

const Table& idle_table() {
  static const Table filled_once = filled();
  return filled_once;
}

}  // namespace garboard::kernels
