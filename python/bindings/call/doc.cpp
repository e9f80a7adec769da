#include "python/bindings/call/doc.h"

#include <algorithm>
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

/// Appends a line for each parameter of `signature` that `doc` tells of, in the signature's order,
/// unless `text` has it.
void add_arguments(std::string& text, const Doc& doc, const Signature& signature, bool is_method) {
  for (const Signature::Parameter& parameter : signature.parameters()) {
    if (is_method && &parameter == signature.parameters().data()) continue;
    const std::string start = parameter.text + ": ";
    if (text.starts_with(start) || text.find("\n" + start) != text.npos) continue;
    for (const Arg& arg : doc.args) {
      if (!arg.name || parameter.text != arg.name) continue;
      if (!text.empty()) text += '\n';
      text.append(start).append(arg.text);
      const char* const theirs = Signature::other_name_of(arg.name);
      if (theirs) text.append(" Its other name, `").append(theirs).append("`, is taken too.");
    }
  }
}

bool takes_tensors(std::span<const Signature> signatures) {
  for (const Signature& signature : signatures) {
    for (const Signature::Parameter& parameter : signature.parameters()) {
      if (parameter.annotation.find("Tensor") != std::string::npos ||
          parameter.annotation.find("_T]") != std::string::npos)
        return true;
    }
  }
  return false;
}

/// Whether one who reads `first` has read the other.
bool has_names_of(const Signature& first, const Signature& other) {
  return std::ranges::equal(first.parameters(), other.parameters(), {}, &Signature::Parameter::name,
                            &Signature::Parameter::name);
}

/// `x.to(dtype)`: how `signature` is called.
std::string call_of(const char* name, const Signature& signature, bool is_method) {
  std::string plain = signature.plain(is_method);
  if (is_method) plain.replace(1, plain.starts_with("($self, ") ? 7 : 5, "");
  return (is_method ? "x." : "gb.") + std::string(name) + plain;
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

std::string docstring(const char* name, const Doc& doc, std::span<const Signature> signatures,
                      bool is_method) {
  const Signature& signature = signatures.front();
  std::string text = name + signature.plain(is_method);
  text.reserve(2048);
  text.append("\n--\n\n").append(doc.summary);
  if (*doc.details) {
    text += "\n\n";
    add_wrapped(text, doc.details, 0);
  }
  std::string others;
  for (const Signature& way : signatures) {
    if (has_names_of(signature, way)) continue;
    others.append(others.empty() ? "`" : " or `").append(call_of(name, way, is_method)).append("`");
  }
  if (!others.empty()) text.append("\n\nOr called as ").append(others).append(".");
  std::string arguments;
  for (const Signature& way : signatures) add_arguments(arguments, doc, way, is_method);
  const auto with_out =
      std::ranges::find_if(signatures, [](const Signature& it) { return it.out() != Outs::none; });
  const bool takes_out = with_out != signatures.end();
  if (takes_out) {
    arguments.append(arguments.empty() ? "" : "\n")
        .append("out: Where to write what is made, and what is returned then: ")
        .append(with_out->out() == Outs::one ? "a tensor" : "a tuple of a tensor for each,")
        .append(" of the result's sizes, on its device, of its category (bool, integer, floating) ")
        .append("or one above.");
  }
  add_section(text, "Args", arguments, 4);
  add_section(text, "Returns", doc.returns, 0);
  std::string raises = doc.raises;
  if (takes_out) {
    raises.append(raises.empty() ? "" : "\n")
        .append("GradientError: Grad mode is on, `out` is given, and a tensor requires grad.");
  }
  if (takes_tensors(signatures)) {
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
