#include "python/bindings/methods.h"

namespace garboard::python {

MethodTable& method_table() {
  static auto* const it = new MethodTable;
  return *it;
}

const char* keep(std::string text) {
  return method_table().texts.emplace_back(std::move(text)).c_str();
}

const Doc& keep(const Doc& doc) { return method_table().docs.emplace_back(doc); }

void add_method(const Method& entry, FastFunction method, FastFunction function) {
  MethodTable& table = method_table();
  const Signature signature(entry.signature);
  const auto add = [&](std::vector<PyMethodDef>& to, FastFunction call, bool is_method) {
    to.push_back({entry.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)),
                  METH_FASTCALL | METH_KEYWORDS,
                  keep(docstring(entry.name, *entry.doc, signature, is_method))});
    table.stubs.push_back(
        {entry.name, signature.typed(is_method), entry.returns, entry.doc->summary, is_method});
  };
  if (entry.place != Place::functional) add(table.methods, method, true);
  if (entry.place != Place::method) add(table.functions, function, false);
}

}  // namespace garboard::python
