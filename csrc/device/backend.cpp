#include "csrc/device/backend.h"

#include <atomic>
#include <charconv>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/device/streams.h"

namespace garboard {
namespace {

constexpr int added = device_kind_count - 1;
static_assert(!device_kinds[added].name, "the free line of the roll call is the last");

constinit std::atomic<const Backend*> added_backend{nullptr};
constinit std::atomic<const char*> added_name{nullptr};

const Backend& added_one() noexcept { return *added_backend.load(std::memory_order_acquire); }

constexpr auto backends = []<int... kinds>(std::integer_sequence<int, kinds...>) {
  return std::array<const Backend& (*)() noexcept, device_kind_count>{
      backend<static_cast<DeviceKind>(kinds)>..., added_one};
}
(std::make_integer_sequence<int, added>());

bool is_kind(int kind) noexcept { return name_of(static_cast<DeviceKind>(kind)) != nullptr; }

}  // namespace

DeviceKind add_backend(const char* name, const Backend& backend) {
  for (int kind = 0; kind < added; ++kind)
    if (std::string_view(name) == device_kinds[kind].name)
      throw DeviceError(text("add_backend: ", name, " is there; another name is needed"));
  const Backend* nothing = nullptr;
  if (!added_backend.compare_exchange_strong(nothing, &backend) && nothing != &backend)
    throw DeviceError(text("add_backend: ", name, " beside ", added_name.load(),
                           "; the roll call in csrc/device/device.h needs a line for it"));
  added_name.store(name, std::memory_order_release);
  return static_cast<DeviceKind>(added);
}

const Backend& backend_of(Device device) noexcept {
  return backends[static_cast<std::size_t>(device.kind)]();
}

void refuse_values(const char* op, Device device) {
  throw DeviceError(text(op, ": a tensor on ", device,
                         " has sizes and no elements; make it on another device, modules with "
                         "to_empty(device=...)"));
}

const char* name_of(DeviceKind kind) noexcept {
  const int i = static_cast<int>(kind);
  return i == added ? added_name.load(std::memory_order_acquire) : device_kinds[i].name;
}

std::ostream& operator<<(std::ostream& out, Device device) {
  const char* const name = name_of(device.kind);
  out << (name ? name : "?");
  return device.is_numbered() ? out << ':' << int{device.number} : out;
}

std::optional<Device> device_named(std::string_view name) noexcept {
  for (int i = 0; i < device_kind_count; ++i) {
    const auto kind = static_cast<DeviceKind>(i);
    if (!is_kind(i) || !name.starts_with(name_of(kind))) continue;
    const std::string_view rest = name.substr(std::string_view(name_of(kind)).size());
    if (rest.empty()) return Device::of(kind, current_device_number(kind));
    if (rest.front() != ':') continue;
    int number = -1;
    const char* const last = rest.data() + rest.size();
    const auto [at, error] = std::from_chars(rest.data() + 1, last, number);
    if (error == std::errc() && at == last && number >= 0 && number < most_devices(kind))
      return Device::of(kind, number);
  }
  return std::nullopt;
}

std::string device_names() {
  std::string names = "\"cpu\"";
  for (int i = 1; i < device_kind_count; ++i) {
    if (!is_kind(i) || device_kinds[i].is_absent) continue;
    const auto kind = static_cast<DeviceKind>(i);
    names += text(", \"", name_of(kind), '"');
    if (most_devices(kind) > 1)
      names += text(", \"", Device::of(kind, 0), "\" to \"",
                    Device::of(kind, most_devices(kind) - 1), '"');
  }
  return names;
}

}  // namespace garboard
