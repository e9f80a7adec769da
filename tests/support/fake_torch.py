"""The parts of PyTorch that the leak watcher's evidence asks, small: tensors, graphs, modes, hooks.

It behaves: functions go by modes, operations record nodes, backward passes leave gradients and let
go of what was saved. There are no numbers in it.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from contextlib import contextmanager
from functools import wraps
from itertools import count
from types import ModuleType, SimpleNamespace

__all__ = ["modules"]

_addresses = count(4096, 64)


def modules() -> dict[str, ModuleType]:
    """Return a new fake, as what stands in `sys.modules`."""
    modes, disabled, sequence, at_birth = [], [], [0], []

    def overridable(function):
        @wraps(function)
        def called(*args, **named):
            if not modes or disabled:
                return function(*args, **named)
            mode = modes.pop()
            try:
                return mode.__torch_function__(called, (), args, named)
            finally:
                modes.append(mode)

        return called

    class Storage:
        def __init__(self, nbytes):
            self.address, self.size = next(_addresses), nbytes

        def data_ptr(self):
            return self.address

        def nbytes(self):
            return self.size

    class Node:
        def __init__(self, name, parents, saved):
            self._name, self._number = name, sequence[0]
            sequence[0] += 1
            self.next_functions = tuple((it, 0) for it in parents)
            self._kept = saved
            self._raw_saved_self = SimpleNamespace(unpack_hook=None)

        def name(self):
            return self._name

        def _sequence_nr(self):
            return self._number

        @property
        def _saved_self(self):
            if self._kept is None:
                raise RuntimeError("the saved tensors have been freed")
            return self._kept

    class AccumulateGrad:
        def __init__(self, variable):
            self.variable, self.next_functions = variable, ()

        def name(self):
            return "torch::autograd::AccumulateGrad"

        def _sequence_nr(self):
            return 2**64 - 1

    class Tensor:
        def __init__(self, shape=(), storage=None, grad_fn=None):
            self.shape, self.dtype, self.device = shape, "torch.float32", "cpu"
            self.storage, self.is_alias = storage or Storage(4 * self.numel()), bool(storage)
            self.grad_fn, self.grad = grad_fn, None
            self.requires_grad = grad_fn is not None
            for call in at_birth:
                call()

        def numel(self):
            found = 1
            for size in self.shape:
                found *= size
            return found

        def element_size(self):
            return 4

        def stride(self):
            return (1,) * len(self.shape)

        def storage_offset(self):
            return 0

        def untyped_storage(self):
            return self.storage

        def data_ptr(self):
            return self.storage.address

        def _is_view(self):
            return self.is_alias

        def _use_count(self):
            return 1

        @property
        def is_leaf(self):
            return self.grad_fn is None

        def edge(self):
            if self.requires_grad:
                return self.grad_fn or AccumulateGrad(self)
            return None

        @overridable
        def requires_grad_(self):
            self.requires_grad = True
            return self

        @overridable
        def __getitem__(self, index):
            return Tensor(self.shape[1:], self.storage)

        @overridable
        def detach(self):
            return Tensor(self.shape, self.storage)

        @overridable
        def __add__(self, other):
            return record("AddBackward0", (self, other), None, self.shape)

        __radd__ = __add__

        @overridable
        def __mul__(self, other):
            return record("MulBackward0", (self, other), self, self.shape)

        @overridable
        def add_(self, other):
            self.grad_fn = record("AddBackward0", (self, other), None, ()).grad_fn
            self.requires_grad = self.grad_fn is not None
            return self

        @overridable
        def sum(self):
            return record("SumBackward0", (self,), None, ())

        @overridable
        def register_hook(self, hook):
            self._backward_hooks = getattr(self, "_backward_hooks", None) or OrderedDict()
            handle = RemovableHandle(self._backward_hooks)
            self._backward_hooks[handle.id] = hook
            return handle

        @overridable
        def backward(self, gradient=None, retain_graph=None, create_graph=False):
            open_ = [self.grad_fn]
            while open_:
                node = open_.pop()
                if isinstance(node, AccumulateGrad):
                    for hook in getattr(node.variable, "_backward_hooks", {}).values():
                        hook(Tensor(node.variable.shape))
                    if node.variable.grad is None:
                        node.variable.grad = Tensor(node.variable.shape)
                    continue
                if not retain_graph:
                    node._kept = None
                open_ += [it for it, _ in node.next_functions if it is not None]

    def record(name, inputs, saved, shape):
        tensors = [it for it in inputs if isinstance(it, Tensor)]
        parents = [it.edge() for it in tensors]
        node = Node(name, parents, saved) if any(parents) else None
        return Tensor(shape, grad_fn=node)

    class Parameter(Tensor):
        pass

    class Module:
        def __init__(self):
            self._parameters, self._buffers, self._modules = {}, {}, {}

    class Optimizer:
        def __init__(self, parameters):
            self.parameters, self.state = list(parameters), {}

        def step(self):
            for it in self.parameters:
                self.state.setdefault(it, {"momentum": ones(*it.shape)})

    class RemovableHandle:
        next_id = 0

        def __init__(self, hooks_dict, *, extra_dict=None):
            self.id = RemovableHandle.next_id
            RemovableHandle.next_id += 1
            self.hooks_dict_ref = weakref.ref(hooks_dict)

        def remove(self):
            self.hooks_dict_ref().pop(self.id, None)

    class TorchFunctionMode:
        def __enter__(self):
            modes.append(self)
            return self

        def __exit__(self, *error):
            modes.pop()

    @contextmanager
    def disable():
        disabled.append(True)
        try:
            yield
        finally:
            disabled.pop()

    @contextmanager
    def enable_grad():
        yield

    @overridable
    def ones(*shape, requires_grad=False):
        found = Tensor(shape)
        found.requires_grad = requires_grad
        return found

    @overridable
    def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False):
        for it in tensors if isinstance(tensors, list | tuple) else (tensors,):
            it.backward(None, retain_graph, create_graph)

    torch = ModuleType("torch")
    torch.__file__ = __file__  # frames of this folder are the library's
    vars(torch).update(
        Tensor=Tensor,
        at_birth=at_birth,  # PyTorch has no such list: functions, called as a tensor comes to be
        ones=ones,
        autograd=SimpleNamespace(backward=backward),
        enable_grad=enable_grad,
        manual_seed=lambda seed: None,
        overrides=SimpleNamespace(
            TorchFunctionMode=TorchFunctionMode,
            _get_current_function_mode_stack=lambda: list(modes),
        ),
        utils=SimpleNamespace(hooks=SimpleNamespace(RemovableHandle=RemovableHandle)),
        cuda=SimpleNamespace(is_initialized=lambda: False),
        _C=SimpleNamespace(
            DisableTorchFunction=disable,
            _autograd=SimpleNamespace(_get_sequence_nr=lambda: sequence[0]),
            _FunctionBase=type("FunctionBase", (), {}),
        ),
    )
    found = {"torch": torch}
    for name, parts in (
        ("nn", {"Parameter": Parameter, "Module": Module}),
        ("optim", {"Optimizer": Optimizer}),
    ):
        found[f"torch.{name}"] = module = ModuleType(f"torch.{name}")
        vars(module).update(parts)
        setattr(torch, name, module)
    return found
