// How a parameter of a C++ function is read from what Python gave: one Reader a type.
#pragma once

#include <Python.h>

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/op/operand.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/unicode.h"
#include "python/bindings/values/dtype_object.h"
#include "python/bindings/values/generator_object.h"

namespace garboard::python {

/// A tensor with the Python object that was given for it.
struct Handle {
  PyObject* object;
  const Tensor* tensor;
};

/// What was called, `"zeros"`: read from no argument.
struct OpName {
  const char* text;
};

/// What functions that make tensors end with: `@placement` in a signature, and `@options`.
struct Placement {
  std::optional<DType> dtype;
  std::optional<Device> device;
};
struct Options : Placement {
  bool requires_grad;
};

/// Reads a parameter of type T. `width`: from so many arguments. `fits`: whether a signature may
/// annotate it so. All parameters `look` before any is converted: tensors are found then, and
/// refused where they are disposed; to convert a number may run code that disposes them.
template <class T>
struct Reader;

namespace detail {

/// Holds what `Reader<T>::read` makes, where it stands: sizes are long to copy.
template <class T>
struct Value {
  static constexpr std::size_t width = 1;
  void look(const Arguments&, std::size_t) const noexcept {}
  void convert(const Arguments& given, std::size_t i) { new (&held) T(Reader<T>::read(given, i)); }
  const T& value() const { return held; }

  Value() {}
  ~Value() {}

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  union {
    T held;
  };
};

}  // namespace detail

/// Empty for None, where the signature lets that through.
template <>
struct Reader<Tensor> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) {
    return annotation == "Tensor" || annotation == "Tensor | None";
  }
  void look(const Arguments& given, std::size_t i) { tensor = &given.tensor(i); }
  void convert(const Arguments&, std::size_t) const noexcept {}
  const Tensor& value() const { return *tensor; }

 private:
  const Tensor* tensor;
};

template <>
struct Reader<Handle> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) { return annotation == "Tensor"; }
  void look(const Arguments& given, std::size_t i) { handle = {given.object(i), &given.tensor(i)}; }
  void convert(const Arguments&, std::size_t) const noexcept {}
  const Handle& value() const { return handle; }

 private:
  Handle handle;
};

template <>
struct Reader<Operand> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) {
    return annotation == "Tensor | Number";
  }
  void look(const Arguments& given, std::size_t i) {
    if (is_tensor(given.object(i))) operand.tensor = &given.tensor(i);
  }
  void convert(const Arguments& given, std::size_t i) {
    if (!operand.tensor) given.read_number(i, operand);
  }
  const Operand& value() const { return operand; }

 private:
  Operand operand{Scalar{}};
};

template <>
struct Reader<std::vector<Tensor>> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) {
    return annotation == "list[_T] | tuple[_T, ...]" || annotation == "*Tensor";
  }
  void look(const Arguments& given, std::size_t i) { tensors = given.tensors(i); }
  void convert(const Arguments&, std::size_t) const noexcept {}
  const std::vector<Tensor>& value() const { return tensors; }

 private:
  std::vector<Tensor> tensors;
};

/// One tensor, or a list of them.
struct OneOrMore {
  std::vector<Tensor> tensors;
};
template <>
struct Reader<OneOrMore> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) {
    return annotation == "Tensor | list[_T] | tuple[_T, ...]";
  }
  void look(const Arguments& given, std::size_t i) {
    if (is_tensor(given.object(i)))
      all.tensors = {given.tensor(i)};
    else
      all.tensors = given.tensors(i);
  }
  void convert(const Arguments&, std::size_t) const noexcept {}
  const OneOrMore& value() const { return all; }

 private:
  OneOrMore all;
};

/// A list of numbers of any length, where Dims are as many as there can be dims.
template <>
struct Reader<std::vector<std::int64_t>> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) { return annotation == "Size"; }
  void look(const Arguments&, std::size_t) const noexcept {}
  void convert(const Arguments& given, std::size_t i) { numbers = given.integers(i); }
  const std::vector<std::int64_t>& value() const { return numbers; }

 private:
  std::vector<std::int64_t> numbers;
};

template <>
struct Reader<std::int64_t> : detail::Value<std::int64_t> {
  static constexpr bool fits(std::string_view annotation) { return annotation == "int"; }
  static std::int64_t read(const Arguments& given, std::size_t i) {
    return to_integer(given.object(i), given.op(), given.name(i));
  }
};

template <>
struct Reader<double> : detail::Value<double> {
  static constexpr bool fits(std::string_view annotation) { return annotation == "float"; }
  static double read(const Arguments& given, std::size_t i) {
    return to_real(given.object(i), given.op(), given.name(i));
  }
};

template <>
struct Reader<Scalar> : detail::Value<Scalar> {
  static constexpr bool fits(std::string_view annotation) { return annotation == "Number"; }
  static Scalar read(const Arguments& given, std::size_t i) {
    return to_scalar(given.object(i), given.op(), given.name(i));
  }
};

template <>
struct Reader<bool> : detail::Value<bool> {
  static constexpr bool fits(std::string_view annotation) { return annotation == "bool"; }
  static bool read(const Arguments& given, std::size_t i) {
    PyObject* const object = given.object(i);
    const int truth = object == Py_False ? 0 : object == Py_True ? 1 : PyObject_IsTrue(object);
    if (truth < 0) throw PythonErrorSet();
    return truth;
  }
};

/// One number stands for a list of one.
template <>
struct Reader<Dims> : detail::Value<Dims> {
  static constexpr bool fits(std::string_view annotation) {
    return annotation == "*int" || annotation == "Size" || annotation == "int | Size";
  }
  static Dims read(const Arguments& given, std::size_t i) { return given.dims(i); }
};

template <>
struct Reader<DType> : detail::Value<DType> {
  static constexpr bool fits(std::string_view annotation) { return annotation == "DType"; }
  static DType read(const Arguments& given, std::size_t i) {
    return to_dtype(given.object(i), given.op());
  }
};

template <>
struct Reader<Device> : detail::Value<Device> {
  static constexpr bool fits(std::string_view annotation) { return annotation == "Device"; }
  static Device read(const Arguments& given, std::size_t i) {
    return to_device(given.object(i), given.op());
  }
};

/// The standard one for None; the caller's reference keeps it.
template <>
struct Reader<Generator*> : detail::Value<Generator*> {
  static constexpr bool fits(std::string_view annotation) {
    return annotation == "Generator | None";
  }
  static Generator* read(const Arguments& given, std::size_t i) {
    return &to_generator(given.object(i), given.op());
  }
};

/// Whatever it is, unread.
template <>
struct Reader<PyObject*> : detail::Value<PyObject*> {
  static constexpr bool fits(std::string_view) { return true; }
  static PyObject* read(const Arguments& given, std::size_t i) { return given.object(i); }
};

template <>
struct Reader<OpName> {
  static constexpr std::size_t width = 0;
  void look(const Arguments& given, std::size_t) { name = {given.op()}; }
  void convert(const Arguments&, std::size_t) const noexcept {}
  OpName value() const { return name; }

 private:
  OpName name;
};

/// Nothing for None.
template <class T>
struct Reader<std::optional<T>> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) {
    constexpr std::string_view end = " | None";
    return annotation.ends_with(end) &&
           Reader<T>::fits(annotation.substr(0, annotation.size() - end.size()));
  }
  void look(const Arguments& given, std::size_t i) {
    is_there = given.object(i) != Py_None;
    if (is_there) inner.look(given, i);
  }
  void convert(const Arguments& given, std::size_t i) {
    if (is_there) inner.convert(given, i);
  }
  std::optional<T> value() { return is_there ? std::optional<T>(inner.value()) : std::nullopt; }

 private:
  Reader<T> inner;
  bool is_there;
};

template <class T>
requires requires(const Arguments& given) { Reader<T>::read(given, 0); }
struct Reader<std::optional<T>> {
  static constexpr std::size_t width = 1;
  static constexpr bool fits(std::string_view annotation) {
    constexpr std::string_view end = " | None";
    return annotation.ends_with(end) &&
           Reader<T>::fits(annotation.substr(0, annotation.size() - end.size()));
  }
  void look(const Arguments&, std::size_t) const noexcept {}
  void convert(const Arguments& given, std::size_t i) {
    if (given.object(i) != Py_None) held.emplace(Reading{given, i});
  }
  const std::optional<T>& value() const { return held; }

 private:
  struct Reading {  // made where it stands
    const Arguments& given;
    std::size_t i;
    operator T() const { return Reader<T>::read(given, i); }
  };
  std::optional<T> held;
};

template <>
struct Reader<Placement> : detail::Value<Placement> {
  static constexpr std::size_t width = 2;
  static constexpr bool is_creation_options = true;
  static Placement read(const Arguments& given, std::size_t i) {
    Placement placement;
    if (given.object(i) != Py_None) placement.dtype = Reader<DType>::read(given, i);
    if (given.object(i + 1) != Py_None) placement.device = Reader<Device>::read(given, i + 1);
    if (given.out()) [[unlikely]] {  // decides what is left open
      const Tensor& out = tensor_of(given.out(), given.op(), "out");
      if (placement.dtype.value_or(out.dtype()) != out.dtype())
        throw DTypeError(text(given.op(), ": dtype ", name_of(*placement.dtype), " into out of ",
                              name_of(out.dtype()), "; they must be equal, leave dtype out"));
      placement = {placement.dtype.value_or(out.dtype()), placement.device.value_or(out.device())};
    }
    return placement;
  }
};

template <>
struct Reader<Options> : detail::Value<Options> {
  static constexpr std::size_t width = 3;
  static constexpr bool is_creation_options = true;
  static Options read(const Arguments& given, std::size_t i) {
    return {Reader<Placement>::read(given, i), Reader<bool>::read(given, i + 2)};
  }
};

/// What an enumeration's values are called in Python, and how a signature annotates it; to be
/// specialised: `annotation`, `names`, an array of pairs.
template <class Enum>
struct Choices;

template <class Enum>
requires std::is_enum_v<Enum> && requires { Choices<Enum>::names; }
struct Reader<Enum> : detail::Value<Enum> {
  static constexpr bool fits(std::string_view annotation) {
    return annotation == Choices<Enum>::annotation;
  }
  static Enum read(const Arguments& given, std::size_t i) {
    PyObject* const object = given.object(i);
    const std::string text = PyUnicode_Check(object) ? text_or_mark(object) : "";
    std::string needed;
    const std::size_t count = Choices<Enum>::names.size();
    for (std::size_t k = 0; k < count; ++k) {
      const auto& [name, value] = Choices<Enum>::names[k];
      if (text == name) return value;
      needed.append(k == 0 ? "'" : k + 1 == count ? " or '" : ", '").append(name).append("'");
    }
    throw_no_choice(given.op(), given.name(i), object, needed.c_str());
  }
};

}  // namespace garboard::python
