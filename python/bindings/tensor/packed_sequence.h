// The Python object below `PackedSequence`: a tuple of four that scopes take as one.
#pragma once

#include <Python.h>

#include "csrc/lifetime/disposable.h"

namespace garboard::python {

/// A packed sequence's record among the disposables. Disposing it disposes the tensors in the
/// tuple. Guarded by the GIL.
class Sequence final : public Disposable {
 public:
  Sequence() noexcept : Disposable(Kind::packed_sequence) {}

  bool begin() noexcept { return be_born(true); }
  /// True if it had not ended before.
  bool end_with_tuple() noexcept { return finalize(); }

 protected:
  Share take_share() noexcept override;
};

extern PyTypeObject* packed_sequence_type;

inline bool is_packed_sequence(PyObject* object) noexcept {
  return PyObject_TypeCheck(object, packed_sequence_type);
}
Sequence& sequence_of(PyObject* object) noexcept;
/// As `object_of`, of a Sequence.
PyObject* sequence_object_of(const Disposable& sequence) noexcept;

/// The record of a Tensor or of a packed sequence; null of anything else.
Disposable* disposable_of(PyObject* object) noexcept;
/// The same. Raises DisposedError in the name of `op` after its end, TypeError where there is none.
Disposable& living_disposable(PyObject* object, const char* op, const char* argument);

/// Makes the type and adds it to `module`. Returns false with an exception set.
bool add_packed_sequence_type(PyObject* module);

}  // namespace garboard::python
