// The gradient rule of a Python `Function`: its context, an object that the node of the call owns.
#pragma once

#include <Python.h>

#include <vector>

#include "csrc/autograd/custom_function.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/python_held.h"

namespace garboard::python {

/// Where a context finds its node, and in it what it has saved; null once that is freed. Neither
/// keeps the other alive.
struct NodeOfRule : RefCounted {
  GradNode* node = nullptr;
};

/// Calls `context._backward(*gradients)` and checks what comes back. The collector sees the context
/// by the mirror of its graph; see graph_mirror.h.
class PythonRule final : public ForeignRule, public PythonHeld {
 public:
  /// `materializes`: zeros are given where no gradient came, else None.
  PythonRule(PyObject* context, const CustomCall& call, bool materializes);
  ~PythonRule() override;

  Grads run(const Backward& at) override;

  int visit(visitproc visit, void* arg) const override {
    Py_VISIT(context_.get());
    return 0;
  }
  const Counted<NodeOfRule>& place() const noexcept { return place_; }
  PyObject* context() const noexcept { return context_.get(); }

 private:
  /// What a tensor was like.
  struct Form {
    explicit Form(const Tensor& tensor);
    bool is_tensor;
    DType dtype{};
    Device device;
    Dims sizes;
  };
  Ref given(const Backward& at);
  /// Whether it is a tensor, as the argument at that place was.
  void check_kind(PyObject* given, std::size_t place) const;
  Tensor fitting_gradient(PyObject* given, std::size_t place) const;

  const char* name_;
  Ref context_;
  bool materializes_;
  std::vector<Form> inputs_, outputs_;
  Counted<NodeOfRule> place_{new NodeOfRule};
};

}  // namespace garboard::python
