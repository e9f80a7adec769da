#include "python/bindings/exchange/exchange.h"

#include <cstring>
#include <string_view>
#include <vector>

#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/grad_mode.h"
#include "csrc/tensor/grad_node.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/exchange/array_layout.h"
#include "python/bindings/exchange/foreign_objects.h"
#include "python/bindings/exchange/formats.h"
#include "python/bindings/exchange/numbers.h"
#include "python/bindings/exchange/sequences.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/signals.h"
#include "python/bindings/tensor/deferred.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

constexpr const char* data_name = "data";

/// Something with a buffer that is no number of NumPy's, which have one too.
bool is_array(PyObject* object) {
  return PySequence_Check(object) && PyObject_CheckBuffer(object) && !PyBytes_Check(object) &&
         !is_tensor(object);
}

[[noreturn]] void throw_too_deep(const char* op) {
  throw ShapeError(text(op, ": lists nested more than ", max_dims,
                        " deep, the dims of arrays in "
                        "them included; at most ",
                        max_dims, " dims are supported"));
}

/// The dtype of a number of NumPy's, which has a buffer; none of another object.
std::optional<DType> dtype_of_numpys(PyObject* number) {
  if (!PyObject_CheckBuffer(number) || PySequence_Check(number)) return std::nullopt;
  Py_buffer buffer;
  if (PyObject_GetBuffer(number, &buffer, PyBUF_RECORDS_RO) < 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto dtype = buffer.format ? dtype_of_format(buffer.format, buffer.itemsize) : std::nullopt;
  PyBuffer_Release(&buffer);
  return dtype;
}

/// What a nest of lists holds: sizes by the first element of each level, dtype by all of them.
struct Nest {
  Dims sizes;
  std::optional<DType> dtype;  // none: there are no elements
  bool is_of_arrays = false;   // by the first element; then the rest says nothing
  Signals signals;

  void measure(PyObject* data, const char* op) {
    if (!Items::can_read(data)) {
      is_of_arrays = is_array(data);
      return;
    }
    const Items items(data, op, data_name);
    if (sizes.size() == max_dims) throw_too_deep(op);
    sizes.push_back(items.size());
    if (items.size() > 0) measure(items[0].get(), op);
  }

  void survey(PyObject* data, int depth, const char* op) {
    if (Items::can_read(data)) {
      const Items items(data, op, data_name);
      if (depth >= sizes.size() || items.size() != sizes[depth])
        throw ShapeError(text(op, ": a list of ", items.size(), " at depth ", depth, " where ",
                              depth < sizes.size() ? text(sizes[depth]) : "a number",
                              " stands before; all lists of one depth must be equally long"));
      return signals.for_each(items.size(),
                              [&](Py_ssize_t i) { survey(items[i].get(), depth + 1, op); });
    }
    if (depth != sizes.size())
      throw ShapeError(text(op, ": a number at depth ", depth, " where a list of ", sizes[depth],
                            " stands before; all lists of one depth must be equally long"));
    const DType found = dtype_of_element(data, op);
    dtype = dtype && *dtype != found ? promote(*dtype, found) : found;
  }

 private:
  DType dtype_of_element(PyObject* data, const char* op) {
    if (PyBool_Check(data)) return DType::boolean;
    if (PyLong_CheckExact(data)) return DType::int64;
    if (PyFloat_CheckExact(data)) return default_floating();
    if (is_tensor(data)) {
      const Tensor& element = tensor_of(data, op, "element");
      if (element.count() != 1)
        throw ShapeError(
            text(op, ": an element is a tensor of sizes ", element.sizes(),
                 "; numbers are needed, or stack(tensors), which keeps their history"));
      return element.dtype();
    }
    if (Py_TYPE(data) == numpys_type_) return numpys_dtype_;
    if (is_array(data)) {
      const Tensor array = tensor_around(data, op);
      if (array.ndim() > 0)
        throw ShapeError(text(op, ": an array of sizes ", array.sizes(),
                              " where a number stands before; numbers, or arrays of one size, are "
                              "needed"));
      return array.dtype();
    }
    if (const auto found = dtype_of_numpys(data)) {
      numpys_type_ = Py_TYPE(data);  // the same for all of a type
      return numpys_dtype_ = *found;
    }
    if (has_attribute(data, "__dlpack__"))
      throw DTypeError(text(op, ": an element is of type ", Py_TYPE(data)->tp_name,
                            "; numbers, or lists of them, are needed", way_to_a_tensor(data)));
    const bool is_integer = !PyFloat_Check(data) && PyIndex_Check(data);
    return default_dtype(PyComplex_Check(data) ? Category::complex
                         : is_integer          ? Category::integer
                                               : Category::floating);
  }

  PyTypeObject* numpys_type_ = nullptr;
  DType numpys_dtype_ = DType::boolean;
};

template <class T>
T real_as(double value, const char* op) {
  if constexpr (std::numeric_limits<T>::is_integer) check_fits(op, Scalar::of(value), dtype_of<T>);
  return static_cast<T>(value);
}

template <class T>
T number_as(PyObject* object, const char* op);

template <class T>
requires is_complex_type<T> T number_as(PyObject* object, const char* op) {
  if (PyComplex_Check(object)) return T(complex_value(object));
  const bool is_element = !PyLong_Check(object) && !PyFloat_Check(object) && is_tensor(object);
  if (is_element || (!PyFloat_Check(object) && !PyLong_Check(object) && is_array(object))) {
    const Tensor element =
        is_element ? tensor_of(object, op, "element") : tensor_around(object, op);
    return item_of(element, op).to<T>();
  }
  return T(number_as<Component<T>>(object, op));
}

template <class T>
T number_as(PyObject* object, const char* op) {
  if (PyFloat_Check(object)) return real_as<T>(PyFloat_AS_DOUBLE(object), op);
  if (!PyLong_Check(object) && is_tensor(object)) {
    const Ref item(checked(number_of(item_of(tensor_of(object, op, "element"), op))));
    return number_as<T>(item.get(), op);
  }
  if (!PyLong_Check(object) && is_array(object)) {  // without dims
    const Ref item(checked(number_of(item_of(tensor_around(object, op), op))));
    return number_as<T>(item.get(), op);
  }
  if (PyIndex_Check(object)) {
    const Ref index(checked(PyNumber_Index(object)));
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (overflow) {
      if constexpr (std::numeric_limits<T>::is_integer)
        throw DTypeError(text(op, ": a number beyond 64 bits; int64 holds at most 2^63 - 1"));
      const double rounded = PyLong_AsDouble(index.get());
      if (PyErr_Occurred()) {
        PyErr_Clear();
        throw DTypeError(text(op, ": a number beyond float64; it holds less than 2^1024"));
      }
      return static_cast<T>(rounded);
    }
    if constexpr (std::numeric_limits<T>::is_integer)
      check_fits(op, Scalar::of(std::int64_t{value}), dtype_of<T>);
    return static_cast<T>(value);
  }
  const PyNumberMethods* const number = Py_TYPE(object)->tp_as_number;
  if (!number || !number->nb_float)
    throw DTypeError(text(op, ": an element is of type ", Py_TYPE(object)->tp_name,
                          "; numbers, or lists of them, are needed"));
  const Ref real(checked(PyNumber_Float(object)));
  return real_as<T>(PyFloat_AS_DOUBLE(real.get()), op);
}

/// Writes the elements of a nest that was surveyed, and raises where it is another by now: numbers
/// are asked for their values only here, and what they run may have changed any of the lists.
template <class T>
class Filling {
 public:
  Filling(const Dims& sizes, const char* op, T* out) : sizes_(sizes), op_(op), out_(out) {}

  void write(PyObject* data, int depth) {
    if (depth == sizes_.size()) {
      *out_++ = number_as<T>(data, op_);
      return;
    }
    const Items items(data, op_, data_name);
    const auto check = [&](bool is_as_it_was) {
      if (!is_as_it_was) Items::throw_changed(op_, data_name, sizes_[depth]);
    };
    check(items.size() == sizes_[depth]);
    const bool holds_lists = depth + 1 < sizes_.size();
    signals_.for_each(items.size(), [&](Py_ssize_t i) {
      const Ref item = items[i];
      check(Items::can_read(item.get()) == holds_lists);
      write(item.get(), depth + 1);
    });
  }

 private:
  const Dims& sizes_;
  const char* op_;
  T* out_;
  Signals signals_;
};

Tensor from_nest(PyObject* data, const char* op, std::optional<DType> dtype);

/// Lists of arrays of one size, stacked; what is no array and no list, a number perhaps, is found
/// to have other sizes.
Tensor joined(PyObject* data, int depth, const char* op, std::optional<DType> dtype) {
  if (is_array(data)) {
    const Tensor shared = tensor_around(data, op);
    return dtype ? to(shared, *dtype) : shared;
  }
  if (!Items::can_read(data)) return from_nest(data, op, dtype);
  if (depth == max_dims) throw_too_deep(op);
  const Items items(data, op, data_name);
  std::vector<Tensor> parts;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    parts.push_back(joined(items[i].get(), depth + 1, op, dtype));
    if (parts.back().sizes() != parts.front().sizes())
      throw ShapeError(text(op, ": sizes ", parts.back().sizes(), " where ", parts.front().sizes(),
                            " stands before; all arrays in a list must have the same sizes"));
  }
  if (parts.empty()) return empty({0}, dtype.value_or(default_floating()), {}, op);
  if (parts.front().ndim() == max_dims) throw_too_deep(op);
  return stack(parts, 0);
}

Tensor from_nest(PyObject* data, const char* op, std::optional<DType> dtype) {
  Nest nest;
  nest.measure(data, op);
  if (nest.is_of_arrays) return joined(data, 0, op, dtype);
  nest.survey(data, 0, op);
  const DType wanted = dtype.value_or(nest.dtype.value_or(default_floating()));
  Tensor result = empty(nest.sizes, wanted, {}, op);
  visit_dtype(wanted, [&]<class T>(Type<T>) {
    Filling<T>(nest.sizes, op, static_cast<T*>(result.data())).write(data, 0);
  });
  return result;
}

/// A buffer, given back by whoever drops the storage, on any thread.
void release_buffer(void* object) noexcept {
  const std::unique_ptr<Py_buffer> buffer(static_cast<Py_buffer*>(object));
  if (const WithGil gil; gil) PyBuffer_Release(buffer.get());
}

/// Some, as ctypes, give no strides for an array that is dense.
ArrayLayout layout_of(const Py_buffer& buffer, const char* op, DType dtype) {
  check_array_dims(op, buffer.ndim);
  Dims sizes;
  for (int i = 0; i < buffer.ndim; ++i) sizes.push_back(buffer.shape[i]);
  std::optional<Dims> strides;
  if (buffer.strides) strides.emplace();
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  for (int i = 0; buffer.strides && i < buffer.ndim; ++i) {
    if (buffer.strides[i] % item != 0)
      throw ShapeError(text(op, ": an array with a stride of ", buffer.strides[i],
                            " bytes; a multiple of the item size ", item, " is needed, copy it"));
    strides->push_back(buffer.strides[i] / item);
  }
  return array_layout(op, dtype, sizes, strides, buffer.buf);
}

struct Around {
  Tensor tensor;
  bool is_writable;
};

Around around(PyObject* array, const char* op) {
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(array, buffer.get(), PyBUF_RECORDS_RO) < 0) {
    const bool is_no_array = PyErr_ExceptionMatches(PyExc_TypeError) ||
                             PyErr_ExceptionMatches(PyExc_ValueError) ||  // NumPy's, of dates
                             PyErr_ExceptionMatches(PyExc_BufferError);
    if (!is_no_array) throw PythonErrorSet();
    PyErr_Clear();
    throw_type_error("%s: data of type %s; a number, a list, a Tensor or a NumPy array is needed%s",
                     op, Py_TYPE(array)->tp_name, way_to_a_tensor(array));
  }
  struct Release {
    Py_buffer* held;
    ~Release() {
      if (held) PyBuffer_Release(held);
    }
  } release{buffer.get()};
  const char* const format = buffer->format ? buffer->format : "B";
  const auto dtype = dtype_of_format(format, buffer->itemsize);
  if (!dtype || buffer->itemsize != static_cast<Py_ssize_t>(item_size(*dtype)))
    throw DTypeError(text(op, ": an array of format ", format, "; ", names_of_formats(),
                          " in the machine's byte order is needed"));
  const auto [sizes, strides, low, high] = layout_of(*buffer, op, *dtype);
  const bool is_writable = !buffer->readonly;
  auto* const start = static_cast<char*>(buffer->buf) + low;
  Py_buffer* const held = buffer.release();
  release.held = nullptr;
  Counted<Storage> storage;
  try {
    storage = Storage::around(start, high - low, {}, {held, release_buffer}, is_writable);
  } catch (...) {
    release_buffer(held);
    throw;
  }
  return {Tensor::over(std::move(storage), *dtype, sizes, strides, -low / held->itemsize),
          is_writable};
}

}  // namespace

Tensor tensor_from(PyObject* data, const char* op, std::optional<DType> dtype, Device device) {
  const GradModeGuard no_grad(false);
  Tensor result;
  if (is_tensor(data)) {
    const Tensor& given = tensor_of(data, op, "data");
    result = clone(to(given, dtype.value_or(given.dtype())));
  } else if (PyObject_CheckBuffer(data) && !PyBytes_Check(data)) {
    const Tensor given = around(data, op).tensor;
    result = clone(dtype ? to(given, *dtype) : given);
  } else if (PyRange_Check(data)) {
    const auto part = [&](const char* name) {
      int overflow = 0;
      const Ref value(checked(PyObject_GetAttrString(data, name)));
      const long long number = PyLong_AsLongLongAndOverflow(value.get(), &overflow);
      if (overflow)
        throw DTypeError(text(op, ": a range beyond 64 bits; at most 2^63 - 1 fits int64"));
      return Scalar::of(static_cast<std::int64_t>(number));
    };
    const Tensor all = arange(part("start"), part("stop"), part("step"), DType::int64, {});
    result = dtype ? to(all, *dtype) : all;
  } else {
    result = from_nest(in_lists(data, op).get(), op, dtype);
  }
  return to(result, device);
}

Tensor tensor_around(PyObject* array, const char* op) { return around(array, op).tensor; }

namespace {

/// What an exported buffer keeps: a share of the storage, and its sizes and strides in bytes.
struct Export {
  Counted<Storage> storage;
  Py_ssize_t sizes[max_dims], strides[max_dims];
};

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) noexcept try {
  buffer->obj = nullptr;
  const Tensor& tensor = tensor_of(self, "buffer");
  if (!*format_of(tensor.dtype()))
    throw DTypeError(text("buffer: a tensor of dtype ", name_of(tensor.dtype()),
                          ", which neither Python nor NumPy has; convert it with float() first"));
  if (tensor.requires_grad())
    throw GradientError(
        "buffer: a tensor that requires grad; take detach() first if the value alone is needed: "
        "gradients do not pass it");
  if (!tensor.device().is_cpu())
    throw DeviceError(text("buffer: a tensor on ", tensor.device(), "; copy it with cpu() first"));
  if ((flags & PyBUF_WRITABLE) && !tensor.storage()->is_writable())
    throw Error("buffer: read-only memory asked for writing; take a clone()");
  const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  if (!wants_strides && !tensor.is_contiguous())
    throw ShapeError("buffer: a tensor that is not contiguous; take contiguous() first");
  settle_readers(*tensor.storage());  // whoever gets the bytes may write them
  auto* const kept = new Export{tensor.storage(), {}, {}};
  const auto item = static_cast<Py_ssize_t>(item_size(tensor.dtype()));
  for (int i = 0; i < tensor.ndim(); ++i) {
    kept->sizes[i] = tensor.size(i);
    kept->strides[i] = tensor.stride(i) * item;
  }
  tensor.storage()->note_export();
  *buffer = {
      .buf = tensor.data(),
      .obj = Py_NewRef(self),
      .len = tensor.nbytes(),
      .itemsize = item,
      .readonly = !tensor.storage()->is_writable(),
      .ndim = tensor.ndim(),
      .format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format_of(tensor.dtype())) : nullptr,
      .shape = (flags & PyBUF_ND) ? kept->sizes : nullptr,
      .strides = wants_strides ? kept->strides : nullptr,
      .suboffsets = nullptr,
      .internal = kept};
  return 0;
} catch (...) {
  raise_current();
  return -1;
}

void give_back_buffer(PyObject*, Py_buffer* buffer) noexcept {
  auto* const kept = static_cast<Export*>(buffer->internal);
  kept->storage->export_count.fetch_sub(1);
  delete kept;
}

}  // namespace

void add_buffer_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)});
  slots.push_back({Py_bf_releasebuffer, reinterpret_cast<void*>(give_back_buffer)});
}

PyObject* numpy_of(PyObject* object, bool force) {
  const Tensor& given = tensor_of(object, "numpy");
  const Tensor tensor = force ? to(detach(given), Device{}) : given;
  if (tensor.requires_grad() && is_grad_enabled())
    throw GradientError(
        "numpy: a tensor that requires grad; take detach() first if the value alone is needed, for "
        "a plot say: gradients pass garboard's ops, as gb.exp(x), and no function of NumPy's");
  if (!tensor.device().is_cpu())
    throw DeviceError(text("numpy: a tensor on ", tensor.device(), "; copy it with cpu() first"));
  if (!*format_of(tensor.dtype()))
    throw DTypeError(text("numpy: a tensor of dtype ", name_of(tensor.dtype()),
                          ", which NumPy has not; convert it first: x.float().numpy()"));
  // A plain handle is what the array keeps: the user's own may be disposed, or carry attributes.
  const Ref apart(checked(wrap_outside_scopes(detach(tensor), OwnerKind::exported)));
  const Ref view(checked(PyMemoryView_FromObject(apart.get())));
  const Ref module(PyImport_ImportModule("numpy"));
  if (!module) {
    if (!PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) throw PythonErrorSet();
    PyErr_SetString(PyExc_ImportError,
                    "numpy: NumPy is not installed; it is needed for arrays: pip install numpy");
    throw PythonErrorSet();
  }
  return checked(PyObject_CallMethod(module.get(), "asarray", "O", view.get()));
}

}  // namespace garboard::python
