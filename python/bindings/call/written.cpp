#include "python/bindings/call/written.h"

#include <vector>

#include "csrc/ops/composite/elementwise.h"
#include "csrc/ops/create/grow.h"
#include "csrc/ops/create/pinned.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

namespace {

/// A leaf is pinned to be one again.
Tensor pinned(const Tensor& made) {
  if (!made.is_leaf() || !made.requires_grad()) return pin_memory(made);
  const GradModeGuard no_grad(false);
  Tensor result = pin_memory(made);
  result.set_requires_grad(true);
  return result;
}

}  // namespace

void WrittenAtOnce::prepare(const Arguments& given) {
  if (given.pins()) return;
  const Tensor& out = tensor_of(given.out(), given.op(), "out");
  if (given.leave_alone(out)) place_.emplace(&out);
}

PyObject* written(const Arguments& given, const Tensor& made) {
  if (given.pins()) return wrap(pinned(made));
  const Tensor& out = tensor_of(given.out(), given.op(), "out");
  if (!lies_in(out, made)) composite::write_made(given.op(), out, made, false);
  return Py_NewRef(given.out());
}

PyObject* written(const Arguments& given, std::span<const Tensor> made) {
  const Items items(given.out(), given.op(), "out");
  const auto count = static_cast<Py_ssize_t>(made.size());
  if (items.size() != count)
    throw ShapeError(
        text(given.op(), ": out holds ", items.size(), " tensors; there are ", count, " results"));
  Ref all(checked(PyTuple_New(count)));
  std::vector<Tensor> places;
  for (Py_ssize_t i = 0; i < count; ++i) {
    places.push_back(tensor_of(items[i].get(), given.op(), "out"));
    PyTuple_SET_ITEM(all.get(), i, Py_NewRef(items[i].get()));
  }
  for (std::size_t i = 0; i < made.size(); ++i)
    composite::check_takes(given.op(), places[i], made[i], false);
  for (std::size_t i = 0; i < made.size(); ++i) {
    grow_empty(given.op(), places[i], made[i].sizes());
    copy_(places[i], made[i]);
  }
  return all.release();
}

}  // namespace garboard::python
