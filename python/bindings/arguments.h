// The arguments of one call, matched to a signature and converted on request.
#pragma once

#include <Python.h>

#include <optional>
#include <utility>
#include <vector>

#include "csrc/ops/operand.h"
#include "python/bindings/signature.h"
#include "python/bindings/tensor_object.h"

namespace garboard::python {

/// What Python hands to a function.
struct Call {
  PyObject* input;         // what a method is called on; null for a function
  PyObject* const* given;  // `count` of them, then one for each of `names`
  Py_ssize_t count;
  PyObject* names;  // a tuple, or null
};

/// Borrows everything: valid during the call, inside a Borrowing. Conversions raise, naming the op
/// and the parameter. Those of numbers may run anything: tensors are asked for first.
class Arguments {
 public:
  /// `values` are as many null pointers as the signature has parameters. Raises TypeError.
  Arguments(const char* op, const Signature& signature, PyObject** values, const Call& call);

  /// Of a method without parameters, to which `values` give what it is called on.
  Arguments(const char* op, const Signature& signature, PyObject** values)
      : op_(op), signature_(signature), values_(values) {
    first_ = &tensor_of(values[0], op, parameter(0));
  }

  const char* op() const { return op_; }
  /// The object itself, or null if it was left out.
  PyObject* object(int i) const { return values_[i]; }
  /// Given, and not None.
  bool has(int i) const { return values_[i] && values_[i] != Py_None; }

  /// The first one is looked at before any other is converted, which may run code that disposes it.
  const Tensor& tensor(int i) const { return i == 0 && first_ ? *first_ : tensor_at(i); }
  /// An empty tensor for None.
  Tensor optional_tensor(int i) const;
  /// A tensor or a number.
  Operand operand(int i) const;
  /// Two of them; tensors are looked at before numbers are converted.
  std::pair<Operand, Operand> operands(int i, int j) const;
  Scalar scalar(int i) const;
  std::int64_t integer(int i) const;
  std::int64_t integer_or(int i, std::int64_t otherwise) const;
  double real(int i) const;
  double real_or(int i, double otherwise) const;
  bool boolean_or(int i, bool otherwise) const;
  /// A list of numbers: one number stands for a list of one.
  Dims dims(int i) const;
  /// What `*sizes` collected.
  Dims variadic_dims() const;
  std::optional<DType> dtype(int i) const;
  Device device_or_cpu(int i) const;
  std::vector<Tensor> tensors(int i) const;

 private:
  const char* parameter(int i) const {
    return signature_.parameters()[static_cast<std::size_t>(i)].text.c_str();
  }
  const Tensor& tensor_at(int i) const;

  const char* op_;
  const Signature& signature_;
  PyObject** values_;              // as the signature has them; null where left out
  const Tensor* first_ = nullptr;  // null where the first is none
  PyObject* const* rest_ = nullptr;
  Py_ssize_t rest_count_ = 0;
};

/// Raises TypeError where an operand that is no number is an array of NumPy's, which would take the
/// operator over and return an array.
void refuse_array(PyObject* object, const char* op, const char* argument, const char* needed);
/// Fills `operand` from a number, or an array of NumPy's without dims. False, with nothing set, for
/// anything else.
bool to_number(PyObject* object, Operand& operand);
/// The same from a tensor too, which is the usual case.
inline bool to_operand(PyObject* object, const char* op, const char* argument, Operand& operand) {
  if (!is_tensor(object)) return to_number(object, operand);
  operand.tensor = &tensor_of(object, op, argument);
  return true;
}
/// Raises TypeError for what is not a number.
Scalar to_scalar(PyObject* object, const char* op, const char* argument);
std::int64_t to_integer(PyObject* object, const char* op, const char* argument);
Dims to_dims(PyObject* object, const char* op, const char* argument);

}  // namespace garboard::python
