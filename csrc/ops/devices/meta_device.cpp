// The device of tensors that are sizes, dtypes and nothing else: an allocator books what they would
// take, and there is no memory behind its addresses. Kernels return at once, and who asks for an
// element is refused.
#include <mutex>

#include "csrc/core/bytes.h"
#include "csrc/device/backend.h"
#include "csrc/memory/allocator/allocators.h"
#include "csrc/memory/sources/simulated_source.h"
#include "kernels/table.h"

namespace garboard {
namespace {

constexpr DeviceKind meta_kind = device_kind("meta");
constexpr std::size_t capacity_bytes = std::size_t{1} << 50;  // addresses alone

void open_at_first_use(const char*, Device device) {
  static std::once_flag is_open;
  std::call_once(is_open, [device] {
    register_source(device, new SimulatedSource({.capacity_bytes = capacity_bytes,
                                                 .name = name_of(meta_kind),
                                                 .is_backed = false}));
  });
}

}  // namespace

template <>
const Backend& backend<meta_kind>() noexcept {
  static constexpr Backend meta{.require = open_at_first_use,
                                .synchronize = [](Device) {},
                                .table = kernels::idle_table,
                                .computes = false,
                                .has_values = false};
  return meta;
}

}  // namespace garboard
