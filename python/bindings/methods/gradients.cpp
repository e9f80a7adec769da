// Whether a tensor asks for a gradient, how that is computed and kept, and who is told of it.
#include "csrc/autograd/engine.h"
#include "csrc/ops/op/record.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/anchors.h"

namespace garboard::python {
namespace {

namespace docs {

constexpr Doc requires_grad_{
    .summary = "Ask, or no longer ask, for a gradient.",
    .args = {{"requires_grad", "Whether ops on this leaf are recorded from now on."}},
    .returns = "The tensor itself, not a new handle.",
    .raises =
        "GradientError: The dtype is no floating one; or False was asked of what recorded ops "
        "computed, of which `detach()` is a leaf.",
    .example =
        ">>> x = gb.requires_grad_(gb.zeros(2))\n"
        ">>> x.requires_grad\n"
        "True",
};
constexpr Doc backward{
    .summary = "Add this tensor's gradient to `.grad` of every leaf it was computed from.",
    .details =
        "What the graph kept is freed on the way, node by node, unless it is retained. The "
        "gradients live outside every scope, as long as their leaves.",
    .args = {{"gradient", "Where to start: of the tensor's sizes; 1 for one element."},
             {"retain_graph", "True keeps the graph for another pass; `create_graph` by default."},
             {"create_graph", "True records the pass itself, so that it can be differentiated."},
             {"inputs", "Add to `.grad` of these alone, leaves or not; of all leaves by default."}},
    .raises =
        "GradientError: Nothing was recorded, an earlier pass freed the graph, there is more than "
        "one element and no gradient, or `inputs` is empty or one of them requires no grad.\n"
        "ShapeError: The gradient has other sizes.\n"
        "DeviceError: The gradient is on another device.\n"
        "VersionError: A kept tensor was written in place since.",
    .example =
        ">>> x = gb.tensor([1.0, 2.0], requires_grad=True)\n"
        ">>> (x * x).sum().backward()\n"
        ">>> x.grad\n"
        "tensor([2., 4.])",
};
constexpr Doc register_hook{
    .summary = "Call a function with each gradient of this tensor.",
    .args = {{"hook",
              "Called with the gradient before it goes on; a tensor it returns takes its place."}},
    .returns = "A handle, whose `remove()` takes the hook off again.",
    .raises = "GradientError: The tensor does not require grad.",
    .example =
        ">>> x = gb.ones(2, requires_grad=True)\n"
        ">>> handle = gb.register_hook(x, lambda gradient: gradient * 10)\n"
        ">>> x.sum().backward()\n"
        ">>> x.grad\n"
        "tensor([10., 10.])",
};
constexpr Doc register_post_accumulate_grad_hook{
    .summary = "Call a function once a backward pass has added to `.grad`.",
    .details =
        "It may use the gradient up at once, in an optimizer's step say, and free it by setting "
        "`.grad` to None.",
    .args = {{"hook", "Called with this tensor, a leaf; a tensor that it returns is ignored."}},
    .returns = "A handle, whose `remove()` takes the hook off again.",
    .raises = "GradientError: The tensor is no leaf, or does not require grad.",
    .example =
        ">>> x = gb.ones(2, requires_grad=True)\n"
        ">>> def step(x):\n"
        "...     with gb.no_grad():\n"
        "...         x -= 0.1 * x.grad\n"
        "...     x.grad = None\n"
        ">>> handle = gb.register_post_accumulate_grad_hook(x, step)\n"
        ">>> x.sum().backward()\n"
        ">>> x\n"
        "tensor([0.9000, 0.9000], requires_grad=True)",
};
constexpr Doc retain_grad_doc{
    .summary = "Keep the gradient in `.grad`, also of what is no leaf.",
    .details = "A leaf that requires grad keeps it in any case.",
    .raises = "GradientError: The tensor does not require grad.",
    .example =
        ">>> x = gb.ones(2, requires_grad=True)\n"
        ">>> y = x * 2\n"
        ">>> gb.retain_grad(y)\n"
        ">>> (y * 3).sum().backward()\n"
        ">>> y.grad\n"
        "tensor([3., 3.])",
};
constexpr Doc forget_history{
    .summary = "Take a gradient out of the graph that made it; tell whether this is one.",
};
constexpr Doc is_inference{
    .summary = "Tell whether the tensor was made in inference mode.",
    .details = "A view is what the tensor is that it looks into.",
    .args = {{"input", "Tensor of any shape and dtype."}},
    .returns = "A bool.",
    .example =
        ">>> with gb.inference_mode():\n"
        "...     x = gb.ones(2)\n"
        ">>> gb.is_inference(x)\n"
        "True",
};

}  // namespace docs

void run_backward(Tensor output, Tensor gradient, std::optional<bool> retain_graph,
                  bool create_graph, std::optional<OneOrMore> inputs) {
  const Borrowing::Pause pause;  // those are shares, and hooks may open scopes of their own
  const WalkOptions options{.retain_graph = retain_graph.value_or(create_graph),
                            .create_graph = create_graph};
  if (inputs) {
    backward({output}, {gradient}, inputs->tensors, options);
  } else {
    backward({output}, {gradient}, options);
  }
}

PyObject* handle_of(const AddedHook& added) {
  const Ref module(checked(PyImport_ImportModule("garboard._hooks")));
  return checked(PyObject_CallMethod(module.get(), "RemovableHandle", "OK", added.anchor,
                                     static_cast<unsigned long long>(added.number)));
}

constexpr std::array gradient_rows{
    bind(
        "requires_grad_", "input: Tensor, requires_grad: bool = True", docs::requires_grad_,
        [](const Tensor& input, bool requires_grad) {
          input.set_requires_grad(requires_grad);
          return Itself();
        },
        Place::method),
    bind("backward",
         "input: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, "
         "create_graph: bool = False, "
         "inputs: Tensor | list[_T] | tuple[_T, ...] | None = None",
         docs::backward, fn<run_backward>, Place::method),
    bind(
        "register_hook", "input: Tensor, hook: Callable[[Tensor], Tensor | None]",
        docs::register_hook,
        [](Handle input, PyObject* hook) { return handle_of(add_hook(input.object, hook)); },
        Place::method, "RemovableHandle"),
    bind(
        "register_post_accumulate_grad_hook", "input: Tensor, hook: Callable[[Tensor], None]",
        docs::register_post_accumulate_grad_hook,
        [](Handle input, PyObject* hook) { return handle_of(add_hook_after(input.object, hook)); },
        Place::method, "RemovableHandle"),
    bind(
        "retain_grad", alone, docs::retain_grad_doc,
        [](const Tensor& input) {
          edge_of(input);  // a view's history may have to be brought up to date first
          retain_grad(input);
        },
        Place::method),
    bind(
        "_forget_history", alone, docs::forget_history,
        [](Handle input) {
          const Alias& alias = alias_of(input.object);
          // A gradient's body is its own: no other handle, and no view, shares the history.
          const bool is_own = alias.is_grad_alias && !alias.tensor().body()->base;
          if (is_own) alias.tensor().body()->grad_node.reset();
          return is_own;
        },
        Place::method),
    bind("is_inference", alone, docs::is_inference,
         [](const Tensor& input) { return input.storage()->is_inference(); }),
};

}  // namespace

void add_gradient_methods() { add_table<gradient_rows>(); }

}  // namespace garboard::python
