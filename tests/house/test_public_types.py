"""What users can call has types: `Any` stands where no type would do, for a reason given here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

PACKAGE = "python/garboard/"

STUB = PACKAGE + "_engine.pyi"

JSON = "JSON, whose values are of several types by their keys"
COUNTERS = "whole numbers and fractions by their keys, nested in dicts or not"
SNAPSHOT = "PyTorch's form of a snapshot: dicts and lists of several types, from a file perhaps"
GROUPS = "options of several types by their names, as PyTorch has them"
CALLED = "what a subclass's forward takes and gives; it declares __call__ for checkers to know"
CALLED_FUNCTION = "what the function that is called takes"
COPIED = "what copy.deepcopy hands on"
BATCH = "what a batch is made of is decided by the samples, or by a function of the user's"
NUMPY = "any function of NumPy's, with what it was called with"
NOTES = "whatever a user notes at a node"
NODE = "tuples as long as the node has inputs and outputs, None among them"
POOLED = "a tensor, or a pair with the places of the largest where these are asked for"
PACKED = "whatever a hook of the user's makes of a tensor"
DIFFERENTIATED = "any function of the user's; results are nested as its inputs and outputs are"
OPTIONAL = "or None, where an argument asks for that: nobody wants to check what they know"
OWN = "a distribution of the user's, whose method it decorates"
FUNCTION = "a class of the user's says what its op takes and gives"
SPARSE = "dense or sparse, by what the other operand is"
NUMBERS = "lists, arrays or tensors of numbers"
DTYPE = "the type of an array's elements, which a tensor's type does not tell"
LATER = "whatever a function of the user's returns, or several futures of different results"
NAMED = "an op of the user's, with what it takes and gives; or a decorator without it"
BESIDE = "a parameter, or whatever a program keeps beside them"
MOVED = "a tensor, or tuples, lists and dicts of them, nested as they were given"

# Every Any in the signature of something public. `object` is no reason: it is what to write
# where anything is taken and nothing is done with it.
REASONS = {
    "_engine.Tensor.__array__": DTYPE,
    "_engine.Tensor.__array_function__": NUMPY,
    "_engine.Tensor.__array_ufunc__": NUMPY,
    "_engine.Tensor.__deepcopy__": COPIED,
    "_engine.Tensor.new": "sizes, or data of any form",
    "_engine.Tensor.numpy": DTYPE,
    "_engine.Tensor.tolist": "lists as deep as the tensor has dims, or a number",
    "_engine.from_numpy": DTYPE,
    "amp.GradScaler.load_state_dict": JSON,
    "amp.GradScaler.scale": "a tensor, or lists and tuples of them, nested as they were given",
    "amp.GradScaler.state_dict": JSON,
    "amp.GradScaler.step": "what an optimizer of the user's takes and gives",
    "autograd.Function.__new__": FUNCTION,
    "autograd.Function.apply": FUNCTION,
    "autograd.Function.backward": FUNCTION,
    "autograd.Function.forward": FUNCTION,
    "autograd.Function.jvp": FUNCTION,
    "autograd.Function.setup_context": FUNCTION,
    "autograd.Function.vmap": FUNCTION,
    "_engine.GraphNode.__getattr__": NOTES,
    "_engine.GraphNode.metadata": NOTES,
    "_engine.GraphNode.register_hook": NODE,
    "_engine.GraphNode.register_prehook": NODE,
    "autograd.profile.__init__": "what the profile that it is made of takes",
    "autograd.saved_tensors_hooks.__init__": PACKED,
    "autograd.grad": OPTIONAL,
    "autograd.gradcheck": DIFFERENTIATED,
    "autograd.gradgradcheck": DIFFERENTIATED,
    "func.jvp": DIFFERENTIATED,
    "func.linearize": DIFFERENTIATED,
    "func.vjp": DIFFERENTIATED,
    "func.vmap": DIFFERENTIATED,
    "autograd.hessian": DIFFERENTIATED,
    "autograd.hvp": DIFFERENTIATED,
    "autograd.jacobian": DIFFERENTIATED,
    "autograd.jvp": DIFFERENTIATED,
    "autograd.vhp": DIFFERENTIATED,
    "autograd.vjp": DIFFERENTIATED,
    "utils.checkpoint": DIFFERENTIATED,
    "utils.checkpoint_sequential": DIFFERENTIATED,
    "distributed.ZeroRedundancyOptimizer.__new__": GROUPS,
    "fx.Node.normalized_arguments": CALLED_FUNCTION,
    "fx.normalize_function": CALLED_FUNCTION,
    "fx.normalize_module": CALLED_FUNCTION,
    "cuda.memory_stats": COUNTERS,
    "cuda.memory_stats_as_nested_dict": COUNTERS,
    "cuda.snapshot": SNAPSHOT,
    "futures.Future.then": LATER,
    "futures.collect_all": LATER,
    "library.CustomOpDef.__call__": NAMED,
    "library.CustomOpDef.register_autograd": NAMED,
    "library.CustomOpDef.register_kernel": NAMED,
    "library.CustomOpDef.register_vmap": NAMED,
    "library.Library.impl": NAMED,
    "library.custom_op": NAMED,
    "library.impl": NAMED,
    "library.register_autograd": NAMED,
    "library.register_fake": NAMED,
    "library.register_kernel": NAMED,
    "library.register_vmap": NAMED,
    "nn.BlockMask.__getitem__": "any index of its tensors",
    "nn.flex_attention": "a tensor, or a pair with what else is asked for",
    "nn.gather": MOVED,
    "nn.scatter": MOVED,
    "nn.scatter_kwargs": MOVED,
    "_engine.Tensor.__torch_function__": "what any function of the user's takes and returns",
    "overrides.TorchFunctionMode.__torch_function__": "what any function of the user's takes",
    "io.load": "what a file holds is known to who wrote it",
    "leaks.Leak.to_dict": JSON,
    "leaks.LeakReport.to_dict": JSON,
    "memory.load_snapshot": SNAPSHOT,
    "memory.memory_stats": COUNTERS,
    "memory.memory_stats_as_nested_dict": COUNTERS,
    "nn.Buffer.__deepcopy__": COPIED,
    "nn.UninitializedBuffer.__deepcopy__": COPIED,
    "nn.UninitializedParameter.__deepcopy__": COPIED,
    "nn.UninitializedTensorMixin.__torch_function__": "any function, with what it was called with",
    "nn.functional_call": CALLED,
    "nn.global_unstructured": "what the method's class takes",
    "nn.skip_init": "what the class of the user's is made with",
    "nn.Module.__deepcopy__": COPIED,
    "nn.Module.__getstate__": COPIED,
    "nn.Module.__setstate__": COPIED,
    "distributions.dependent_property.__call__": OWN,
    "distributions.dependent_property.__init__": OWN,
    "nn.DataParallel.forward": CALLED,
    "nn.DistributedDataParallel.forward": CALLED,
    "nn.Module.forward": CALLED,
    "nn.MultiheadAttention.forward": OPTIONAL,
    "nn.multi_head_attention_forward": OPTIONAL,
    "nn.Parameter.__deepcopy__": COPIED,
    "nn.ParameterList.__getitem__": "a parameter, or a list of them for a slice",
    "nn.Sequential.forward": "what the first module takes and the last one gives",
    "nn.adaptive_max_pool1d": POOLED,
    "nn.adaptive_max_pool2d": POOLED,
    "nn.adaptive_max_pool3d": POOLED,
    "nn.fractional_max_pool2d": POOLED,
    "nn.fractional_max_pool3d": POOLED,
    "nn.max_pool1d": POOLED,
    "nn.max_pool2d": POOLED,
    "nn.max_pool3d": POOLED,
    "optim.Optimizer.__getstate__": COPIED,
    "optim.Optimizer.__setstate__": COPIED,
    "optim.Adam.__init__": GROUPS,
    "optim.AdamW.__init__": GROUPS,
    "optim.AveragedModel.forward": CALLED,
    "optim.LBFGS.__init__": GROUPS,
    "optim.CyclicLR.load_state_dict": GROUPS,
    "optim.CyclicLR.state_dict": GROUPS,
    "optim.LRScheduler.load_state_dict": GROUPS,
    "optim.LRScheduler.state_dict": GROUPS,
    "optim.Optimizer.__init__": GROUPS,
    "optim.Optimizer.__init_subclass__": CALLED,
    "optim.Optimizer.load_state_dict": GROUPS,
    "optim.Optimizer.register_step_post_hook": GROUPS,
    "optim.Optimizer.register_step_pre_hook": GROUPS,
    "optim.Optimizer.step": "what a closure returns, or whatever a subclass takes instead",
    "optim.Optimizer.state_dict": GROUPS,
    "optim.ReduceLROnPlateau.load_state_dict": GROUPS,
    "optim.SGD.__init__": GROUPS,
    "optim.update_bn": BATCH,
    "report.Report.__init__": SNAPSHOT,
    "types.SupportsArrayInterface.__array_interface__": "NumPy's dict, of several types by keys",
    "overrides.handle_torch_function": "what any function of the user's takes",
    "utils.Timer.__init__": "what the names of the user's stand for",
    "utils.ChainDataset.__init__": BATCH,
    "utils.DataLoader.__init__": BATCH,
    "utils.DataLoader.__iter__": BATCH,
    "utils.DataLoader.multiprocessing_context": "a start method's name, or a context of Python's",
    "utils.Dataset.__add__": BATCH,
    "utils.FlopCounterMode.__torch_function__": "any function, with what it was called with",
    "utils.IterableDataset.__add__": BATCH,
    "utils.StackDataset.__getitem__": BATCH,
    "utils.StackDataset.__init__": BATCH,
    "utils.default_collate": BATCH,
    "utils.default_convert": BATCH,
    "sparse.SparseTensor.__add__": SPARSE,
    "sparse.SparseTensor.__mul__": SPARSE,
    "sparse.SparseTensor.__radd__": SPARSE,
    "sparse.SparseTensor.__rmul__": SPARSE,
    "sparse.SparseTensor.__rsub__": SPARSE,
    "sparse.SparseTensor.__torch_function__": "any function, with what it was called with",
    "sparse.SparseTensor.add": SPARSE,
    "sparse.SparseTensor.div": SPARSE,
    "sparse.SparseTensor.matmul": SPARSE,
    "sparse.SparseTensor.mm": SPARSE,
    "sparse.SparseTensor.mul": SPARSE,
    "sparse.SparseTensor.size": "a number where a dim is given, else all sizes",
    "sparse.SparseTensor.sub": SPARSE,
    "sparse.SparseTensor.sum": SPARSE,
    "sparse.SparseTensor.to": "the forms that Tensor.to takes",
    "sparse.SparseTensor.type": "a dtype, a type, or a type's name",
    "sparse.addmm": SPARSE,
    "sparse.mm": SPARSE,
    "sparse.sparse_coo_tensor": "lists as deep as data are, or sizes alone",
    "sparse.sparse_bsc_tensor": NUMBERS,
    "sparse.sparse_bsr_tensor": NUMBERS,
    "sparse.sparse_compressed_tensor": NUMBERS,
    "sparse.sparse_csc_tensor": NUMBERS,
    "sparse.sparse_csr_tensor": NUMBERS,
}
REASONS |= {
    f"nn.ParameterDict.{name}": BESIDE
    for name in [
        "__getitem__",
        "__init__",
        "__ior__",
        "__or__",
        "__setitem__",
        "fromkeys",
        "get",
        "items",
        "pop",
        "popitem",
        "setdefault",
        "update",
        "values",
    ]
}
REASONS |= {
    f"nn.ParameterList.{name}": BESIDE
    for name in ["__iadd__", "__init__", "__iter__", "__setitem__", "append", "extend"]
}

# What is traced are calls of any functions with anything.
REASONS |= {
    f"fx.{owner}{name}": "what the calls of a program take and give"
    for owner, names in {
        "Attribute.": "__call__",
        "CodeGen.": "process_inputs process_outputs",
        "Graph.": (
            "__deepcopy__ __reduce__ call_function call_method call_module "
            "create_node get_attr output placeholder process_inputs process_outputs"
        ),
        "GraphModule.": "__deepcopy__ __init__ __new__ __reduce__ __reduce_ex__ __setstate__",
        "Interpreter.": (
            "boxed_run call_function call_method call_module "
            "fetch_args_kwargs_from_env fetch_attr get_attr output placeholder run "
            "run_node"
        ),
        "Node.": "__init__",
        "Proxy.": "__call__ __deepcopy__ __getattr__ __iter__ __torch_function__ keys",
        "ShapeProp.": "propagate run_node",
        "Tracer.": "__init__ call_module create_arg create_args_for_root getattr trace",
        "TracerBase.": "create_arg create_node create_proxy iter keys",
        "Transformer.": "call_function call_method call_module get_attr placeholder run_input",
        "": "has_side_effect map_aggregate symbolic_trace",
        "immutable_dict.": "__reduce__",
        "immutable_list.": "__reduce__",
    }.items()
    for name in names.split()
}


def names_in_all(module: ast.Module) -> set[str]:
    """Return the names that `__all__` lists."""
    for statement in module.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            targets = getattr(statement, "targets", [getattr(statement, "target", None)])
            if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
                values = ast.walk(statement.value)
                return {e.value for e in values if isinstance(e, ast.Constant)}
    return set()


def functions_of(module: ast.Module, public: set[str]) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions among `public`, and the methods of its classes that have public names."""
    for statement in module.body:
        if getattr(statement, "name", None) not in public:
            continue
        if isinstance(statement, ast.FunctionDef):
            yield statement.name, statement
        elif isinstance(statement, ast.ClassDef):
            for inner in statement.body:
                if isinstance(inner, ast.FunctionDef) and re.match("__|[^_]", inner.name):
                    yield f"{statement.name}.{inner.name}", inner


def public_functions(tree: Tree) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods that users reach, by the package's and their own names."""
    if STUB in tree.files:
        stub = ast.parse(tree.text(STUB))
        public = {name for it in stub.body if (name := getattr(it, "name", "_"))[0] != "_"}
        yield from ((f"_engine.{name}", it) for name, it in functions_of(stub, public))
    for file in tree.under("python/garboard", suffixes=(".py",)):
        parts = file.removeprefix(PACKAGE).removesuffix(".py").split("/")
        if parts[0] == "demo" or parts[0].startswith("_"):
            continue
        module = ast.parse(tree.text(file))
        exported = names_in_all(module)
        if any(
            it.startswith("_") for it in parts
        ):  # its names are public where a package above shows them
            above = ("/".join([*parts[:depth], "__init__.py"]) for depth in range(1, len(parts)))
            shown = [names_in_all(ast.parse(tree.text(PACKAGE + package))) for package in above]
            exported &= set().union(*shown)
        yield from ((f"{parts[0]}.{name}", it) for name, it in functions_of(module, exported))


def has_any(annotation: ast.expr | None) -> bool:
    return annotation is not None and any(
        isinstance(it, ast.Name) and it.id == "Any" for it in ast.walk(annotation)
    )


def without_types(tree: Tree) -> set[str]:
    """Return the public functions with Any in their signature."""
    found = set()
    for name, function in public_functions(tree):
        given = function.args
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        annotations = [it.annotation for it in arguments if it] + [function.returns]
        if any(map(has_any, annotations)):
            found.add(name)
    return found


def unknown_when_called(tree: Tree) -> list[str]:
    """Return layers that say what their forward takes, and not what calling them does."""
    found = []
    for file in tree.under("python/garboard/nn", suffixes=(".py",)):
        for layer in (it for it in ast.parse(tree.text(file)).body if isinstance(it, ast.ClassDef)):
            functions = [it for it in ast.walk(layer) if isinstance(it, ast.FunctionDef)]
            typed = {it.name: ast.unparse(it.args) for it in functions if not has_any(it.returns)}
            if "forward" in typed and typed.get("__call__") != typed["forward"]:
                found.append(f"{file}: {layer.name} declares no __call__ like its forward")
    return found


def test_any_stands_where_there_is_a_reason_alone():
    found = without_types(project())

    untyped, typed = sorted(found - REASONS.keys()), sorted(REASONS.keys() - found)

    assert not untyped, "say what they take and give, or why that cannot be said"
    assert not typed, "these have types now; take their reasons out"


def test_every_layer_says_what_calling_it_takes_and_gives():
    violations = unknown_when_called(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x: Any) -> int: ...", {"a.f"}),
        ("def f(*xs: list[Any]) -> int: ...", {"a.f"}),
        ("def f() -> dict[str, Any]: ...", {"a.f"}),
        ("class f:\n    def __call__(self, x: Any) -> int: ...", {"a.f.__call__"}),
        ("class f:\n    def _g(self, x: Any) -> int: ...", set()),
        ("def g(x: Any) -> int: ...", set()),
        ("def f(x: object) -> int:\n    y: Any = x", set()),
    ],
)
def test_a_planted_any_is_found(text, found, tmp_path: Path):
    text = f'__all__ = ["f"]\n{text}\n'
    shown = planted(tmp_path / "shown", {"python/garboard/a.py": text})
    passed_on = planted(
        tmp_path / "passed_on",
        {"python/garboard/a/_b.py": text, "python/garboard/a/__init__.py": '__all__ = ["f"]'},
    )
    kept = planted(
        tmp_path / "kept",
        {"python/garboard/a/_b.py": text, "python/garboard/a/__init__.py": "__all__ = []"},
    )

    assert [without_types(tree) for tree in (shown, passed_on, kept)] == [found, found, set()]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("def forward(self, x: Tensor) -> Tensor: ...", 1),
        ("def forward(self, x: Tensor) -> Tensor: ...\n"
         "    if TYPE_CHECKING:\n        def __call__(self, y: Tensor) -> Tensor: ...", 1),
        ("def forward(self, x: Tensor) -> Tensor: ...\n"
         "    if TYPE_CHECKING:\n        def __call__(self, x: Tensor) -> Tensor: ...", 0),
        ("def forward(self, x: Any) -> Any: ...", 0),
        ("def __call__(self, *args: Any) -> Any: ...", 0),
    ],
)  # fmt: skip
def test_a_planted_layer_is_found(body, count, tmp_path: Path):
    tree = planted(tmp_path, {"python/garboard/nn/a.py": f"class A(Module):\n    {body}\n"})

    assert len(unknown_when_called(tree)) == count
