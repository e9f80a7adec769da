#include "python/bindings/module/stubs.h"

#include "python/bindings/call/methods.h"

namespace py = pybind11;

namespace garboard::python {

void bind_stubs(py::module_& m) {
  m.def(
      "_op_table",
      [] {
        py::list rows;
        for (const MethodTable::Stub& stub : method_table().stubs) {
          rows.append(py::make_tuple(stub.name, stub.signature, stub.returns, stub.summary,
                                     stub.is_method));
        }
        return rows;
      },
      "Every function and method of the tables: name, typed signature, result, summary, "
      "is_method.");
  m.def(
      "_other_names",
      [] {
        py::list rows;
        for (const auto& [name, of, is_method] : method_table().second_names)
          rows.append(py::make_tuple(name, of, is_method));
        return rows;
      },
      "Every function and method that is another name of one: name, of which, is_method.");
}

}  // namespace garboard::python
