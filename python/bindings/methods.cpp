#include "python/bindings/methods.h"

namespace garboard::python {

MethodTable& method_table() {
  static auto* const it = new MethodTable;
  return *it;
}

void add_method(const Method& entry, FastFunction method, FastFunction function) {
  MethodTable& table = method_table();
  const Signature signature(entry.signature);
  const auto add = [&](std::vector<PyMethodDef>& to, FastFunction call, bool is_method) {
    const std::string& doc = table.texts.emplace_back(
        std::string(entry.name) + signature.plain(is_method) + "\n--\n\n" + entry.summary);
    to.push_back({entry.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)),
                  METH_FASTCALL | METH_KEYWORDS, doc.c_str()});
    table.stubs.push_back(
        {entry.name, signature.typed(is_method), entry.returns, entry.summary, is_method});
  };
  if (entry.place != Place::functional) add(table.methods, method, true);
  if (entry.place != Place::method) add(table.functions, function, false);
}

}  // namespace garboard::python
