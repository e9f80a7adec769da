#include "python/bindings/detours/profiled.h"

#include "csrc/core/text.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/unicode.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

// Guarded by the GIL.
bool records_shapes = false;
int stack_depth = 0;

void add_sizes(std::string& sizes, PyObject* object) {
  if (!object || !is_tensor(object) || alias_of(object).is_empty()) return;
  if (!sizes.empty()) sizes += ", ";
  sizes += text(alias_of(object).tensor().sizes());
}

/// The innermost lines first, each `file:line function`.
std::string stack() {
  std::string lines;
  Ref frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  for (int depth = 0; frame && depth < stack_depth; ++depth) {
    auto* const at = reinterpret_cast<PyFrameObject*>(frame.get());
    const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
    const auto* const of = reinterpret_cast<PyCodeObject*>(code.get());
    lines += text('\n', text_or_mark(of->co_filename), ':', PyFrame_GetLineNumber(at), ' ',
                  text_or_mark(of->co_qualname));
    frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
  }
  return lines;
}

}  // namespace

std::string detail_of(const Given& given) {
  std::string detail;
  if (records_shapes) {
    add_sizes(detail, given.self);
    for (Py_ssize_t i = 0; i < given.count; ++i) add_sizes(detail, given.arguments[i]);
  }
  return stack_depth ? detail + stack() : detail;
}

void set_profiled_details(bool shapes, int depth) noexcept {
  records_shapes = shapes;
  stack_depth = depth;
}

}  // namespace garboard::python
