#include "python/bindings/tensor/attributes.h"

#include <unordered_map>
#include <utility>

#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

PyTypeObject* set_name_type = nullptr;

/// Not a data descriptor, so that the `__dict__` of a subclass goes before it.
struct SetName {
  PyObject_HEAD PyObject* name;
  PyObject* otherwise;  // what the type had under the name: a refusal that says more
};

SetName& of(PyObject* entry) { return *reinterpret_cast<SetName*>(entry); }

TensorObject& tensor(PyObject* self) { return *reinterpret_cast<TensorObject*>(self); }

/// Of the handles that have any. Leaked: handles end after static objects.
using Attributes = std::unordered_map<const TensorObject*, Ref>;
Attributes& all_attributes() {
  static Attributes& all = *new Attributes;
  return all;
}

/// Made where there is none. Throws std::bad_alloc, PythonErrorSet.
PyObject* make_attributes(TensorObject& object) {
  if (!object.alias.has_attributes) {
    all_attributes().emplace(&object, Ref(checked(PyDict_New())));
    object.alias.has_attributes = true;
    // What it refers to may refer to it: from now on the collector looks at the handle.
    auto* const self = reinterpret_cast<PyObject*>(&object);
    if (!PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
  }
  return attributes_of(object);
}

PyObject* get(PyObject* entry, PyObject* instance, PyObject* owner) {
  auto& [head, name, otherwise] = of(entry);
  PyObject* const attributes =
      instance && is_tensor(instance) ? attributes_of(tensor(instance)) : nullptr;
  if (attributes) {
    PyObject* const found = PyDict_GetItemWithError(attributes, name);
    if (found || PyErr_Occurred()) return Py_XNewRef(found);
  }
  if (otherwise) return Py_TYPE(otherwise)->tp_descr_get(otherwise, instance, owner);
  PyTypeObject* const type = instance ? Py_TYPE(instance) : reinterpret_cast<PyTypeObject*>(owner);
  return PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'", type->tp_name,
                      name);
}

int entry_traverse(PyObject* entry, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(entry));
  Py_VISIT(of(entry).otherwise);
  return 0;
}

void entry_dealloc(PyObject* entry) {
  PyTypeObject* const type = Py_TYPE(entry);
  PyObject_GC_UnTrack(entry);
  Py_XDECREF(of(entry).name);
  Py_XDECREF(of(entry).otherwise);
  type->tp_free(entry);
  Py_DECREF(type);
}

/// Protocols are looked for in the type alone, and one that is found there changes all tensors.
bool is_protocol(PyObject* name) {
  const Py_ssize_t length = PyUnicode_GET_LENGTH(name);
  const auto is_underscore = [name](Py_ssize_t i) { return PyUnicode_READ_CHAR(name, i) == '_'; };
  return length > 4 && is_underscore(0) && is_underscore(1) && is_underscore(length - 2) &&
         is_underscore(length - 1);
}

/// Whether every tensor has something of that name, which a handle's own would make slow for all;
/// -1 with an exception set.
int is_of_all(PyObject* self, PyObject* name, PyObject* found) {
  if (!found || !Py_TYPE(found)->tp_descr_get) return found != nullptr;
  const Ref answer(PyObject_GenericGetAttr(self, name));
  if (answer) return 1;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return 0;
}

/// Lets the type answer for `name`. 0, or -1 with an exception set.
int add_name(PyObject* name, PyObject* found) {
  const Ref entry(set_name_type->tp_alloc(set_name_type, 0));
  if (!entry) return -1;
  of(entry.get()).name = Py_NewRef(name);
  of(entry.get()).otherwise = Py_XNewRef(found);
  return PyObject_SetAttr(reinterpret_cast<PyObject*>(tensor_type), name, entry.get());
}

/// Whether what is set under `name` goes into the dict, for which the type then answers; -1 with an
/// exception set.
int prepare_name(PyObject* self, PyObject* name) {
  const Ref found = Ref::borrow(_PyType_Lookup(Py_TYPE(self), name));
  PyObject* const entry = found.get();
  if (entry && Py_TYPE(entry) == set_name_type) return 1;
  if (entry && Py_TYPE(entry)->tp_descr_set) return 0;
  const int is_taken = is_protocol(name) ? 1 : is_of_all(self, name, entry);
  if (is_taken) return is_taken < 0 ? -1 : 0;
  return add_name(name, entry) < 0 ? -1 : 1;
}

PyObject* get_dict(PyObject* self, void*) noexcept try {
  return Py_NewRef(make_attributes(tensor(self)));
} catch (...) {
  return raise_current();
}

int set_dict(PyObject* self, PyObject* value, void*) noexcept try {
  if (!value || !PyDict_Check(value))
    throw_type_error("__dict__: %s; a dict is needed", value ? Py_TYPE(value)->tp_name : "deleted");
  const Ref keys(checked(PyDict_Keys(value)));
  const Items names(keys.get(), "__dict__", "names");
  for (Py_ssize_t i = 0; i < names.size(); ++i) {
    const Ref name = names[i];
    const int is_ours = PyUnicode_CheckExact(name.get()) ? prepare_name(self, name.get()) : 0;
    if (is_ours < 0) return -1;
    if (!is_ours)
      throw_type_error("__dict__: a name that every tensor has, or that is no string; set it");
  }
  make_attributes(tensor(self));
  Ref former = Ref::borrow(value);  // what its end runs may come here
  std::swap(former, all_attributes().find(&tensor(self))->second);
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

PyGetSetDef dict_property{
    "__dict__", get_dict, set_dict,
    "What was set on the tensor. The dict is a tensor's own, unless it was assigned to several.",
    nullptr};

int remove(PyObject* self, PyObject* name) {
  PyObject* const attributes = attributes_of(tensor(self));
  const int there = attributes ? PyDict_Contains(attributes, name) : 0;
  if (there > 0) return PyDict_DelItem(attributes, name);
  if (there == 0)
    PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'",
                 Py_TYPE(self)->tp_name, name);
  return -1;
}

}  // namespace

PyObject* attributes_of(const TensorObject& object) noexcept {
  return object.alias.has_attributes ? all_attributes().find(&object)->second.get() : nullptr;
}

void clear_attributes(TensorObject& object) noexcept {
  if (!object.alias.has_attributes) return;
  object.alias.has_attributes = false;
  const auto dropped = all_attributes().extract(&object);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) noexcept try {
  PyTypeObject* const type = Py_TYPE(self);
  if (type->tp_dictoffset != 0 || !PyUnicode_CheckExact(name))
    return PyObject_GenericSetAttr(self, name, value);
  const Ref found = Ref::borrow(_PyType_Lookup(type, name));
  PyObject* const entry = found.get();
  if (entry && Py_TYPE(entry)->tp_descr_set)
    return Py_TYPE(entry)->tp_descr_set(entry, self, value);
  if (!entry || Py_TYPE(entry) != set_name_type) {
    const int is_taken = is_protocol(name) ? 1 : is_of_all(self, name, entry);
    if (is_taken || !value) return is_taken < 0 ? -1 : PyObject_GenericSetAttr(self, name, value);
    if (add_name(name, entry) < 0) return -1;
  }
  if (!value) return remove(self, name);
  return PyDict_SetItem(make_attributes(tensor(self)), name, value);
} catch (...) {
  raise_current();
  return -1;
}

PyObject* set_attributes(PyObject*, PyObject* given) noexcept {
  PyObject* const found = is_tensor(given) ? attributes_of(tensor(given)) : nullptr;
  return Py_NewRef(found ? found : Py_None);
}

PyObject* is_set_name(PyObject*, PyObject* entry) noexcept {
  return PyBool_FromLong(Py_TYPE(entry) == set_name_type);
}

bool start_attributes() noexcept {
  static PyType_Slot slots[] = {{Py_tp_descr_get, reinterpret_cast<void*>(get)},
                                {Py_tp_traverse, reinterpret_cast<void*>(entry_traverse)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(entry_dealloc)},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "garboard._engine._SetName", sizeof(SetName), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  set_name_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return set_name_type != nullptr;
}

// By the type's dict: what is assigned to `Tensor.__dict__` goes to the type's own.
bool add_attribute_dict() noexcept {
  const Ref property(PyDescr_NewGetSet(tensor_type, &dict_property));
  if (!property || PyDict_SetItemString(tensor_type->tp_dict, "__dict__", property.get()) < 0)
    return false;
  PyType_Modified(tensor_type);
  return true;
}

}  // namespace garboard::python
