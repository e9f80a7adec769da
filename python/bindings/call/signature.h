// A method's parameters, written once as Python writes them: they drive the argument matcher, the
// text signature and the stubs.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace garboard::python {

constexpr std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// `@placement` and `@options` stand for what functions that make tensors end with: two of these,
/// and all.
constexpr std::string_view creation_options[] = {
    "dtype: DType | None = None", "device: Device | None = None", "requires_grad: bool = False"};

/// Calls `visit` with what stands between the commas outside brackets.
template <class Visit>
constexpr void for_each_part(std::string_view text, Visit&& visit) {
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c != ',' || depth > 0) continue;
    const std::string_view part = trimmed(text.substr(start, i - start));
    start = i + 1;
    if (part == "@placement" || part == "@options") {
      const std::size_t count = part == "@options" ? 3 : 2;
      for (std::size_t k = 0; k < count; ++k) visit(creation_options[k]);
    } else if (!part.empty()) {
      visit(part);
    }
  }
}

/// How many parameters a signature has.
constexpr std::size_t parameter_count(std::string_view text) {
  std::size_t count = 0;
  for_each_part(text, [&](std::string_view part) { count += part != "*"; });
  return count;
}
static_assert(parameter_count("a: int, *b: tuple[int, int], c: Any = (1, 2), *, d: int") == 4);

/// What stands behind the colon: `int` of `dim: int = 0`, `*int` of `*sizes: int`.
constexpr std::string_view annotation_of(std::string_view part) {
  if (part.starts_with('*'))
    return part.ends_with(": int") ? "*int" : part.ends_with(": Tensor") ? "*Tensor" : "*";
  const auto colon = part.find(':');
  if (colon == part.npos) return "";
  const std::string_view rest = part.substr(colon + 1);
  return trimmed(rest.substr(0, rest.find('=')));
}
static_assert(annotation_of("dim: int | None = None") == "int | None");

/// What a Python object can stand for, and a parameter be annotated with: a bit each.
enum class Kind : unsigned {
  tensor = 1,
  integer = 2,
  number = 4,
  truth = 8,
  sequence = 16,
  dtype = 32,
  device = 64,
  text = 128,
  none = 256,
  any = ~0u,
};

/// What `out=` takes, if a call may name it: a tensor for the result, or a tuple of one for each.
/// It is no parameter that has a place: a call without it pays nothing for it.
enum class Outs : std::uint8_t { none, one, several };

/// Parsed from, for instance, `dim: int | None = None, *, keepdim: bool = False`. A parameter
/// `*sizes: int` takes all positional arguments that are left, or one sequence of them; so does
/// `*tensors: Tensor`.
class Signature {
 public:
  /// Interns the names.
  explicit Signature(std::string_view text, Outs out = Outs::none);

  struct Parameter {
    PyObject* name;                  // interned, leaked
    PyObject* other_name = nullptr;  // likewise; null where there is none
    std::string text;
    std::string annotation;
    std::string default_text;  // empty: required
    unsigned kinds;            // of Kind

    bool takes(Kind kind) const { return kinds & static_cast<unsigned>(kind); }
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// One a parameter, null where it is required; leaked.
  PyObject* const* defaults() const { return defaults_.data(); }
  int positional_count() const { return positional_count_; }
  /// How many must be given: those that come before the first default.
  int required_count() const { return required_count_; }
  /// The index of `*sizes`, or -1.
  int variadic() const { return variadic_; }

  Outs out() const { return out_; }
  /// Whether a call that names `name` names `out`, and may.
  bool names_out(PyObject* name) const;

  /// The index of the parameter that a call names so, or -1.
  int place_of(PyObject* name) const { return place_of(name, &Parameter::name); }
  /// What a parameter of ours is called elsewhere, `axis` in NumPy say; or null.
  static const char* other_name_of(std::string_view parameter);
  /// The index of the parameter that is called `name` elsewhere, or -1. No signature has these
  /// names.
  int place_of_other_name(PyObject* name) const { return place_of(name, &Parameter::other_name); }
  int place_of_any_name(PyObject* name) const {
    const int found = place_of(name);
    return found >= 0 ? found : place_of_other_name(name);
  }

  /// `(input, dim=None, *, keepdim=False)`, as `inspect.signature` reads it; a method's first
  /// parameter is `$self`.
  std::string plain(bool is_method) const {
    return join(is_method ? "$self" : "", is_method, false);
  }
  /// The same with annotations, as a stub has it.
  std::string typed(bool is_method) const { return join(is_method ? "self" : "", is_method, true); }

 private:
  int place_of(PyObject* name, PyObject* Parameter::*called) const;
  std::string join(std::string_view receiver, bool is_method, bool with_types) const;

  std::vector<Parameter> parameters_;
  std::vector<PyObject*> defaults_;
  int positional_count_ = 0;
  int required_count_ = 0;
  int variadic_ = -1;
  Outs out_;
};

}  // namespace garboard::python
