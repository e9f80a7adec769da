#include "python/bindings/arguments.h"

#include <cstring>
#include <string_view>

#include "csrc/core/error.h"
#include "python/bindings/dtype_object.h"
#include "python/bindings/errors.h"
#include "python/bindings/items.h"
#include "python/bindings/numbers.h"
#include "python/bindings/ref.h"

namespace garboard::python {
namespace {

const char* type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

/// Whether the type is called so, or derives from one that is: NumPy need not be there.
bool is_of_numpys(PyObject* object, std::string_view name) {
  constexpr std::string_view module = "numpy.";
  for (const PyTypeObject* type = Py_TYPE(object); type; type = type->tp_base) {
    const std::string_view full(type->tp_name);
    if (full.starts_with(module) && full.substr(module.size()).starts_with(name)) return true;
  }
  return false;
}

/// NumPy's complex numbers and times have the slot of real numbers too, and lose a part in it.
bool is_more_than_real(PyObject* object) {
  if (PyComplex_Check(object)) return true;
  for (const char* const name : {"complex", "clongdouble", "datetime64", "timedelta64"})
    if (is_of_numpys(object, name)) return true;
  return false;
}

/// A number that NumPy or another library brings: not an array, although that has the slot too.
bool is_foreign_number(PyObject* object) {
  const PyNumberMethods* const number = Py_TYPE(object)->tp_as_number;
  if (!number || PySequence_Check(object)) return false;
  return (number->nb_index || number->nb_float) && !is_more_than_real(object);
}

/// The only element of an array of NumPy's without dims, where that is a real number; else null.
Ref number_in_array(PyObject* object) {
  if (!is_of_numpys(object, "ndarray")) return {};
  const Ref ndim(checked(PyObject_GetAttrString(object, "ndim")));
  if (PyLong_AsLong(ndim.get()) != 0) return {};
  const Ref dtype(checked(PyObject_GetAttrString(object, "dtype")));
  const Ref kind(checked(PyObject_GetAttrString(dtype.get(), "kind")));
  const bool is_real = PyUnicode_GET_LENGTH(kind.get()) == 1 &&
                       std::strchr("biuf", static_cast<int>(PyUnicode_READ_CHAR(kind.get(), 0)));
  return is_real ? Ref(checked(PyObject_CallMethod(object, "item", nullptr))) : Ref{};
}

/// Raises TypeError, with the way to a Tensor where there is one.
[[noreturn]] void throw_no(const char* needed, PyObject* object, const char* op,
                           const char* argument) {
  throw_type_error("%s: %s is of type %s; %s is needed%s", op, argument, type_name(object), needed,
                   is_of_numpys(object, "ndarray")
                       ? ": gb.from_numpy(array) is a Tensor over the same memory"
                       : "");
}

Scalar whole_number(PyObject* object) {
  const Ref index(checked(PyNumber_Index(object)));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (overflow) {
    PyErr_SetString(PyExc_OverflowError, "a number beyond 64 bits; int64 holds at most 2^63 - 1");
    throw PythonErrorSet();
  }
  return Scalar::of(static_cast<std::int64_t>(value));
}

bool read_scalar(PyObject* object, Scalar& scalar);

/// What is no float, bool or integer of Python's. Apart: the others shall not pay for it.
[[gnu::noinline]] bool read_foreign(PyObject* object, Scalar& scalar) {
  if (is_of_numpys(object, "bool")) {  // in NumPy 1 with an underscore
    scalar = Scalar::of(PyObject_IsTrue(object) == 1);
    return true;
  }
  if (is_foreign_number(object)) {
    if (PyIndex_Check(object)) {
      scalar = whole_number(object);
    } else {
      const Ref real(checked(PyNumber_Float(object)));
      scalar = Scalar::of(PyFloat_AS_DOUBLE(real.get()));
    }
    return true;
  }
  const Ref element = number_in_array(object);
  return element && read_scalar(element.get(), scalar);
}

bool read_scalar(PyObject* object, Scalar& scalar) {
  if (PyFloat_Check(object)) {
    scalar = Scalar::of(PyFloat_AS_DOUBLE(object));
    return true;
  }
  if (PyBool_Check(object)) {
    scalar = Scalar::of(object == Py_True);
    return true;
  }
  if (PyLong_Check(object)) {
    scalar = whole_number(object);
    return true;
  }
  return read_foreign(object, scalar);
}

void check_dim_count(Py_ssize_t count, const char* op, const char* argument) {
  if (count > max_dims)
    throw ShapeError(
        text(op, ": ", argument, " names ", count, " dims; at most ", max_dims, " are supported"));
}

}  // namespace

bool to_number(PyObject* object, Operand& operand) { return read_scalar(object, operand.scalar); }

void refuse_array(PyObject* object, const char* op, const char* argument, const char* needed) {
  if (is_of_numpys(object, "ndarray")) throw_no(needed, object, op, argument);
}

Scalar to_scalar(PyObject* object, const char* op, const char* argument) {
  if (is_tensor(object)) return item_of(tensor_of(object, op, argument), op);
  Scalar scalar;
  if (!read_scalar(object, scalar))
    throw_type_error("%s: %s is of type %s; a number is needed", op, argument, type_name(object));
  return scalar;
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
  const auto& [input, given, count, names] = call;
  const auto& parameters = signature.parameters();
  int next = 0;
  if (input) values_[next++] = input;
  const int total = static_cast<int>(parameters.size());
  Py_ssize_t at = 0;
  for (; at < count && next < signature.positional_count(); ++at, ++next)
    values_[next] = given[at];
  if (at < count) {
    if (signature.variadic() < 0)
      throw_type_error("%s: %zd positional arguments; at most %d are taken", op, count,
                       signature.positional_count() - (input ? 1 : 0));
    rest_ = given + at;
    rest_count_ = count - at;
  }
  const Py_ssize_t name_count = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t k = 0; k < name_count; ++k) {
    PyObject* const name = PyTuple_GET_ITEM(names, k);
    int found = 0;
    while (found < total && parameters[static_cast<std::size_t>(found)].name != name) ++found;
    if (found == total) {  // a name that was not interned
      found = 0;
      while (found < total &&
             PyUnicode_Compare(parameters[static_cast<std::size_t>(found)].name, name) != 0)
        ++found;
    }
    if (found == total) {
      found = signature.place_of_numpy_name(name);
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
    if (values_[found])
      throw_type_error("%s: '%U' is given twice", op, name);
    values_[found] = given[count + k];
  }
  for (int i = next; i < signature.required_end(); ++i) {
    const auto& parameter = parameters[static_cast<std::size_t>(i)];
    if (!values_[i] && i != signature.variadic() &&
        parameter.default_text.empty())
      throw_type_error("%s: '%s' is missing; it is needed", op, parameter.text.c_str());
  }
  if (input || (values_[0] && is_tensor(values_[0])))
    first_ = &tensor_of(values_[0], op, parameter(0));
}

const Tensor& Arguments::tensor_at(int i) const {
  if (!is_tensor(values_[i])) throw_no("a Tensor", values_[i], op_, parameter(i));
  return tensor_of(values_[i], op_, parameter(i));
}

Tensor Arguments::optional_tensor(int i) const { return has(i) ? tensor(i) : Tensor(); }

Operand Arguments::operand(int i) const {
  Operand operand{Scalar{}};
  if (is_tensor(values_[i])) {
    operand.tensor = &tensor(i);
  } else if (!to_number(values_[i], operand)) {
    throw_no("a Tensor or a number", values_[i], op_, parameter(i));
  }
  return operand;
}

std::pair<Operand, Operand> Arguments::operands(int i, int j) const {
  if (is_tensor(values_[i]) || !is_tensor(values_[j])) {
    const Operand first = operand(i);
    return {first, operand(j)};
  }
  const Operand second = operand(j);
  return {operand(i), second};
}

Scalar Arguments::scalar(int i) const { return to_scalar(values_[i], op_, parameter(i)); }
std::int64_t Arguments::integer(int i) const { return to_integer(values_[i], op_, parameter(i)); }
std::int64_t Arguments::integer_or(int i, std::int64_t otherwise) const {
  return has(i) ? integer(i) : otherwise;
}
double Arguments::real(int i) const { return scalar(i).real; }
double Arguments::real_or(int i, double otherwise) const { return has(i) ? real(i) : otherwise; }

bool Arguments::boolean_or(int i, bool otherwise) const {
  if (!values_[i]) return otherwise;
  const int truth = PyObject_IsTrue(values_[i]);
  if (truth < 0) throw PythonErrorSet();
  return truth;
}

Dims Arguments::dims(int i) const { return to_dims(values_[i], op_, parameter(i)); }

Dims Arguments::variadic_dims() const {
  const char* const name = parameter(signature_.variadic());
  if (rest_count_ == 1) return to_dims(rest_[0], op_, name);
  check_dim_count(rest_count_, op_, name);
  Dims dims;
  for (Py_ssize_t i = 0; i < rest_count_; ++i) dims.push_back(to_integer(rest_[i], op_, name));
  return dims;
}

std::optional<DType> Arguments::dtype(int i) const {
  if (!has(i)) return std::nullopt;
  return to_dtype(values_[i], op_);
}

Device Arguments::device_or_cpu(int i) const {
  return has(i) ? to_device(values_[i], op_) : Device{};
}

std::vector<Tensor> Arguments::tensors(int i) const {
  std::vector<Tensor> all;
  PyObject* const given = values_[i];
  if (!Items::can_read(given))
    throw_type_error("%s: %s is of type %s; a list or tuple of Tensors is needed", op_,
                     parameter(i), type_name(given));
  const Items items(given, op_, parameter(i));
  for (Py_ssize_t k = 0; k < items.size(); ++k) {
    const Ref item = items[k];
    if (!is_tensor(item.get()))
      throw_type_error("%s: element %zd of %s is of type %s; a Tensor is needed", op_, k,
                       parameter(i), type_name(item.get()));
    all.push_back(tensor_of(item.get(), op_, parameter(i)));
  }
  return all;
}

}  // namespace garboard::python
