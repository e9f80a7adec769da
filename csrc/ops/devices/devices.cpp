#include "csrc/ops/devices/devices.h"

#include "kernels/table.h"

namespace garboard {

template <>
const Backend& backend<cpu_kind>() noexcept {
  static constexpr Backend cpu{
      .require = [](const char*, Device) {},
      .synchronize = [](Device) {},
      .table = []() -> const kernels::Table& { return kernels::cpu_table(); }};
  return cpu;
}

}  // namespace garboard
