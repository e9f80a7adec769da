// Kinds of devices that have a name, for programs that compare with it, and are never there.
#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/backend.h"
#include "kernels/table.h"

namespace garboard {
namespace {

void refuse(const char* op, Device device) {
  throw DeviceError(text(op, ": device ", device,
                         " cannot be used; there are none of this kind here; one of ",
                         device_names(), " is needed"));
}

constexpr Backend absent{.require = refuse,
                         .synchronize = [](Device device) { refuse("synchronize", device); },
                         .table = kernels::idle_table,
                         .computes = false,
                         .has_values = false};

}  // namespace

template <>
const Backend& backend<device_kind("mps")>() noexcept {
  return absent;
}
template <>
const Backend& backend<device_kind("xpu")>() noexcept {
  return absent;
}
template <>
const Backend& backend<device_kind("xla")>() noexcept {
  return absent;
}
template <>
const Backend& backend<device_kind("hpu")>() noexcept {
  return absent;
}
template <>
const Backend& backend<device_kind("mtia")>() noexcept {
  return absent;
}

}  // namespace garboard
