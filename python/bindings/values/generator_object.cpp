#include "python/bindings/values/generator_object.h"

#include <new>

#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/fast_function.h"

namespace garboard::python {
namespace {

constexpr const char* generator_doc =
    R"(What `garboard.Generator` is made of: a seed, and how much was drawn.)";

struct GeneratorObject {
  PyObject_HEAD bool is_standard;  // then it stands for what the calling thread draws from
  Generator own;

  Generator& drawn_from() { return is_standard ? Generator::standard() : own; }
};
PyTypeObject* generator_type = nullptr;

GeneratorObject& of(PyObject* self) { return *reinterpret_cast<GeneratorObject*>(self); }

PyObject* generator_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* const self = type->tp_alloc(type, 0);
  if (self) new (&of(self).own) Generator;
  return self;
}
void generator_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  of(self).own.~Generator();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* be_standard(PyObject* self, PyObject*) {
  of(self).is_standard = true;
  Py_RETURN_NONE;
}
PyObject* part_from_others(PyObject*, PyObject* seed) {
  const unsigned long long given = PyLong_AsUnsignedLongLongMask(seed);
  if (PyErr_Occurred()) return nullptr;
  Generator::part_from_others(given);
  Py_RETURN_NONE;
}
PyObject* state(PyObject* self, PyObject*) {
  const GeneratorState state = of(self).drawn_from().state();
  return Py_BuildValue("(KK)", static_cast<unsigned long long>(state.seed),
                       static_cast<unsigned long long>(state.offset));
}
PyObject* set_state(PyObject* self, PyObject* given) {
  unsigned long long seed = 0, offset = 0;
  if (!PyArg_ParseTuple(given, "KK", &seed, &offset)) return nullptr;
  of(self).drawn_from().set_state({seed, offset});
  Py_RETURN_NONE;
}

}  // namespace

bool add_generator_type(PyObject* module) {
  static PyMethodDef methods[] = {
      {"_be_standard", be_standard, METH_NOARGS, "Draw from what is drawn from by default."},
      {"_part_from_others", part_from_others, METH_O | METH_STATIC,
       "Let this thread draw from a standard generator of its own, begun at a seed."},
      {"_state", state, METH_NOARGS, "The seed, and where the counter stands."},
      {"_set_state", set_state, METH_VARARGS, "Take a seed and a place of the counter."},
      {}};
  static PyType_Slot slots[] = {{Py_tp_new, slot(generator_new)},
                                {Py_tp_dealloc, slot(generator_dealloc)},
                                {Py_tp_methods, methods},
                                {Py_tp_doc, const_cast<char*>(generator_doc)},
                                {0, nullptr}};
  static PyType_Spec spec = {"garboard._engine._Generator", sizeof(GeneratorObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  generator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return generator_type && PyModule_AddObjectRef(module, "_Generator",
                                                 reinterpret_cast<PyObject*>(generator_type)) == 0;
}

Generator& to_generator(PyObject* object, const char* op) {
  if (object == Py_None) return Generator::standard();
  if (!PyObject_TypeCheck(object, generator_type))
    throw_type_error("%s: generator is of type %s; a garboard.Generator is needed", op,
                     Py_TYPE(object)->tp_name);
  return of(object).drawn_from();
}

}  // namespace garboard::python
