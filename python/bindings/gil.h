// The GIL as the core's outer lock: given up during long kernels, and between the nodes of a walk.
#pragma once

namespace garboard::python {

/// Tells the core that there is a GIL, which the calling thread holds.
void declare_gil() noexcept;

}  // namespace garboard::python
