#include "python/bindings/exchange/dlpack.h"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "csrc/core/error.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/exchange/array_layout.h"
#include "python/bindings/exchange/dlpack_structs.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/deferred.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

constexpr const char* op = "from_dlpack";

template <class T>
constexpr DLDataType type_of() {
  using Code = DLDataType;
  const std::uint8_t code = std::is_same_v<T, bool>               ? Code::boolean
                            : std::is_same_v<T, BFloat16>         ? Code::brain_float
                            : is_complex_type<T>                  ? Code::complex
                            : !std::numeric_limits<T>::is_integer ? Code::floating
                            : std::numeric_limits<T>::is_signed   ? Code::integer
                                                                  : Code::unsigned_integer;
  return {code, 8 * sizeof(T), 1};
}

DLDataType type_of(DType dtype) {
  return visit_dtype(dtype, []<class T>(Type<T>) { return type_of<T>(); });
}

/// What a capsule of ours keeps. It goes with the capsule, or with whoever took it.
template <class Managed>
struct CapsuleShare {
  Managed managed;
  Counted<Storage> storage;
  Ref alias;  // not the user's, who may dispose it
  std::int64_t sizes[max_dims], strides[max_dims];
};

/// On any thread, and perhaps after the interpreter: then the process ends with it.
template <class Managed>
void let_go(Managed* managed) {
  const WithGil gil;
  if (!gil) return;
  const std::unique_ptr<CapsuleShare<Managed>> kept(
      static_cast<CapsuleShare<Managed>*>(managed->manager_ctx));
  kept->storage->export_count.fetch_sub(1);
}

/// Nobody took it.
template <class Managed>
void end_capsule(PyObject* capsule) noexcept {
  if (!PyCapsule_IsValid(capsule, Managed::name)) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  if (managed->deleter) managed->deleter(managed);
}

[[noreturn]] void throw_buffer_error(const char* why) {
  PyErr_SetString(PyExc_BufferError, why);
  throw PythonErrorSet();
}

template <class Managed>
PyObject* capsule_of(const Tensor& tensor, Ref alias, std::uint64_t flags) {
  auto kept = std::make_unique<CapsuleShare<Managed>>();
  kept->storage = tensor.storage();
  kept->alias = std::move(alias);
  for (int i = 0; i < tensor.ndim(); ++i) {
    kept->sizes[i] = tensor.size(i);
    kept->strides[i] = tensor.stride(i);
  }
  Managed& managed = kept->managed;
  managed.dl_tensor = {.data = tensor.count() ? tensor.data() : nullptr,
                       .device = {DLDevice::cpu, 0},
                       .ndim = tensor.ndim(),
                       .dtype = type_of(tensor.dtype()),
                       .shape = kept->sizes,
                       .strides = kept->strides,
                       .byte_offset = 0};
  managed.manager_ctx = kept.get();
  managed.deleter = let_go<Managed>;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    managed.version = {1, 0};
    managed.flags = flags;
  }
  PyObject* const capsule = checked(PyCapsule_New(&managed, Managed::name, end_capsule<Managed>));
  kept.release()->storage->note_export();
  return capsule;
}

std::optional<DType> matching_dtype(DLDataType wanted) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto [code, bits, lanes] = type_of(static_cast<DType>(i));
    if (code == wanted.code && bits == wanted.bits && lanes == wanted.lanes)
      return static_cast<DType>(i);
  }
  return std::nullopt;
}

/// Gives what was taken back, on whatever thread the last share goes.
template <class Managed>
void give_back(void* object) noexcept {
  auto* const managed = static_cast<Managed*>(object);
  if (!managed->deleter) return;
  if (const WithGil gil; gil) managed->deleter(managed);
}

template <class Managed>
Tensor taken(PyObject* capsule) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  bool is_writable = true;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    if (managed->version.major > 1)
      throw_buffer_error(
          "from_dlpack: a capsule of a later version of DLPack; version 1 is needed");
    is_writable = !(managed->flags & Managed::read_only);
  }
  const DLTensor& array = managed->dl_tensor;
  if (array.device.device_type != DLDevice::cpu &&
      array.device.device_type != DLDevice::pinned_host)
    throw DeviceError(text(op, ": memory of device type ", array.device.device_type,
                           "; the CPU's is needed, which is 1: let its owner copy it first"));
  const std::optional<DType> dtype = matching_dtype(array.dtype);
  if (!dtype)
    throw DTypeError(text(op, ": elements of type code ", int{array.dtype.code}, ", ",
                          int{array.dtype.bits}, " bits and ", array.dtype.lanes,
                          " lanes, which no dtype is; convert them first"));
  check_array_dims(op, array.ndim);
  if (array.ndim < 0 || (array.ndim > 0 && !array.shape))
    throw ShapeError(text(op, ": ", array.ndim, " dims, but no sizes; their sizes are needed"));
  Dims sizes;
  for (int i = 0; i < array.ndim; ++i) sizes.push_back(array.shape[i]);
  std::optional<Dims> strides;
  if (array.strides) strides.emplace(std::span(array.strides, sizes.size()));
  auto* const first = static_cast<char*>(array.data) + array.byte_offset;
  const ArrayLayout layout = array_layout(op, *dtype, sizes, strides, first);
  if (!array.data && layout.high > 0)
    throw ShapeError(text(op, ": sizes ", sizes, " without memory; a pointer to it is needed"));
  // From here on it is ours to give back: nothing may raise before the storage has it.
  Counted<Storage> storage = Storage::around(first + layout.low, layout.high - layout.low, {},
                                             {managed, give_back<Managed>}, is_writable);
  PyCapsule_SetName(capsule, Managed::taken_name);
  return Tensor::over(std::move(storage), *dtype, layout.sizes, layout.strides,
                      -layout.low / static_cast<std::int64_t>(item_size(*dtype)));
}

/// As `kept_by_capsule`, of one of the two forms. What was taken is no more to be read: whoever
/// took it may have let go of it. NumPy's own name says that an array still has it.
template <class Managed>
PyObject* kept_by(PyObject* capsule, const char* name_in_numpy) noexcept {
  for (const char* const name : {Managed::name, name_in_numpy}) {
    if (!PyCapsule_IsValid(capsule, name)) continue;
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    if (managed->deleter != let_go<Managed>) return nullptr;
    return static_cast<CapsuleShare<Managed>*>(managed->manager_ctx)->alias.get();
  }
  return nullptr;
}

}  // namespace

PyObject* dlpack_capsule(PyObject* object, bool is_versioned, bool is_copy) {
  const Tensor& tensor = tensor_of(object, "__dlpack__");
  if (tensor.requires_grad())
    throw_buffer_error(
        "__dlpack__: a tensor that requires grad; take detach() first: gradients do not pass it");
  if (!tensor.device().is_cpu())
    throw_buffer_error("__dlpack__: a tensor that is not on the CPU; copy it with cpu() first");
  const bool is_writable = tensor.storage()->is_writable();
  if (!is_versioned && !is_writable)
    throw_buffer_error(
        "__dlpack__: memory that may only be read, which a capsule without a version cannot tell; "
        "ask for max_version=(1, 0), or take a clone()");
  settle_readers(*tensor.storage());  // whoever gets the bytes may write them
  Ref alias(checked(wrap_outside_scopes(detach(tensor), OwnerKind::exported)));
  if (!is_versioned) return capsule_of<DLManagedTensor>(tensor, std::move(alias), 0);
  using Flags = DLManagedTensorVersioned;
  const std::uint64_t flags =
      (is_writable ? 0 : Flags::read_only) | (is_copy ? Flags::is_copied : 0);
  return capsule_of<DLManagedTensorVersioned>(tensor, std::move(alias), flags);
}

Tensor tensor_of_dlpack(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, DLManagedTensorVersioned::name))
    return taken<DLManagedTensorVersioned>(capsule);
  if (PyCapsule_IsValid(capsule, DLManagedTensor::name)) return taken<DLManagedTensor>(capsule);
  if (!PyCapsule_CheckExact(capsule))
    throw_type_error("%s: an object of type %s; a capsule of __dlpack__() is needed", op,
                     Py_TYPE(capsule)->tp_name);
  const char* const name = PyCapsule_GetName(capsule);
  throw_type_error("%s: a capsule named %s; one that nobody has taken yet is needed", op,
                   name ? name : "NULL");
}

PyObject* kept_by_capsule(PyObject* capsule) noexcept {
  using Versioned = DLManagedTensorVersioned;
  if (PyObject* const kept = kept_by<Versioned>(capsule, "numpy_dltensor_versioned")) return kept;
  return kept_by<DLManagedTensor>(capsule, "numpy_dltensor");
}

}  // namespace garboard::python
