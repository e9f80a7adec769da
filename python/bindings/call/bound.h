// A C++ function as Python calls it. Its parameter types say how arguments are read, its result's
// type what comes back, and what a stub says of it; a signature that disagrees does not compile.
#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "csrc/ops/op/op.h"
#include "csrc/ops/reduce/reduce.h"
#include "python/bindings/call/doc.h"
#include "python/bindings/call/reader.h"
#include "python/bindings/call/signature.h"
#include "python/bindings/call/written.h"
#include "python/bindings/exchange/exchange.h"
#include "python/bindings/exchange/numbers.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/values/size_object.h"

namespace garboard::python {

/// What a function returns that wrote into its first argument: that argument.
struct Itself {};

/// A function by its name, for what is not overloaded; a lambda without captures goes as it is.
template <auto function>
struct Fn {
  static constexpr auto target = function;
};
template <auto function>
inline constexpr Fn<function> fn{};

namespace detail {

/// A tuple that fills nothing with zeros first.
template <std::size_t place, class Reader>
struct At {
  Reader reader;
};
template <class Indices, class... Readers>
struct ReaderTuple;
template <std::size_t... indices, class... Readers>
struct ReaderTuple<std::index_sequence<indices...>, Readers...> : At<indices, Readers>... {
  template <std::size_t place, class Reader>
  static Reader& at(At<place, Reader>& it) {
    return it.reader;
  }
};

template <class Function>
struct Types;
template <class R, class... P>
struct Types<R (*)(P...)> {
  using Result = R;
  using Readers = ReaderTuple<std::index_sequence_for<P...>, Reader<std::remove_cvref_t<P>>...>;
};
template <class C, class R, class... P>
struct Types<R (C::*)(P...) const> : Types<R (*)(P...)> {};

template <class F>
struct Callable {
  using Of = Types<decltype(&F::operator())>;
};
template <auto function>
struct Callable<Fn<function>> {
  using Of = Types<decltype(function)>;
};

template <class T>
struct Result;
template <>
struct Result<void> {
  static constexpr const char* annotation = "None";
};
template <>
struct Result<Tensor> {
  static constexpr const char* annotation = "Tensor";
  static constexpr Outs out = Outs::one;
  static PyObject* give(Tensor&& value, const Arguments& given) {
    if (given.changes_result()) [[unlikely]]
      return written(given, value);
    return wrap(std::move(value));
  }
};
template <>
struct Result<Itself> {
  static constexpr const char* annotation = "Self";
  static PyObject* give(Itself, const Arguments& given) { return Py_NewRef(given.object(0)); }
};
template <>
struct Result<bool> {
  static constexpr const char* annotation = "bool";
  static PyObject* give(bool value, const Arguments&) { return PyBool_FromLong(value); }
};
template <>
struct Result<std::int64_t> {
  static constexpr const char* annotation = "int";
  static PyObject* give(std::int64_t value, const Arguments&) { return PyLong_FromLongLong(value); }
};
template <>
struct Result<Scalar> {
  static constexpr const char* annotation = "Element";
  static PyObject* give(Scalar value, const Arguments&) { return number_of(value); }
};
template <>
struct Result<Dims> {
  static constexpr const char* annotation = "_Size";
  static PyObject* give(const Dims& value, const Arguments&) { return size_object(value); }
};
template <>
struct Result<ValuesAndIndices> {
  static constexpr const char* annotation = "ValuesAndIndices";
  static constexpr Outs out = Outs::several;
  static PyObject* give(ValuesAndIndices&& value, const Arguments& given) {
    if (given.out()) [[unlikely]]
      return named(written(given, {{value.values, value.indices}}), given.op());
    return named(std::move(value), given.op());
  }
  /// It prints with the name of the op, a text that does not end.
  static PyObject* named(ValuesAndIndices value, const char* op);
  /// Of a tuple of two, which it takes over.
  static PyObject* named(PyObject* both, const char* op);
};
template <>
struct Result<std::vector<Tensor>> {
  static constexpr const char* annotation = "tuple[Tensor, ...]";
  static constexpr Outs out = Outs::several;
  static PyObject* give(std::vector<Tensor>&& values, const Arguments& given) {
    if (given.out()) [[unlikely]]
      return written(given, values);
    return tuple(std::move(values));
  }
  static PyObject* tuple(std::vector<Tensor> values) {
    Ref all(checked(PyTuple_New(static_cast<Py_ssize_t>(values.size()))));
    for (std::size_t i = 0; i < values.size(); ++i)
      PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i), checked(wrap(std::move(values[i]))));
    return all.release();
  }
};
template <>
struct Result<PyObject*> {  // a new reference, or null where an exception is set
  static constexpr const char* annotation = nullptr;
  static PyObject* give(PyObject* value, const Arguments&) { return value; }
};

template <class F, std::size_t... k, class... Readers>
PyObject* call_with(const F& function, const Arguments& given,
                    ReaderTuple<std::index_sequence<k...>, Readers...>* types) {
  using R = std::remove_cvref_t<typename Callable<F>::Of::Result>;
  using All = std::remove_pointer_t<decltype(types)>;
  constexpr auto starts = [] {
    std::array<std::size_t, sizeof...(Readers) + 1> at{};
    std::size_t i = 0;
    ((at[i + 1] = at[i] + Readers::width, ++i), ...);
    return at;
  }();
  All readers;
  (All::template at<k>(readers).look(given, starts[k]), ...);
  (All::template at<k>(readers).convert(given, starts[k]), ...);
  const auto run = [&]() -> decltype(auto) {
    if constexpr (requires { F::target; }) {
      return F::target(All::template at<k>(readers).value()...);
    } else {
      return function(All::template at<k>(readers).value()...);
    }
  };
  if constexpr (std::is_void_v<R>) {
    run();
    Py_RETURN_NONE;
  } else if constexpr (std::is_same_v<R, Tensor>) {
    return Result<R>::give(
        [&] {
          const WrittenAtOnce out(given);
          return run();
        }(),
        given);
  } else {
    return Result<R>::give(run(), given);
  }
}

/// Of the parameters of `signature`, one behind the other; a mismatch is no constant expression.
template <class R>
consteval void check_annotations(const std::string_view* annotations) {
  if constexpr (requires { R::is_creation_options; }) {
    for (std::size_t i = 0; i < R::width; ++i)
      if (annotations[i] != annotation_of(creation_options[i])) throw "@options are needed here";
  } else if constexpr (R::width > 0) {
    if (!R::fits(annotations[0])) throw "a parameter is annotated as what the function takes not";
  }
}

template <class Indices, class... Readers>
consteval void check_signature(std::string_view signature, ReaderTuple<Indices, Readers...>*) {
  constexpr std::size_t width = (Readers::width + ... + 0);
  if (parameter_count(signature) != width)
    throw "the signature has more or fewer parameters than the function";
  std::array<std::string_view, width + 1> annotations;
  std::size_t count = 0;
  for_each_part(signature, [&](std::string_view part) {
    if (part != "*") annotations[count++] = annotation_of(part);
  });
  std::size_t at = 0;
  ((check_annotations<Readers>(&annotations[at]), at += Readers::width), ...);
}

}  // namespace detail

/// Reads what `function` takes, calls it, and wraps what it returns.
template <class F>
PyObject* call_bound(const F& function, const Arguments& given) {
  using Readers = typename detail::Callable<F>::Of::Readers;
  return detail::call_with(function, given, static_cast<Readers*>(nullptr));
}

/// Whether a tensor can be born in a call. Where none can, it costs no stamp, and without arguments
/// no matching.
enum class Births : std::uint8_t { some, none };

/// One way to call a function or method. A method's receiver is its first parameter. Rows of one
/// name that follow each other are the ways to call one function, tried in their order: the first
/// row's signature is the one that `inspect` shows, and its doc that of all.
struct Method {
  const char* name;
  const char* signature;  // typed; see signature.h
  const char* returns;    // for the stub
  const Doc* doc;         // never null
  Place place;
  PyObject* (*call)(const Arguments& arguments);
  Births births;
  Outs results;  // what `with_out` lets the call take
  Outs out = Outs::none;

  /// The same row, which takes `out=` too: what is made is written there.
  consteval Method with_out() const {
    if (results == Outs::none) throw "out= is for functions that return tensors";
    Method row = *this;
    row.out = results;
    return row;
  }
};

// Signatures that many rows have.
inline constexpr const char* alone = "input: Tensor";
inline constexpr const char* several = "*tensors: Tensor";

/// The row that binds `function`; `returns` is for a function that returns a Python object.
template <class F>
consteval Method bind(const char* name, const char* signature, const Doc& doc, F function,
                      Place place = Place::everywhere, const char* returns = nullptr) {
  (void)function;
  using Of = typename detail::Callable<F>::Of;
  using Result = std::remove_cvref_t<typename Of::Result>;
  detail::check_signature(signature, static_cast<typename Of::Readers*>(nullptr));
  const char* const annotation = returns ? returns : detail::Result<Result>::annotation;
  if (!annotation) throw "a function that returns a Python object says which";
  constexpr bool is_plain = std::is_same_v<Result, bool> || std::is_same_v<Result, Scalar> ||
                            std::is_same_v<Result, std::int64_t> || std::is_same_v<Result, Dims>;
  return {name,
          signature,
          annotation,
          &doc,
          place,
          [](const Arguments& given) { return call_bound(F(), given); },
          is_plain ? Births::none : Births::some,
          [] {
            if constexpr (requires { detail::Result<Result>::out; })
              return detail::Result<Result>::out;
            else
              return Outs::none;
          }()};
}

}  // namespace garboard::python
