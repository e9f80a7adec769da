// The extension module: what is bound, in order.
#include <pybind11/pybind11.h>

#include "csrc/core/error.h"
#include "python/bindings/context/context_cell.h"
#include "python/bindings/context/grad_mode.h"
#include "python/bindings/detours/autocast.h"
#include "python/bindings/detours/deferring.h"
#include "python/bindings/detours/overridable.h"
#include "python/bindings/detours/overriding.h"
#include "python/bindings/interpreter/birth_site.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/file_names.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/module/stubs.h"
#include "python/bindings/tensor/anchors.h"
#include "python/bindings/tensor/attributes.h"
#include "python/bindings/tensor/graph_mirror.h"
#include "python/bindings/tensor/packed_sequence.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/types/module_call.h"
#include "python/bindings/types/refusals.h"
#include "python/bindings/types/scope_object.h"
#include "python/bindings/types/sealed.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/values/generator_object.h"
#include "python/bindings/values/size_object.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

PYBIND11_MODULE(_engine, m) {
  using namespace garboard;
  using namespace garboard::python;
  m.doc() = "The engine below the package garboard. Import that.";
  // The GIL keeps other threads out from here on: counts and short locks cost next to nothing.
  declare_gil();
  py::register_exception_translator([](std::exception_ptr error) {
    if (!error) return;
    try {
      std::rethrow_exception(error);
    } catch (const Error&) {
      raise_current();
    } catch (const PythonErrorSet&) {
    }
  });
  PyObject* const module = m.ptr();
  if (!add_errors(module) || !start_birth_sites() || !start_context_cells() || !start_anchors() ||
      !start_attributes() || !start_graph_mirror() || !add_dtypes_and_devices(module) ||
      !add_size(module) || !add_tensor_type(module) || !add_attribute_dict() ||
      !add_packed_sequence_type(module) || !add_generator_type(module) || !add_scope_type(module) ||
      !add_grad_mode(module) || !add_autocast(module) || !add_deferring(module) ||
      !add_overriding(module) || !add_overridable(module) || !add_module_base(module))
    throw py::error_already_set();
  set_site_resolver([](Site site) -> std::string {
    const WithGil gil;
    if (!gil) return {};
    const SiteText text = text_of(site);
    return shown_file(text.file) + ":" + std::to_string(text.line) + " " + text.function + "()";
  });
  bind_autograd(m);
  bind_custom_functions(m);
  bind_build(m);
  bind_cohorts(m);
  bind_cuda(m);
  bind_dtypes(m);
  bind_history(m);
  bind_holders(m);
  bind_living_graphs(m);
  bind_living_objects(m);
  bind_live_groups(m);
  bind_memory(m);
  bind_optimizers(m);
  bind_profiler(m);
  bind_registry(m);
  bind_simulated_devices(m);
  bind_statistics(m);
  bind_storage(m);
  bind_stubs(m);
  auto* const storage = reinterpret_cast<PyTypeObject*>(m.attr("Storage").ptr());
  if (!refuse_in_our_words(module) || !seal_types(module, storage)) throw py::error_already_set();
}
