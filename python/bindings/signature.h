// A method's parameters, written once as Python writes them: they drive the argument matcher, the
// text signature and the stubs.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>
#include <vector>

namespace garboard::python {

constexpr std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

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
    if (!part.empty()) visit(part);
    start = i + 1;
  }
}

/// How many parameters a signature has.
constexpr std::size_t parameter_count(std::string_view text) {
  std::size_t count = 0;
  for_each_part(text, [&](std::string_view part) { count += part != "*"; });
  return count;
}
static_assert(parameter_count("a: int, *b: tuple[int, int], c: Any = (1, 2), *, d: int") == 4);

/// Parsed from, for instance, `dim: int | None = None, *, keepdim: bool = False`. A parameter
/// `*sizes: int` takes all positional arguments that are left, or one sequence of them.
class Signature {
 public:
  /// Interns the names.
  explicit Signature(std::string_view text);

  struct Parameter {
    PyObject* name;  // interned, leaked
    std::string text;
    std::string annotation;
    std::string default_text;  // empty: required
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  int positional_count() const { return positional_count_; }
  /// The index of `*sizes`, or -1.
  int variadic() const { return variadic_; }
  /// Parameters from here on may be left out.
  int required_end() const { return required_end_; }

  /// What NumPy's users call a parameter of ours, or null.
  static const char* numpy_name_of(std::string_view parameter);
  /// The index of the parameter that NumPy's users call `name`, `axis` or `keepdims`; or -1.
  /// Neither signature has these names.
  int place_of_numpy_name(PyObject* name) const;

  /// `(input, dim=None, *, keepdim=False)`, as `inspect.signature` reads it; a method's first
  /// parameter is `$self`.
  std::string plain(bool is_method) const {
    return join(is_method ? "$self" : "", is_method, false);
  }
  /// The same with annotations, as a stub has it.
  std::string typed(bool is_method) const { return join(is_method ? "self" : "", is_method, true); }

 private:
  std::string join(std::string_view receiver, bool is_method, bool with_types) const;

  std::vector<Parameter> parameters_;
  int positional_count_ = 0;
  int variadic_ = -1;
  int required_end_ = 0;
};

}  // namespace garboard::python
