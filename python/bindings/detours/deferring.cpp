#include "python/bindings/detours/deferring.h"

#include <utility>

#include "python/bindings/context/scope_stack.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/deferred.h"

namespace garboard::python {
namespace {

constinit thread_local int depth = 0;  // of fuse blocks, on this thread
int blocks = 0;                        // on all; guarded by the GIL

/// False for what may run code when it is converted, or makes the op raise.
bool to_chain_operand(PyObject* object, ChainOperand& operand) {
  if (is_tensor(object)) {
    const Alias& alias = alias_of(object);
    if (alias.is_disposed()) return false;
    if (alias.is_deferred())
      operand.step = step_of(alias);
    else
      operand.tensor = alias.tensor();
    return true;
  }
  if (PyBool_Check(object)) {
    operand.number = Scalar::of(object == Py_True);
  } else if (PyFloat_CheckExact(object)) {
    operand.number = Scalar::of(PyFloat_AS_DOUBLE(object));
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow) return false;
    operand.number = Scalar::of(static_cast<std::int64_t>(number));
  } else {
    return false;
  }
  return true;
}

PyObject* begin(PyObject*, PyObject*) noexcept {
  ++depth;
  if (++blocks == 1) set_detour(Detour::fuse, true);
  Py_RETURN_NONE;
}

PyObject* end(PyObject*, PyObject*) noexcept try {
  if (depth == 0) Py_RETURN_NONE;  // of a block that another thread began
  if (--blocks == 0) set_detour(Detour::fuse, false);
  if (--depth == 0) settle_all(Threads::own);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

// Its ends are C, for Ctrl-C: see context/blocks.h.
bool add_fuse_block(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", begin, METH_NOARGS, "Put elementwise ops of this thread off."},
      {"__exit__", end, METH_VARARGS, "At the end of the outermost block, compute what is left."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("A block in which elementwise ops are put off.")},
      {}};
  static PyType_Spec spec{"garboard._engine._FuseBlock", sizeof(PyObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "_FuseBlock", type.get()) == 0;
}

PyObject* fuse_depth(PyObject*, PyObject*) noexcept { return PyLong_FromLong(depth); }

PyObject* count(PyObject*, PyObject*) noexcept { return PyLong_FromSize_t(deferred_count()); }

}  // namespace

PyObject* deferred_call(const char* name, const Given& given) {
  if (depth == 0 || given.is_in_place || (given.names && PyTuple_GET_SIZE(given.names) > 0))
    return nullptr;
  const ChainOp* const op = find_chain_op(name);
  const Py_ssize_t before = given.self ? 1 : 0;
  // The method `where` has its operands in another order.
  if (!op || before + given.count != op->operand_count() || (op->ternary && given.self))
    return nullptr;
  std::array<ChainOperand, 3> operands;
  for (Py_ssize_t i = 0; i < before + given.count; ++i) {
    PyObject* const object = i < before ? given.self : given.arguments[i - before];
    if (!to_chain_operand(object, operands[static_cast<std::size_t>(i)])) return nullptr;
  }
  const BirthStamp stamp;
  Counted<ChainStep> step = chain_step(*op, std::move(operands));
  if (!step) return nullptr;
  return checked(wrap_later(std::move(step)));
}

bool add_deferring(PyObject* module) {
  static PyMethodDef functions[] = {
      {"_fuse_depth", fuse_depth, METH_NOARGS, "How many fuse blocks are open on this thread."},
      {"_deferred_count", count, METH_NOARGS, "How many tensors have yet to be computed."},
      {}};
  return PyModule_AddFunctions(module, functions) == 0 && add_fuse_block(module);
}

}  // namespace garboard::python
