#include "python/bindings/context/default_device.h"

#include "python/bindings/context/context_cell.h"
#include "python/bindings/interpreter/errors.h"

namespace garboard::python {

bool detail::was_device_chosen = false;

Device detail::find_default_device() noexcept {
  const ContextCell* const cell = current_cell();
  return cell ? cell->made_on.current() : Device{};
}

namespace {

DefaultDevices& chosen_here() {
  ContextCell* const cell = make_own_cell();
  if (!cell) throw PythonErrorSet();
  detail::was_device_chosen = true;
  return cell->made_on;
}

}  // namespace

void set_default_device(Device device) { chosen_here().set(device); }
void enter_device(Device device) { chosen_here().enter(device); }
void leave_device(Device device) { chosen_here().leave(device); }

}  // namespace garboard::python
