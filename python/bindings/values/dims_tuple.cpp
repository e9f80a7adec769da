#include "python/bindings/values/dims_tuple.h"

#include <array>
#include <cstdint>
#include <utility>

#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

struct CachedTuple {
  Dims dims;
  PyObject* tuple = nullptr;
};

constexpr int kept_bits = 6;
std::array<CachedTuple, 1 << kept_bits> kept;  // by a hash; under the GIL

CachedTuple& cached_tuple_of(const Dims& dims) {
  std::uint64_t hash = static_cast<std::uint64_t>(dims.size());
  for (const std::int64_t value : dims)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  return kept[hash >> (64 - kept_bits)];
}

PyObject* made_of(const Dims& dims) {
  Ref tuple(checked(PyTuple_New(dims.size())));
  for (int i = 0; i < dims.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, checked(PyLong_FromLongLong(dims[i])));
  return tuple.release();
}

}  // namespace

PyObject* tuple_of(const Dims& dims) {
  CachedTuple& cached = cached_tuple_of(dims);
  if (!cached.tuple || cached.dims != dims) [[unlikely]] {
    // Making it may collect garbage, whose code may ask for others, and end whose dims these are.
    const Dims wanted = dims;
    PyObject* const made = made_of(wanted);
    const Ref before(std::exchange(cached.tuple, Py_NewRef(made)));
    cached.dims = wanted;
    return made;
  }
  return Py_NewRef(cached.tuple);
}

}  // namespace garboard::python
