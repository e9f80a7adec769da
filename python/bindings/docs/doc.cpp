#include "python/bindings/docs/doc.h"

#include <string_view>

namespace garboard::python {
namespace {

constexpr std::size_t columns = 92;

/// Appends `text`, broken at spaces. Its own line breaks stay; each line but the first begins with
/// `indent` spaces. Copies whole lines: the import waits for some 200 KB of them.
void add_wrapped(std::string& to, std::string_view text, std::size_t indent) {
  std::size_t column = to.size() - (to.rfind('\n') + 1);  // npos + 1 is 0
  while (true) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size());
    while (line.size() > columns - column) {
      std::size_t space = line.rfind(' ', columns - column);
      if (space == line.npos) space = line.find(' ');  // a word wider than the line
      if (space == line.npos) break;
      to.append(line.substr(0, space)).append("\n").append(indent, ' ');
      line.remove_prefix(space + 1);
      column = indent;
    }
    to += line;
    if (text.empty()) return;
    text.remove_prefix(1);
    to += '\n';
    if (!text.starts_with('\n')) to.append(indent, ' ');
    column = indent;
  }
}

/// Each line of `text` below `title`, what does not fit into it `hanging` spaces further in.
void add_section(std::string& to, const char* title, std::string_view text, std::size_t hanging) {
  if (text.empty()) return;
  to.append("\n\n").append(title).append(":");
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    to += "\n    ";
    add_wrapped(to, text.substr(0, end), 4 + hanging);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// A line for each parameter of `signature` that `doc` tells of, in the signature's order.
std::string arguments_of(const Doc& doc, const Signature& signature, bool is_method) {
  std::string text;
  for (const Signature::Parameter& parameter : signature.parameters()) {
    if (is_method && &parameter == signature.parameters().data()) continue;
    for (const Arg& arg : doc.args) {
      if (!arg.name || parameter.text != arg.name) continue;
      if (!text.empty()) text += '\n';
      text.append(arg.name).append(": ").append(arg.text);
      const char* const theirs = Signature::numpy_name_of(arg.name);
      if (theirs) text.append(" NumPy's name for it, `").append(theirs).append("`, is taken too.");
    }
  }
  return text;
}

bool takes_tensors(const Signature& signature) {
  for (const Signature::Parameter& parameter : signature.parameters()) {
    if (parameter.annotation.find("Tensor") != std::string::npos) return true;
  }
  return false;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// `gb.name(first, rest)` as `first.name(rest)`, wherever it stands.
std::string as_method_calls(std::string text, const std::string& name) {
  const std::string call = "gb." + name + "(";
  for (std::size_t at = 0; (at = text.find(call, at)) != text.npos;) {
    const std::size_t first = at + call.size();
    std::size_t end = first;
    for (int depth = 0; end < text.size(); ++end) {
      const char c = text[end];
      if (depth == 0 && (c == ',' || c == ')')) break;
      depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    }
    const std::string receiver = text.substr(first, end - first);
    const std::size_t rest = text.compare(end, 2, ", ") == 0 ? end + 2 : end;
    const std::string instead = receiver + "." + name + "(";
    text.replace(at, rest - at, instead);
    at += instead.size();
  }
  return text;
}

}  // namespace

std::string docstring(const char* name, const Doc& doc, const Signature& signature,
                      bool is_method) {
  std::string text = name + signature.plain(is_method);
  text.reserve(2048);
  text.append("\n--\n\n").append(doc.summary);
  if (*doc.details) {
    text += "\n\n";
    add_wrapped(text, doc.details, 0);
  }
  add_section(text, "Args", arguments_of(doc, signature, is_method), 4);
  add_section(text, "Returns", doc.returns, 0);
  std::string raises = doc.raises;
  if (takes_tensors(signature)) {
    if (!raises.empty()) raises += '\n';
    raises += "DisposedError: A tensor is disposed.";
  }
  add_section(text, "Raises", raises, 4);
  if (is_method) replace_all(text, "`" + signature.parameters().front().text + "`", "`self`");
  if (*doc.example)
    text.append("\n\n").append(is_method ? as_method_calls(doc.example, name) : doc.example);
  return text;
}

}  // namespace garboard::python
