#include "python/bindings/call/methods.h"

#include "csrc/core/error.h"

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
  for (const Method& way : ways) signatures.emplace_back(way.signature, way.out);
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

namespace {

/// The docstring of `of` as that of `name`.
std::string renamed(std::string text, const std::string& name, const std::string& of) {
  text.replace(0, of.size(), name);
  for (std::size_t at = 0; (at = text.find("." + of + "(", at)) != text.npos; at += name.size())
    text.replace(at + 1, of.size(), name);
  constexpr std::string_view head = "\n--\n\n";
  const std::size_t end = text.find("\n", text.find(head) + head.size());
  return text.insert(std::min(end, text.size()),
                     "\n\nAnother name of `" + of + "`, as errors call it.");
}

}  // namespace

void add_names(std::span<const OtherName> names) {
  MethodTable& table = method_table();
  const auto add = [&](std::vector<PyMethodDef>& to, const char* name, const char* of,
                       bool is_method) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (std::string_view(to[i].ml_name) != of) continue;
      PyMethodDef other = to[i];
      other.ml_name = name;
      other.ml_doc = keep(renamed(other.ml_doc, name, of));
      to.push_back(other);
      table.second_names.push_back({name, of, is_method});
      return true;
    }
    return false;
  };
  for (const auto& [name, of] : names) {
    const bool is_function = add(table.functions, name, of, false);
    if (!add(table.methods, name, of, true) && !is_function)
      throw Error(text("other names: ", name, " of ", of, "; a function or method is needed"));
    add(table.methods, keep(std::string(name) + "_"), keep(std::string(of) + "_"), true);
  }
}

}  // namespace garboard::python
