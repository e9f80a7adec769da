// The arguments of one call, matched to a signature and converted on request.
#pragma once

#include <Python.h>

#include <cstddef>
#include <vector>

#include "csrc/ops/op/operand.h"
#include "python/bindings/call/signature.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {

/// What Python hands to a function.
struct Call {
  PyObject* input;         // what a method is called on; null for a function
  PyObject* const* given;  // `count` of them, then one for each of `names`
  Py_ssize_t count;
  PyObject* names;  // a tuple, or null

  Py_ssize_t name_count() const { return names ? PyTuple_GET_SIZE(names) : 0; }
};

/// Borrows everything: valid during the call, inside a Borrowing. What is left out has its default.
/// Conversions raise, naming the op and the parameter. Those of numbers may run anything: tensors
/// are asked for first.
class Arguments {
 public:
  /// `values` are as many null pointers as the signature has parameters. Raises TypeError.
  Arguments(const char* op, const Signature& signature, PyObject** values, const Call& call);

  /// Of a method without parameters, to which `values` give what it is called on.
  Arguments(const char* op, const Signature& signature, PyObject** values)
      : op_(op), signature_(signature), values_(values) {
    first_ = &tensor_of(values[0], op, name(0));
  }

  const char* op() const { return op_; }
  const char* name(std::size_t i) const { return signature_.parameters()[i].text.c_str(); }
  /// The object itself; null only for what `*sizes` collected.
  PyObject* object(std::size_t i) const { return values_[i]; }

  /// What `out=` was given, borrowed: a tensor that is not disposed, or several; null for None.
  PyObject* out() const { return pins() ? nullptr : out_; }
  /// Whether `pin_memory=True` was given, and no `out`.
  bool pins() const { return out_ == Py_True; }
  /// Whether one of the two was.
  bool changes_result() const { return out_ != nullptr; }
  /// Whether the call can write into `out` while it reads its arguments: none looks into the same
  /// storage, and none asks for a gradient. False where that is not seen at once.
  bool leave_alone(const Tensor& out) const;

  /// The first one is looked at before any other is converted, which may run code that disposes it.
  /// An empty tensor for None, where the parameter takes that.
  const Tensor& tensor(std::size_t i) const { return i == 0 && first_ ? *first_ : tensor_at(i); }
  /// Of a parameter that takes a tensor or a number, and was given no tensor.
  void read_number(std::size_t i, Operand& operand) const;
  /// A list of numbers: one number stands for a list of one. What `*sizes` collected.
  Dims dims(std::size_t i) const;
  /// Of a list or tuple; what `*tensors` collected.
  std::vector<Tensor> tensors(std::size_t i) const;
  /// Of a list or tuple of any length.
  std::vector<std::int64_t> integers(std::size_t i) const;

 private:
  const Tensor& tensor_at(std::size_t i) const;
  void take_out(PyObject* given);
  /// Gives what was left out its default. Raises TypeError where there is none.
  void fill_in(int first) const;

  const char* op_;
  const Signature& signature_;
  PyObject** values_;              // as the signature has them
  const Tensor* first_ = nullptr;  // null where the first is none
  PyObject* const* rest_ = nullptr;
  Py_ssize_t rest_count_ = 0;
  PyObject* out_ = nullptr;  // True for pinned memory: calls that ask for neither look once
};

/// The first of `count` signatures that a call fits, by its names, its length and what its objects
/// can stand for; where none does, the one whose error tells most. Raises TypeError where several
/// fit by names and length, and none by an argument.
std::size_t fitting(const char* op, const Signature* const* signatures, std::size_t count,
                    const Call& call);

/// Raises TypeError where an operand that is no number is an array of NumPy's, which would take the
/// operator over and return an array.
void refuse_array(PyObject* object, const char* op, const char* argument, const char* needed);
/// Fills `operand` from a number, or an array of NumPy's without dims. False, with nothing set, for
/// anything else. Raises OverflowError for an integer beyond 64 bits.
bool to_number(PyObject* object, const char* op, const char* argument, Operand& operand);
/// The same from a tensor too, which is the usual case.
inline bool to_operand(PyObject* object, const char* op, const char* argument, Operand& operand) {
  if (!is_tensor(object)) return to_number(object, op, argument, operand);
  operand.tensor = &tensor_of(object, op, argument);
  return true;
}
/// Raises TypeError for what is not a number.
Scalar to_scalar(PyObject* object, const char* op, const char* argument);
/// Raises TypeError for a complex number, too.
double to_real(PyObject* object, const char* op, const char* argument);
std::int64_t to_integer(PyObject* object, const char* op, const char* argument);
Dims to_dims(PyObject* object, const char* op, const char* argument);

}  // namespace garboard::python
