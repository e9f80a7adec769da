// Pinned memory.
#include "csrc/ops/create/pinned.h"

#include "python/bindings/call/methods.h"

namespace garboard::python {
namespace {

namespace docs {

constexpr Doc pin_memory{
    .summary = "Copy the elements into memory of the host that may not be moved.",
    .details =
        "A device copies from and to such memory by itself: with `non_blocking=True`, `to` and "
        "`copy_` only queue a transfer. The memory is not used again before that is done, whatever "
        "becomes of the tensor. It lies outside of the CPU's books, as foreign memory does.",
    .args = {{"input", "Tensor of any shape and dtype on the CPU."},
             {"device", "Changes nothing: the memory serves every device."}},
    .returns = "A dense copy, or a new handle on the same tensor where it is pinned.",
    .raises =
        "DeviceError: There is no device to pin memory for, as `gb.cuda.why_unavailable()` says, "
        "or "
        "`input` is not on the CPU.",
    .example =
        ">>> if gb.cuda.is_available():\n"
        "...     x = gb.ones(2).pin_memory()\n"
        "...     y = x.to(\"cuda\", non_blocking=True)",
};
constexpr Doc is_pinned{
    .summary = "Tell whether the elements lie in pinned memory.",
    .args = {{"input", "Tensor of any shape and dtype."},
             {"device", "Changes nothing: the memory serves every device."}},
    .returns = "True or False.",
    .example =
        ">>> gb.ones(2).is_pinned()\n"
        "False",
};

}  // namespace docs

constexpr std::array pinned_rows{
    bind(
        "pin_memory", "input: Tensor, device: Device | None = None", docs::pin_memory,
        [](const Tensor& input, std::optional<Device>) { return pin_memory(input); },
        Place::method),
    bind(
        "is_pinned", "input: Tensor, device: Device | None = None", docs::is_pinned,
        [](const Tensor& input, std::optional<Device>) { return is_pinned(input); }, Place::method),
};

}  // namespace

void add_pinned_methods() { add_table<pinned_rows>(); }

}  // namespace garboard::python
