// `x[...]`, read and assigned to. Integers, slices, None and Ellipsis make a view; what tensors,
// lists and arrays of integers or bools name in that view is brought together.
#include "csrc/core/error.h"
#include "csrc/core/index_error.h"
#include "csrc/lifetime/borrowing.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/index/indexing.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/exchange/exchange.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/types/tensor_type.h"

namespace garboard::python {
namespace {

Tensor sliced(const Tensor& input, int dim, PyObject* part) {
  if (dim >= input.ndim())
    throw IndexOutOfRangeError(
        text("index: more indices than the ", input.ndim(), " dims; at most one a dim"));
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(part, &start, &stop, &step) < 0) throw PythonErrorSet();
  const Py_ssize_t length = PySlice_AdjustIndices(input.size(dim), &start, &stop, step);
  return slice(input, dim, start, length, step);
}

/// Says how a list was read that NumPy reads as one part, an array of numbers.
void warn_of_parts() {
  constexpr const char* text =
      "index: a list that holds lists, arrays or tensors; it is read as a tuple of them, one a "
      "dim. x[tuple(key)] says so, x[gb.tensor(key)] takes it as one index";
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1) < 0) throw PythonErrorSet();
}

/// Whether a list is a key of several parts, as older programs write one: it holds what is no
/// number. A long one is of numbers, and is not looked through.
bool is_list_of_parts(PyObject* key) {
  constexpr Py_ssize_t most_parts = 31;
  if (!PyList_Check(key)) return false;
  const Items parts(key, "index", "the index");
  if (parts.size() > most_parts) return false;
  bool holds_sequences = false;
  for (Py_ssize_t i = 0; i < parts.size(); ++i) {
    const Ref held = parts[i];
    PyObject* const part = held.get();
    if (part == Py_None || part == Py_Ellipsis || PySlice_Check(part)) return true;
    const bool is_text = PyUnicode_Check(part) || PyBytes_Check(part);
    holds_sequences |= is_tensor(part) || (PySequence_Check(part) && !is_text);
  }
  if (holds_sequences) warn_of_parts();
  return holds_sequences;
}

/// A key as a list of parts.
struct Parts {
  Ref copy;  // of a list, which other code may change
  PyObject* const* first;
  Py_ssize_t count;

  explicit Parts(PyObject* const& key) : first(&key), count(1) {
    if (is_list_of_parts(key)) copy = Ref(checked(PyList_AsTuple(key)));
    PyObject* const parts = copy ? copy.get() : key;
    if (!PyTuple_Check(parts)) return;
    count = PyTuple_GET_SIZE(parts);
    first = &PyTuple_GET_ITEM(parts, 0);
  }
};

/// Whether `part` picks a view: no tensor, list or array of numbers does, nor a lone bool.
bool is_plain(PyObject* part) {
  if (part == Py_None || part == Py_Ellipsis || PySlice_Check(part) || PyLong_CheckExact(part))
    return true;
  if (is_tensor(part)) {
    const Tensor& index = tensor_of(part, "index", "index");
    return index.ndim() == 0 && category_of(index.dtype()) == Category::integer &&
           index.dtype() != DType::uint8;
  }
  const std::string_view type = Py_TYPE(part)->tp_name;
  return PyIndex_Check(part) && !PyBool_Check(part) && !PySequence_Check(part) &&
         !type.starts_with("numpy.bool");
}

/// What a range counts, which may be more than any list can hold.
Tensor numbers_of_range(PyObject* range, Device device) {
  const auto bound = [&](const char* name) {
    return to_scalar(Ref(checked(PyObject_GetAttrString(range, name))).get(), "index", name);
  };
  return arange(bound("start"), bound("stop"), bound("step"), DType::int64, device);
}

/// The tensor that `part`, which is not plain, is or stands for.
Tensor index_from(PyObject* part, Device device) {
  if (is_tensor(part)) return tensor_of(part, "index", "index");
  const bool is_text = PyUnicode_Check(part) || PyBytes_Check(part) || PyByteArray_Check(part);
  const bool is_list = PyList_Check(part) || PyTuple_Check(part) || PyRange_Check(part);
  if (is_text || !(is_list || PyBool_Check(part) || PyObject_CheckBuffer(part)))
    throw IndexTypeError(
        text("index: an index of type ", Py_TYPE(part)->tp_name,
             "; integers, slices, None, ... and tensors, lists and arrays of integers or bools are "
             "taken"));
  if (is_list && PySequence_Size(part) == 0) return empty({0}, DType::int64, device);
  if (PyRange_Check(part)) return numbers_of_range(part, device);
  return tensor_from(part, "index", std::nullopt, device);
}

/// What a key names: a view, and, where there are any, indices for the first of its dims.
struct NamedPlace {
  Tensor view;
  Indices indices;
};

/// Works from the left; what is taken away or added moves the dim on.
class PlaceFinder {
 public:
  PlaceFinder(const Tensor& input, PyObject* const& key) : input_(input), parts_(key) {
    for (Py_ssize_t i = 0; i < parts_.count; ++i) {
      if (is_plain(parts_.first[i])) continue;
      if (tensors_.empty()) tensors_.resize(static_cast<std::size_t>(parts_.count));
      tensors_[static_cast<std::size_t>(i)] = index_from(parts_.first[i], input.device());
    }
    const int indices = dims_from(0);
    if (indices > input.ndim())
      throw IndexOutOfRangeError(text("index: ", indices, " indices for a tensor of sizes ",
                                      input.sizes(), "; at most one a dim"));
  }

  NamedPlace find() {
    NamedPlace place{input_, {}};
    int dim = 0;
    bool seen_ellipsis = false;
    for (Py_ssize_t i = 0; i < parts_.count; ++i) {
      PyObject* const part = parts_.first[i];
      if (const Tensor* const index = tensor(i)) {
        add(place, *index, dim);
      } else if (part == Py_None) {
        place.view = unsqueeze(place.view, dim++);
      } else if (part == Py_Ellipsis) {
        if (std::exchange(seen_ellipsis, true))
          throw IndexOutOfRangeError("index: two ellipses; at most one can stand for what is left");
        dim = place.view.ndim() - dims_from(i + 1);
      } else if (PySlice_Check(part)) {
        place.view = sliced(place.view, dim++, part);
      } else {
        place.view = select(place.view, dim, to_integer(part, "index", "index"));
      }
    }
    return place;
  }

 private:
  /// Null for a plain part.
  const Tensor* tensor(Py_ssize_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return tensors_.empty() || !tensors_[at] ? nullptr : &tensors_[at];
  }
  static bool is_mask(const Tensor& index) {
    return index.dtype() == DType::boolean || index.dtype() == DType::uint8;
  }

  /// How many dims the parts from `first` on stand for.
  int dims_from(Py_ssize_t first) const {
    int dims = 0;
    for (Py_ssize_t i = first; i < parts_.count; ++i) {
      const Tensor* const index = tensor(i);
      PyObject* const part = parts_.first[i];
      dims += index && is_mask(*index) ? index->ndim() : part != Py_None && part != Py_Ellipsis;
    }
    return dims;
  }

  /// A mask without dims stands for a dim of its own, of size 1, which it takes or leaves.
  void add(NamedPlace& place, const Tensor& index, int& dim) {
    Tensor given = index;
    if (is_mask(index) && index.ndim() == 0) {
      place.view = unsqueeze(place.view, dim);
      given = reshape(index, {1});
    }
    for (; covered_ < dim; ++covered_) place.indices.emplace_back();
    place.indices.push_back(given);
    const int dims = is_mask(given) ? given.ndim() : 1;
    covered_ += dims;
    dim += dims;
  }

  const Tensor& input_;
  Parts parts_;
  std::vector<Tensor> tensors_;  // one a part, or none at all
  int covered_ = 0;              // dims that the place's indices stand for
};

Tensor at(const Tensor& input, PyObject* const& key) {
  const NamedPlace place = PlaceFinder(input, key).find();
  if (!place.indices.empty()) return index(place.view, place.indices);
  return place.view == input ? alias(input) : place.view;
}

/// A value of more dims than its place may have leading ones of size 1.
Tensor fitted(Tensor value, int ndim) {
  while (value.ndim() > ndim && value.size(0) == 1) value = select(value, 0, 0);
  return value;
}

void write(const NamedPlace& place, const Tensor& value) {
  if (place.indices.empty()) return copy_(place.view, fitted(value, place.view.ndim()));
  const Tensor given = to(to(value, place.view.dtype()), place.view.device());
  index_put_(place.view, place.indices, fitted(given, 0));
}

/// Whether it is a tensor of a class, or a tuple that has one.
bool has_class(PyObject* given) {
  if (is_tensor(given)) return Py_TYPE(given) != tensor_type;
  if (!PyTuple_CheckExact(given)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
    PyObject* const part = PyTuple_GET_ITEM(given, i);
    if (is_tensor(part) && Py_TYPE(part) != tensor_type) return true;
  }
  return false;
}

/// What a class makes of a subscript of its object, or of a plain tensor by its object.
PyObject* overridden_subscript(const char* name, const Given& given) {
  if (!has_overrides()) [[likely]]
    return nullptr;
  bool is_asked = Py_TYPE(given.self) != tensor_type;
  for (Py_ssize_t i = 0; i < given.count && !is_asked; ++i)
    is_asked = has_class(given.arguments[i]);
  return is_asked ? overridden(name, given) : nullptr;
}

PyObject* get(PyObject* self, PyObject* key) noexcept try {
  if (PyObject* const made = overridden_subscript("__getitem__", {self, &key, 1})) return made;
  const BirthStamp stamp;
  const Tensor& input = tensor_of(self, "index");
  if (PyLong_CheckExact(key) && input.ndim() > 0)  // runs nobody's code: nothing is borrowed
    return wrap(select(input, 0, to_integer(key, "index", "index")));
  const Borrowing borrowing;
  return wrap(at(input, key));
} catch (...) {
  return raise_current();
}

int set(PyObject* self, PyObject* key, PyObject* value) noexcept try {
  if (!value) throw_type_error("index: elements of a tensor cannot be deleted");
  PyObject* const both[] = {key, value};
  if (const Ref done(overridden_subscript("__setitem__", {self, both, 2})); done) return 0;
  const Borrowing borrowing;
  const Tensor& input = tensor_of(self, "index");
  const Tensor* const source = is_tensor(value) ? &tensor_of(value, "index", "value") : nullptr;
  const BirthStamp stamp;
  const NamedPlace place = PlaceFinder(input, key).find();
  if (source) {
    write(place, *source);
  } else if (PyList_Check(value) || PyTuple_Check(value) || PyObject_CheckBuffer(value)) {
    write(place, tensor_from(value, "index", input.dtype()));
  } else if (const Scalar number = to_scalar(value, "index", "value"); place.indices.empty()) {
    fill_(place.view, number);
  } else {
    check_fits("index", number, input.dtype());
    write(place, scalar_tensor(number, input.dtype(), input.device()));
  }
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

Py_ssize_t tensor_length(PyObject* self) noexcept try {
  const Tensor& input = tensor_of(self, "len");
  if (input.ndim() == 0) throw_type_error("len: a tensor without dims; at least one is needed");
  return input.size(0);
} catch (...) {
  raise_current();
  return -1;
}

/// Python would do without, but not `isinstance(x, Iterable)`.
PyObject* iterate(PyObject* self) noexcept try {
  if (tensor_of(self, "iter").ndim() == 0)
    throw_type_error("iter: a tensor without dims; at least one is needed");
  return PySeqIter_New(self);
} catch (...) {
  return raise_current();
}

/// What iteration asks for, one after the other, until IndexError.
PyObject* item(PyObject* self, Py_ssize_t index) noexcept try {
  const Tensor& input = tensor_of(self, "iter");
  if (input.ndim() == 0) throw_type_error("iter: a tensor without dims; at least one is needed");
  if (index >= input.size(0)) {
    PyErr_SetString(PyExc_IndexError, "index out of range");  // the usual end: no C++ exception
    return nullptr;
  }
  if (Py_TYPE(self) != tensor_type) [[unlikely]] {
    const Ref key(checked(PyLong_FromSsize_t(index)));
    PyObject* const given = key.get();
    if (PyObject* const made = overridden_by_class("__getitem__", {self, &given, 1})) return made;
  }
  const Borrowing borrowing;
  const BirthStamp stamp;
  return wrap(select(input, 0, index));
} catch (...) {
  return raise_current();
}

}  // namespace

void add_index_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_mp_subscript, reinterpret_cast<void*>(get)});
  slots.push_back({Py_mp_ass_subscript, reinterpret_cast<void*>(set)});
  slots.push_back({Py_mp_length, reinterpret_cast<void*>(tensor_length)});
  slots.push_back({Py_sq_length, reinterpret_cast<void*>(tensor_length)});
  slots.push_back({Py_tp_iter, reinterpret_cast<void*>(iterate)});
  slots.push_back({Py_sq_item, reinterpret_cast<void*>(item)});
}

}  // namespace garboard::python
