// The bound nouns, one function and one file each; module.cpp calls them in order.
#pragma once

#include <pybind11/pybind11.h>

namespace garboard::python {

void bind_autograd(pybind11::module_& m);
void bind_build(pybind11::module_& m);
void bind_cohorts(pybind11::module_& m);
void bind_custom_functions(pybind11::module_& m);
void bind_cuda(pybind11::module_& m);
void bind_dtypes(pybind11::module_& m);
void bind_history(pybind11::module_& m);
void bind_holders(pybind11::module_& m);
void bind_living_graphs(pybind11::module_& m);
void bind_living_objects(pybind11::module_& m);
void bind_live_groups(pybind11::module_& m);
void bind_memory(pybind11::module_& m);
void bind_optimizers(pybind11::module_& m);
void bind_profiler(pybind11::module_& m);
void bind_registry(pybind11::module_& m);
void bind_simulated_devices(pybind11::module_& m);
void bind_statistics(pybind11::module_& m);
void bind_storage(pybind11::module_& m);

}  // namespace garboard::python
