#include "python/bindings/call/arguments.h"

#include <algorithm>
#include <cstring>

#include "csrc/core/error.h"
#include "csrc/core/pool.h"
#include "csrc/ops/op/record.h"
#include "python/bindings/call/layout_hints.h"
#include "python/bindings/exchange/foreign_objects.h"
#include "python/bindings/exchange/numbers.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/values/dtype_object.h"

namespace garboard::python {
namespace {

const char* type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

/// Raises TypeError, with the way to a Tensor where there is one.
[[noreturn]] void throw_no(const char* needed, PyObject* object, const char* op,
                           const char* argument) {
  throw_type_error("%s: %s is of type %s; %s is needed%s", op, argument, type_name(object), needed,
                   way_to_a_tensor(object));
}

Scalar whole_number(PyObject* object, const char* op, const char* argument) {
  const Ref index(checked(PyNumber_Index(object)));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (overflow) {
    PyErr_Format(PyExc_OverflowError,
                 "%s: %s is a number beyond 64 bits; int64 holds at most 2^63 - 1", op, argument);
    throw PythonErrorSet();
  }
  return Scalar::of(static_cast<std::int64_t>(value));
}

bool read_scalar(PyObject* object, Scalar& scalar, const char* op, const char* argument);

/// What is no float, bool or integer of Python's. Apart: the others shall not pay for it.
[[gnu::noinline]] bool read_foreign(PyObject* object, Scalar& scalar, const char* op,
                                    const char* argument) {
  if (is_of_numpys(object, "bool")) {  // in NumPy 1 with an underscore
    scalar = Scalar::of(PyObject_IsTrue(object) == 1);
    return true;
  }
  if (is_foreign_number(object)) {
    if (has_attribute(object, "__dlpack__")) {  // an array of another library, without dims
      const Ref item(checked(PyObject_CallMethod(object, "item", nullptr)));
      scalar = to_scalar(item.get(), op, argument);
    } else if (PyIndex_Check(object)) {
      scalar = whole_number(object, op, argument);
    } else {
      const Ref real(checked(PyNumber_Float(object)));
      scalar = Scalar::of(PyFloat_AS_DOUBLE(real.get()));
    }
    return true;
  }
  if (is_complex_number(object)) {
    scalar = Scalar::of(complex_value(object));
    return true;
  }
  const Ref element = number_in_array(object);
  return element && read_scalar(element.get(), scalar, op, argument);
}

bool read_scalar(PyObject* object, Scalar& scalar, const char* op, const char* argument) {
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    scalar = overflow ? whole_number(object, op, argument)
                      : Scalar::of(static_cast<std::int64_t>(value));
    return true;
  }
  if (PyFloat_Check(object)) {
    scalar = Scalar::of(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (PyBool_Check(object)) {
    scalar = Scalar::of(object == Py_True);
    return true;
  }
  if (PyLong_Check(object)) {
    scalar = whole_number(object, op, argument);
    return true;
  }
  return read_foreign(object, scalar, op, argument);
}

void check_dim_count(Py_ssize_t count, const char* op, const char* argument) {
  if (count > max_dims)
    throw ShapeError(
        text(op, ": ", argument, " names ", count, " dims; at most ", max_dims, " are supported"));
}

}  // namespace

bool to_number(PyObject* object, const char* op, const char* argument, Operand& operand) {
  return read_scalar(object, operand.scalar, op, argument);
}

void refuse_array(PyObject* object, const char* op, const char* argument, const char* needed) {
  if (is_of_numpys(object, "ndarray")) throw_no(needed, object, op, argument);
}

Scalar to_scalar(PyObject* object, const char* op, const char* argument) {
  Scalar scalar;
  if (PyFloat_CheckExact(object) ||
      PyLong_CheckExact(object)) {  // whether it is a tensor takes long
    read_scalar(object, scalar, op, argument);
    return scalar;
  }
  if (is_tensor(object)) return item_of(tensor_of(object, op, argument), op);
  if (!read_scalar(object, scalar, op, argument))
    throw_type_error("%s: %s is of type %s; a number is needed", op, argument, type_name(object));
  return scalar;
}

double to_real(PyObject* object, const char* op, const char* argument) {
  const Scalar scalar = to_scalar(object, op, argument);
  if (scalar.category == Category::complex) throw_no("a real number", object, op, argument);
  return scalar.real;
}

std::int64_t to_integer(PyObject* object, const char* op, const char* argument) {
  if (PyLong_CheckExact(object)) [[likely]] {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) return value;
  }
  if (!PyIndex_Check(object) || PyBool_Check(object))
    throw_type_error("%s: %s is of type %s; an integer is needed", op, argument, type_name(object));
  const Ref index(checked(PyNumber_Index(object)));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (overflow)
    throw ShapeError(text(op, ": ", argument, " does not fit into 64 bits; at most 2^63 - 1"));
  if (value == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return value;
}

Dims to_dims(PyObject* object, const char* op, const char* argument) {
  if (PyIndex_Check(object)) return Dims{to_integer(object, op, argument)};
  if (!Items::can_read(object))
    throw_type_error("%s: %s is of type %s; an integer, or a tuple or list of them, is needed", op,
                     argument, type_name(object));
  const Items items(object, op, argument);
  check_dim_count(items.size(), op, argument);
  Dims dims;
  for (Py_ssize_t i = 0; i < items.size(); ++i)
    dims.push_back(to_integer(items[i].get(), op, argument));
  return dims;
}

Arguments::Arguments(const char* op, const Signature& signature, PyObject** values,
                     const Call& call)
    : op_(op), signature_(signature), values_(values) {
  const auto [input, given, count, names] = call;  // copies: what is stored below is none of them
  const auto& parameters = signature.parameters();
  int next = 0;
  if (input) values[next++] = input;
  const int total = static_cast<int>(parameters.size());
  const Py_ssize_t placed = std::min<Py_ssize_t>(count, signature.positional_count() - next);
  Py_ssize_t at = 0;
  for (; at < placed; ++at) values[next++] = given[at];
  if (at < count) {
    if (signature.variadic() < 0)
      throw_type_error("%s: %zd positional arguments; at most %d are taken", op, count,
                       signature.positional_count() - (input ? 1 : 0));
    rest_ = given + at;
    rest_count_ = count - at;
  }
  const Py_ssize_t name_count = call.name_count();
  for (Py_ssize_t k = 0; k < name_count; ++k) {
    PyObject* const name = PyTuple_GET_ITEM(names, k);
    int found = signature.place_of(name);
    if (found < 0) {
      if (signature.names_out(name)) {
        take_out(given[count + k]);
        continue;
      }
      if (is_layout_hint(name, given[count + k])) {
        if (given[count + k] == Py_True && !out_) out_ = Py_True;  // pin_memory, of all of them
        continue;
      }
      found = signature.place_of_other_name(name);
      if (found < 0) throw_type_error("%s: no parameter is named '%U'", op, name);
      if (values_[found])
        throw_type_error("%s: '%s' is given twice; '%U' is another name of it", op,
                         parameters[static_cast<std::size_t>(found)].text.c_str(), name);
    }
    if (found == signature.variadic() && !rest_) {
      rest_ = given + count + k;
      rest_count_ = 1;
      continue;
    }
    if (values_[found] || found == signature.variadic())
      throw_type_error("%s: '%U' is given twice", op, name);
    values_[found] = given[count + k];
  }
  PyObject* const* const defaults = signature.defaults();
  if (!names && next >= signature.required_count()) [[likely]] {
    for (int i = next; i < total; ++i) values[i] = defaults[i];
  } else {
    fill_in(next);
  }
  if (input || (values[0] && is_tensor(values[0]))) first_ = &tensor_of(values[0], op, name(0));
}

void Arguments::take_out(PyObject* given) {
  if (given == Py_None) return;
  if (signature_.out() == Outs::one) {
    if (!is_tensor(given)) throw_no("a Tensor", given, op_, "out");
    tensor_of(given, op_, "out");
  } else {
    if (!PyTuple_Check(given) && !PyList_Check(given))
      throw_no("a tuple of Tensors, one for each result,", given, op_, "out");
    const Items items(given, op_, "out");
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      if (!is_tensor(items[i].get())) throw_no("a tuple of Tensors", items[i].get(), op_, "out");
      tensor_of(items[i].get(), op_, "out");
    }
  }
  out_ = given;
}

namespace {

bool leaves_alone(PyObject* object, const Tensor& out) {
  if (!object || object == Py_None || PyLong_Check(object) || PyFloat_Check(object)) return true;
  if (!is_tensor(object) || alias_of(object).is_empty()) return false;
  const Tensor& tensor = alias_of(object).tensor();
  return tensor.storage() != out.storage() && !must_record({tensor});
}

}  // namespace

bool Arguments::leave_alone(const Tensor& out) const {
  for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
    PyObject* const given = values_[i];
    if (given && Items::can_read(given)) {
      const Items items(given, op_, name(i));
      for (Py_ssize_t k = 0; k < items.size(); ++k)
        if (!leaves_alone(items[k].get(), out)) return false;
    } else if (!leaves_alone(given, out)) {
      return false;
    }
  }
  for (Py_ssize_t k = 0; k < rest_count_; ++k)
    if (!leaves_alone(rest_[k], out)) return false;
  return !must_record({out});
}

void Arguments::fill_in(int first) const {
  const auto& parameters = signature_.parameters();
  for (int i = first; i < static_cast<int>(parameters.size()); ++i) {
    if (values_[i]) continue;
    values_[i] = signature_.defaults()[i];
    if (!values_[i] && i != signature_.variadic())
      throw_type_error("%s: '%s' is missing; it is needed", op_, name(static_cast<std::size_t>(i)));
  }
}

const Tensor& Arguments::tensor_at(std::size_t i) const {
  static const Tensor& none = *new Tensor;
  PyObject* const object = values_[i];
  if (is_tensor(object)) [[likely]]
    return tensor_of(object, op_, name(i));
  if (object == Py_None && signature_.parameters()[i].takes(Kind::none)) return none;
  throw_no("a Tensor", object, op_, name(i));
}

void Arguments::read_number(std::size_t i, Operand& operand) const {
  if (!to_number(values_[i], op_, name(i), operand))
    throw_no("a Tensor or a number", values_[i], op_, name(i));
}

Dims Arguments::dims(std::size_t i) const {
  if (static_cast<int>(i) != signature_.variadic()) return to_dims(values_[i], op_, name(i));
  if (rest_count_ == 1) return to_dims(rest_[0], op_, name(i));
  check_dim_count(rest_count_, op_, name(i));
  Dims dims;
  for (Py_ssize_t k = 0; k < rest_count_; ++k) dims.push_back(to_integer(rest_[k], op_, name(i)));
  return dims;
}

std::vector<Tensor> Arguments::tensors(std::size_t i) const {
  std::vector<Tensor> all;
  const auto add = [&](PyObject* item, Py_ssize_t k) {
    if (!is_tensor(item))
      throw_type_error("%s: element %zd of %s is of type %s; a Tensor is needed", op_, k, name(i),
                       type_name(item));
    all.push_back(tensor_of(item, op_, name(i)));
  };
  PyObject* given = values_[i];
  if (static_cast<int>(i) == signature_.variadic()) {
    if (rest_count_ != 1 || !Items::can_read(rest_[0])) {
      for (Py_ssize_t k = 0; k < rest_count_; ++k) add(rest_[k], k);
      return all;
    }
    given = rest_[0];
  }
  if (!Items::can_read(given))
    throw_type_error("%s: %s is of type %s; a list or tuple of Tensors is needed", op_, name(i),
                     type_name(given));
  const Items items(given, op_, name(i));
  for (Py_ssize_t k = 0; k < items.size(); ++k) add(items[k].get(), k);
  return all;
}

std::vector<std::int64_t> Arguments::integers(std::size_t i) const {
  PyObject* const given = values_[i];
  if (!Items::can_read(given))
    throw_type_error("%s: %s is of type %s; a list or tuple of integers is needed", op_, name(i),
                     type_name(given));
  const Items items(given, op_, name(i));
  std::vector<std::int64_t> all;
  for (Py_ssize_t k = 0; k < items.size(); ++k)
    all.push_back(to_integer(items[k].get(), op_, name(i)));
  return all;
}

namespace {

/// Whether an object may stand for what the parameter is annotated with.
bool can_be(const Signature::Parameter& parameter, PyObject* object) {
  const auto takes = [&](Kind kind) { return parameter.takes(kind); };
  if (parameter.kinds == static_cast<unsigned>(Kind::any)) return true;
  if (object == Py_None) return takes(Kind::none);
  if (PyLong_CheckExact(object)) return takes(Kind::integer) || takes(Kind::number);
  if (is_dtype(object)) return takes(Kind::dtype);
  if (is_tensor(object)) return takes(Kind::tensor);
  if (PyBool_Check(object)) return takes(Kind::truth) || takes(Kind::number);
  if (PyUnicode_Check(object)) return takes(Kind::text) || takes(Kind::device);
  if (PyType_Check(object)) return takes(Kind::dtype);
  if (is_device(object)) return takes(Kind::device);
  if (PyIndex_Check(object) && (takes(Kind::integer) || takes(Kind::number))) return true;
  if (takes(Kind::sequence) && Items::can_read(object)) return true;
  return takes(Kind::number) && (PyFloat_Check(object) || is_foreign_number(object));
}

/// Whether an object is a tensor of one integer, and the parameter may be that number.
bool can_be_read(const char* op, const Signature::Parameter& parameter, PyObject* object) {
  if (!parameter.takes(Kind::integer) || !is_tensor(object)) return false;
  const Tensor& tensor = tensor_of(object, op, parameter.text.c_str());
  return tensor.count() == 1 && category_of(tensor.dtype()) == Category::integer;
}

/// `None, an integer or a Tensor`.
std::string words_of(unsigned kinds) {
  constexpr const char* words[] = {"a Tensor", "an integer",      "a number",
                                   "a bool",   "a tuple or list", "a dtype",
                                   "a device", "a str",           "None"};
  std::vector<const char*> all;
  for (std::size_t i = 0; i < std::size(words); ++i)
    if (kinds & (1u << i)) all.push_back(words[i]);
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == all.size() ? " or " : ", ").append(all[i]);
  return text;
}

/// How a call meets one signature.
struct Match {
  bool fits_by_names = true;
  int matched_count = 0;  // so many parameters, from the first
  bool fits = false;
  bool fits_when_read = false;  // where tensors of one integer are that number
};

Match match(const char* op, const Signature& signature, const Call& call) {
  const auto& parameters = signature.parameters();
  const Py_ssize_t before = call.input ? 1 : 0;
  const auto refused = [] { return Match{.fits_by_names = false}; };
  if (call.count + before > signature.positional_count() && signature.variadic() < 0)
    return refused();
  const Py_ssize_t name_count = call.name_count();
  pool::Vector<PyObject*> values(parameters.size());
  for (Py_ssize_t i = 0; i < before + call.count && i < signature.positional_count(); ++i)
    values[static_cast<std::size_t>(i)] = i < before ? call.input : call.given[i - before];
  for (Py_ssize_t k = 0; k < name_count; ++k) {
    PyObject* const name = PyTuple_GET_ITEM(call.names, k);
    const int found = signature.place_of_any_name(name);
    PyObject* const given = call.given[call.count + k];
    if (found < 0 && (signature.names_out(name) || is_layout_hint(name, given))) continue;
    if (found < 0 || values[static_cast<std::size_t>(found)]) return refused();
    values[static_cast<std::size_t>(found)] = given;
  }
  Match result;
  bool all_match = true, all_can_be_read = true;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!values[i] && !signature.defaults()[i] && static_cast<int>(i) != signature.variadic())
      return refused();
    const bool is_match = !values[i] || can_be(parameters[i], values[i]);
    all_can_be_read = all_can_be_read && (is_match || can_be_read(op, parameters[i], values[i]));
    all_match = all_match && is_match;
    if (all_match) ++result.matched_count;
  }
  result.fits = all_match;
  result.fits_when_read = all_can_be_read;
  return result;
}

/// The usual call: `match` without room for values.
bool fits(const Signature& signature, const Call& call) {
  const auto& parameters = signature.parameters();
  const auto fits_at = [&](Py_ssize_t i, PyObject* object) {
    return can_be(parameters[static_cast<std::size_t>(i)], object);
  };
  const Py_ssize_t before = call.input ? 1 : 0, placed = before + call.count;
  if (placed > signature.positional_count() && signature.variadic() < 0) return false;
  for (Py_ssize_t i = before; i < placed; ++i) {
    PyObject* const given = call.given[i - before];
    const bool is_collected = i >= signature.positional_count();
    if (!(is_collected ? PyLong_CheckExact(given) : fits_at(i, given))) return false;
  }
  Py_ssize_t required = signature.required_count() - placed;
  for (Py_ssize_t k = 0; k < call.name_count(); ++k) {
    PyObject* const name = PyTuple_GET_ITEM(call.names, k);
    const int found = signature.place_of_any_name(name);
    PyObject* const given = call.given[call.count + k];
    if (found < 0 && (signature.names_out(name) || is_layout_hint(name, given))) continue;
    if (found < placed || !fits_at(found, given)) return false;
    if (found < signature.required_count()) --required;
  }
  return required <= 0;
}

}  // namespace

std::size_t fitting(const char* op, const Signature* const* signatures, std::size_t count,
                    const Call& call) {
  for (std::size_t k = 0; k < count; ++k)
    if (fits(*signatures[k], call)) return k;
  std::size_t best = 0, candidates = 0, longest = 0, when_read = count;
  int most_matched = -1;
  for (std::size_t k = 0; k < count; ++k) {
    if (signatures[k]->parameters().size() > signatures[longest]->parameters().size()) longest = k;
    const Match found = match(op, *signatures[k], call);
    if (found.fits) return k;
    if (found.fits_when_read) when_read = std::min(when_read, k);
    if (!found.fits_by_names || found.matched_count < most_matched) continue;
    if (found.matched_count == most_matched) {
      ++candidates;
      continue;
    }
    candidates = 1;
    most_matched = found.matched_count;
    best = k;
  }
  if (when_read < count) return when_read;
  if (candidates == 0) return longest;
  if (candidates == 1) return best;
  const auto at = static_cast<std::size_t>(most_matched);
  unsigned kinds = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Match found = match(op, *signatures[k], call);
    if (found.fits_by_names && found.matched_count == most_matched)
      kinds |= signatures[k]->parameters()[at].kinds;
  }
  const Signature::Parameter& parameter = signatures[best]->parameters()[at];
  const Py_ssize_t place = most_matched - (call.input ? 1 : 0);
  PyObject* given = place < call.count ? call.given[place] : nullptr;
  for (Py_ssize_t k = 0; !given && k < call.name_count(); ++k) {
    PyObject* const name = PyTuple_GET_ITEM(call.names, k);
    if (signatures[best]->place_of_any_name(name) == most_matched)
      given = call.given[call.count + k];
  }
  throw_type_error("%s: %s is of type %s; %s is needed", op, parameter.text.c_str(),
                   given ? type_name(given) : "?", words_of(kinds).c_str());
}

}  // namespace garboard::python
