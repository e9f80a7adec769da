#include "python/bindings/signature.h"

#include <utility>

namespace garboard::python {
Signature::Signature(std::string_view text) {
  bool keyword_only = false;
  for_each_part(text, [&](std::string_view part) {
    if (part == "*") {
      keyword_only = true;
      return;
    }
    Parameter parameter;
    if (const auto equals = part.find('='); equals != part.npos) {
      parameter.default_text = trimmed(part.substr(equals + 1));
      part = trimmed(part.substr(0, equals));
    }
    if (const auto colon = part.find(':'); colon != part.npos) {
      parameter.annotation = trimmed(part.substr(colon + 1));
      part = trimmed(part.substr(0, colon));
    }
    if (part.starts_with('*')) {
      variadic_ = static_cast<int>(parameters_.size());
      part.remove_prefix(1);
      keyword_only = true;
    }
    parameter.text = part;
    parameter.name = PyUnicode_InternFromString(parameter.text.c_str());
    const int index = static_cast<int>(parameters_.size());
    if (parameter.default_text.empty() && index != variadic_) required_end_ = index + 1;
    parameters_.push_back(std::move(parameter));
    if (!keyword_only) ++positional_count_;
  });
}

const char* Signature::numpy_name_of(std::string_view parameter) {
  if (parameter == "dim") return "axis";
  return parameter == "keepdim" ? "keepdims" : nullptr;
}

int Signature::place_of_numpy_name(PyObject* name) const {
  for (int i = 0; const Parameter& parameter : parameters_) {
    const char* const theirs = numpy_name_of(parameter.text);
    if (theirs && PyUnicode_CompareWithASCIIString(name, theirs) == 0) return i;
    ++i;
  }
  return -1;
}

std::string Signature::join(std::string_view receiver, bool is_method, bool with_types) const {
  std::string text = "(" + std::string(receiver);
  const auto add = [&](const std::string& part) {
    if (text.size() > 1) text += ", ";
    text += part;
  };
  for (int i = is_method ? 1 : 0; i < static_cast<int>(parameters_.size()); ++i) {
    const Parameter& parameter = parameters_[static_cast<std::size_t>(i)];
    if (i == positional_count_ && variadic_ < 0) add("*");
    std::string part = (i == variadic_ ? "*" : "") + parameter.text;
    if (with_types && !parameter.annotation.empty()) part += ": " + parameter.annotation;
    if (!parameter.default_text.empty()) {
      part += with_types ? " = " : "=";
      part += parameter.default_text;
    }
    add(part);
  }
  return text + ")";
}

}  // namespace garboard::python
