#include "python/bindings/call/methods.h"

namespace garboard::python {

MethodTable& method_table() {
  static auto* const it = new MethodTable;
  return *it;
}

const char* keep(std::string text) {
  return method_table().texts.emplace_back(std::move(text)).c_str();
}

const Doc& keep(const Doc& doc) { return method_table().docs.emplace_back(doc); }

void add_method(std::span<const Method> ways, FastFunction method, FastFunction function) {
  MethodTable& table = method_table();
  const Method& first = ways.front();
  std::vector<Signature> signatures;
  for (const Method& way : ways) signatures.emplace_back(way.signature);
  const auto add = [&](std::vector<PyMethodDef>& to, FastFunction call, bool is_method) {
    to.push_back({first.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)),
                  METH_FASTCALL | METH_KEYWORDS,
                  keep(docstring(first.name, *first.doc, signatures, is_method))});
    for (std::size_t i = 0; i < ways.size(); ++i)
      table.stubs.push_back({first.name, signatures[i].typed(is_method), ways[i].returns,
                             first.doc->summary, is_method});
  };
  if (first.place != Place::functional) add(table.methods, method, true);
  if (first.place != Place::method) add(table.functions, function, false);
}

}  // namespace garboard::python
