#include "python/bindings/tensor/packed_sequence.h"

#include <structmember.h>

#include <new>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/fast_function.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/tensor/tensor_object.h"

// Our object holds a C++ member, which offsetof is only conditionally made for; GCC supports it.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace garboard::python {

PyTypeObject* packed_sequence_type = nullptr;

namespace {

constexpr Py_ssize_t part_count = 4;  // data, batch_sizes, sorted_indices, unsorted_indices

/// A tuple has its items at its end. This type has always as many, so what is ours stands behind
/// them, at a fixed place.
struct SequenceObject {
  PyTupleObject tuple;  // with room for one item
  PyObject* further[part_count - 1];
  PyObject* weak_references;
  Sequence sequence;
};

PyObject* part(PyObject* self, Py_ssize_t i) noexcept { return PyTuple_GET_ITEM(self, i); }

/// Ends the tensors, as the scope that ended the sequence or as nobody's.
void end_parts(void* given) noexcept {
  const WithGil gil;
  if (!gil) return;
  auto* const self = static_cast<PyObject*>(given);
  auto* const by = const_cast<DisposeScope*>(sequence_of(self).ended_by());
  for (Py_ssize_t i = 0; i < part_count; ++i) {
    if (is_tensor(part(self, i))) alias_of(part(self, i)).dispose(by);
  }
  Py_DECREF(self);
}

// Positional alone: the class in Python has the names and checks what they mean.
PyObject* make(PyTypeObject* type, PyObject* given, PyObject* named) noexcept try {
  if (PyTuple_GET_SIZE(given) != part_count || (named && PyDict_GET_SIZE(named) > 0))
    throw_type_error("PackedSequence: %zd arguments; four are needed", PyTuple_GET_SIZE(given));
  for (Py_ssize_t i = 0; i < part_count; ++i) {
    PyObject* const one = part(given, i);
    if (!is_tensor(one) && (i < 2 || one != Py_None))
      throw_type_error("PackedSequence: argument %zd is of type %s; a Tensor is needed", i,
                       Py_TYPE(one)->tp_name);
    if (is_tensor(one)) tensor_of(one, "PackedSequence");
  }
  const BirthStamp stamp;
  PyObject* const self = checked(type->tp_alloc(type, part_count));
  for (Py_ssize_t i = 0; i < part_count; ++i) {
    PyObject* const one = part(given, i);
    PyTuple_SET_ITEM(self, i, Py_NewRef(one));
    if (!is_tensor(one)) continue;
    Alias& alias = alias_of(one);
    if (DisposeScope* const scope = alias.scope()) scope->detach(alias);
  }
  auto& object = *reinterpret_cast<SequenceObject*>(self);
  object.weak_references = nullptr;
  new (&object.sequence) Sequence;
  object.sequence.begin();  // an observer has been told of the tensors
  return self;
} catch (...) {
  return raise_current();
}

// A tensor that somebody took out of the tuple outlives it, and no scope: the sequence's has it.
void packed_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  if (PyObject_GC_IsTracked(self)) PyObject_GC_UnTrack(self);
  auto& object = *reinterpret_cast<SequenceObject*>(self);
  {
    const Counted<DisposeScope> scope(object.sequence.scope());
    if (object.sequence.end_with_tuple() && scope) {
      for (Py_ssize_t i = 0; i < part_count; ++i) {
        PyObject* const one = part(self, i);
        if (is_tensor(one) && Py_REFCNT(one) > 1 && !alias_of(one).scope())
          scope->attach(alias_of(one));
      }
    }
  }
  object.sequence.~Sequence();
  if (object.weak_references) PyObject_ClearWeakRefs(self);
  for (Py_ssize_t i = 0; i < part_count; ++i) Py_XDECREF(part(self, i));
  type->tp_free(self);
  Py_DECREF(type);
}

int packed_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  for (Py_ssize_t i = 0; i < part_count; ++i) Py_VISIT(part(self, i));
  return 0;
}

PyObject* dispose(PyObject* self, PyObject*) noexcept {
  sequence_of(self).dispose();
  Py_RETURN_NONE;
}
PyObject* get_is_disposed(PyObject* self, void*) noexcept {
  return PyBool_FromLong(sequence_of(self).is_disposed());
}

}  // namespace

Sequence& sequence_of(PyObject* object) noexcept {
  return reinterpret_cast<SequenceObject*>(object)->sequence;
}

// Held by a reference until the tensors have been ended: they are in the tuple.
Share Sequence::take_share() noexcept {
  const char* const start =
      reinterpret_cast<const char*>(this) - offsetof(SequenceObject, sequence);
  return {Py_NewRef(reinterpret_cast<PyObject*>(const_cast<char*>(start))), end_parts};
}

PyObject* sequence_object_of(const Disposable& disposable) noexcept {
  const char* const start =
      reinterpret_cast<const char*>(static_cast<const Sequence*>(&disposable)) -
      offsetof(SequenceObject, sequence);
  auto* const object = reinterpret_cast<PyObject*>(const_cast<char*>(start));
  return Py_REFCNT(object) == 0 ? nullptr : Py_NewRef(object);
}

Disposable* disposable_of(PyObject* object) noexcept {
  if (is_tensor(object)) return &alias_of(object);
  return is_packed_sequence(object) ? &sequence_of(object) : nullptr;
}

Disposable& living_disposable(PyObject* object, const char* op, const char* argument) {
  Disposable* const found = disposable_of(object);
  if (!found)
    throw_type_error("%s: %s is of type %s; a Tensor or a PackedSequence is needed", op, argument,
                     Py_TYPE(object)->tp_name);
  if (!found->is_disposed()) return *found;
  if (is_tensor(object)) throw_disposed(alias_of(object), op, argument);
  throw DisposedError(text(op, ": ", argument, " is a disposed packed sequence, ",
                           found->describe_end(), "; move or detach it before that"));
}

bool add_packed_sequence_type(PyObject* module) {
  static PyMethodDef methods[] = {
      {"dispose", dispose, METH_NOARGS, R"(End the sequence and its tensors now. Idempotent.

>>> packed = gb.nn.utils.rnn.pack_sequence([gb.ones(2)])
>>> packed.dispose()
>>> packed.is_disposed, packed.data.is_disposed
(True, True))"},
      {}};
  static PyGetSetDef properties[] = {
      {"is_disposed", get_is_disposed, nullptr,
       "True once the sequence has ended, and its tensors.", nullptr},
      {}};
  static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET,
                                   offsetof(SequenceObject, weak_references), READONLY, nullptr},
                                  {}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, slot(packed_dealloc)},
                                {Py_tp_traverse, slot(packed_traverse)},
                                {Py_tp_new, slot(make)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {Py_tp_members, members},
                                {Py_tp_base, slot(&PyTuple_Type)},
                                {0, nullptr}};
  // The items have room of their own beside what the type says of itself.
  static PyType_Spec spec = {"garboard._PackedSequence", sizeof(SequenceObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  packed_sequence_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return packed_sequence_type &&
         PyModule_AddObjectRef(module, "_PackedSequence",
                               reinterpret_cast<PyObject*>(packed_sequence_type)) == 0;
}

}  // namespace garboard::python
