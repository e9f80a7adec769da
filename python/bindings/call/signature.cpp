#include "python/bindings/call/signature.h"

#include <cstdlib>
#include <utility>

namespace garboard::python {
namespace {

PyObject* literal(const std::string& text);

/// Of `()`, `(0, 1)`.
PyObject* tuple_literal(std::string_view text) {
  std::vector<std::string> items;
  for_each_part(text.substr(1, text.size() - 2),
                [&](std::string_view part) { items.emplace_back(part); });
  PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), literal(items[i]));
  return tuple;
}

/// A literal of Python's: `None`, `True`, `()`, `(0, 1)`, `1`, `-100`, `1e-05`, `'mean'`.
PyObject* literal(const std::string& text) {
  if (text == "None") return Py_None;
  if (text == "True") return Py_True;
  if (text == "False") return Py_False;
  if (text.starts_with('(')) return tuple_literal(text);
  if (text.starts_with('\'')) return PyUnicode_FromString(text.substr(1, text.size() - 2).c_str());
  if (text.find_first_of(".e") == text.npos) return PyLong_FromString(text.c_str(), nullptr, 10);
  return PyFloat_FromDouble(std::strtod(text.c_str(), nullptr));
}

Kind kind_of(std::string_view annotation) {
  if (annotation == "Tensor") return Kind::tensor;
  if (annotation == "int") return Kind::integer;
  if (annotation == "float" || annotation == "Number") return Kind::number;
  if (annotation == "bool") return Kind::truth;
  if (annotation == "str" || annotation.starts_with("Literal[")) return Kind::text;
  if (annotation == "Size" || annotation.ends_with(']')) return Kind::sequence;
  if (annotation == "DType") return Kind::dtype;
  if (annotation == "Device") return Kind::device;
  if (annotation == "None") return Kind::none;
  return Kind::any;
}

unsigned kinds_of(std::string_view annotation) {
  unsigned kinds = 0;
  while (true) {
    const std::size_t bar = annotation.find(" | ");
    kinds |= static_cast<unsigned>(kind_of(trimmed(annotation.substr(0, bar))));
    if (bar == annotation.npos) return kinds;
    annotation.remove_prefix(bar + 3);
  }
}

}  // namespace

Signature::Signature(std::string_view text, Outs out) : out_(out) {
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
    parameter.kinds = kinds_of(parameter.annotation);
    defaults_.push_back(parameter.default_text.empty() ? nullptr : literal(parameter.default_text));
    parameter.name = PyUnicode_InternFromString(parameter.text.c_str());
    if (const char* const theirs = other_name_of(parameter.text))
      parameter.other_name = PyUnicode_InternFromString(theirs);
    const int index = static_cast<int>(parameters_.size());
    if (!defaults_.back() && index != variadic_) required_count_ = index + 1;
    parameters_.push_back(std::move(parameter));
    if (!keyword_only) ++positional_count_;
  });
}

bool Signature::names_out(PyObject* name) const {
  return out_ != Outs::none && PyUnicode_CompareWithASCIIString(name, "out") == 0;
}

int Signature::place_of(PyObject* name, PyObject* Parameter::*called) const {
  for (int i = 0; const Parameter& parameter : parameters_) {
    if (parameter.*called == name) return i;
    ++i;
  }
  // Two interned names that are equal are one object.
  if (PyUnicode_CHECK_INTERNED(name)) return -1;
  for (int i = 0; const Parameter& parameter : parameters_) {
    if (parameter.*called && PyUnicode_Compare(parameter.*called, name) == 0) return i;
    ++i;
  }
  return -1;
}

const char* Signature::other_name_of(std::string_view parameter) {
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"dim", "axis"},
      {"dims", "axis"},
      {"keepdim", "keepdims"},
      {"split_size_or_sections", "split_size"},  // PyTorch's function and method differ
  };
  for (const auto& [ours, theirs] : known) {
    if (parameter == ours) return theirs;
  }
  return nullptr;
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
  if (out_ == Outs::none) return text + ")";
  if (positional_count_ == static_cast<int>(parameters_.size()) && variadic_ < 0) add("*");
  const char* const type = out_ == Outs::one ? ": Tensor" : ": tuple[Tensor, ...]";
  add(with_types ? std::string("out") + type + " | None = None" : "out=None");
  return text + ")";
}

}  // namespace garboard::python
