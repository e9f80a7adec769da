#include "python/bindings/interpreter/items.h"

#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard::python {

void Items::throw_changed(const char* op, const char* what, Py_ssize_t size) {
  throw ShapeError(text(op, ": ", what, ": a list of ", size,
                        " items changed while it was read; what runs meanwhile, such as the "
                        "__index__ of an item, must not change it"));
}

}  // namespace garboard::python
