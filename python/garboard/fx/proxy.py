"""Proxies: what a tracer hands to a program in place of tensors, and what is written down of it."""

from __future__ import annotations

import dis
import operator
import sys
from collections.abc import Callable, Iterator
from itertools import count
from types import GetSetDescriptorType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import refuse_unless_list
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard._ops.contractions import einsum
from garboard.fx.graph import Graph
from garboard.fx.node import Argument, Node, Target, map_aggregate

__all__ = ["Attribute", "GraphAppendingTracer", "Proxy", "TraceError", "TracerBase"]

_PLAIN = (
    *(bool, int, float, complex, str, bytes, range, type(None), type(...)),
    *(_engine.dtype, type),
)
_METHODS = (MethodDescriptorType, WrapperDescriptorType, GetSetDescriptorType)


class TraceError(ValueError):
    """A program asks of a proxy what only a tensor has: its elements, its length, its truth."""


class TracerBase:
    """What writes calls down in a graph.

    Attributes:
        graph: Where they are written.

    Raises:
        TraceError: A proxy's elements, or its truth, are asked for.

    >>> tracer = gb.fx.proxy.GraphAppendingTracer(gb.fx.Graph())
    >>> x = tracer.create_proxy("placeholder", "x", (), {})
    >>> tracer.create_arg([x, 1])
    [x, 1]
    >>> tracer.create_node("call_function", gb.relu, (x.node,), {}), tracer.proxy(x.node)
    (relu, Proxy(x))
    >>> tracer.keys(x)
    Proxy(keys)
    >>> tracer.to_bool(x)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    garboard.fx.proxy.TraceError: trace: x is asked whether it is true...
    >>> tracer.iter(x)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    garboard.fx.proxy.TraceError: trace: x is walked over...
    """

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False

    def get_fresh_qualname(self, prefix: str) -> str:
        """Return an attribute's name that the module which is traced does not have yet.

        Args:
            prefix: How it begins; a number follows.

        Raises:
            TypeError: It is no text.

        >>> gb.fx.Tracer().get_fresh_qualname("constant")
        'constant0'
        """
        begin, root = (
            check.text("get_fresh_qualname", "prefix", prefix),
            getattr(self, "root", None),
        )
        return next(it for it in map(f"{begin}{{}}".format, count()) if not hasattr(root, it))

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Write down a call.

        Args:
            kind: The node's `op`.
            target: What is called.
            args: Positional arguments, in nodes.
            kwargs: The same by name.
            name: What the node is called.
            type_expr: The annotation of its result.

        Returns:
            The node.
        """
        graph = check.of_type(Graph, "create_node", "graph", getattr(self, "graph", None))
        return graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """Return what a program is given for a `node`."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """Write down a call as a program makes it.

        Args:
            kind: The node's `op`.
            target: What is called.
            args: Positional arguments, with proxies.
            kwargs: The same by name.
            name: What the node is called.
            type_expr: The annotation of its result.
            proxy_factory_fn: Makes the proxy of the node.

        Returns:
            What the program gets for the result.
        """
        refuse_unless_list("create_proxy", "args", args, "arguments")
        given, named = self.create_arg(tuple(args)), self.create_arg(dict(kwargs))
        node = self.create_node(kind, target, given, named, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a: Any) -> Argument:
        """Return an argument as a node holds it: nodes for proxies.

        Args:
            a: The argument, perhaps a nest.

        Raises:
            NotImplementedError: It is nothing that a node can hold.
            ValueError: A nest is too deep, or holds itself.
        """
        if isinstance(a, dict) and any(isinstance(it, Proxy) for it in a):
            raise NotImplementedError(
                "create_arg: a dict has a proxy as a key, which would be its value in every run"
            )
        return map_aggregate(a, self._leaf)

    def _leaf(self, a: Any) -> Argument:
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, (Node, *_PLAIN)) or (callable(a) and not is_really(a, Tensor)):
            return a
        from enum import Enum

        is_ours = type(a).__module__.startswith("garboard.") and not is_really(a, Tensor)
        if is_ours or isinstance(a, Enum | _engine.device):
            return a
        raise NotImplementedError(
            f"create_arg: an argument is of type {type(a).__name__}; tensors of the module, "
            "proxies, numbers, strings and nests of them can be written down"
        )

    def to_bool(self, obj: Proxy) -> bool:
        """Return whether a proxy is true: refused, but by subclasses.

        Args:
            obj: The proxy.

        Raises:
            TraceError: Always, but for subclasses.
        """
        check.of_type(Proxy, "to_bool", "obj", obj)
        raise TraceError(
            f"trace: {obj.node} is asked whether it is true, as by `if` or `and`, and its value is "
            "not known yet; fix the choice by concrete_args=, or fx.wrap the function that chooses"
        )

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Return what walks over a proxy: refused, but by subclasses.

        Args:
            obj: The proxy.

        Raises:
            TraceError: Always, but for subclasses.
        """
        check.of_type(Proxy, "iter", "obj", obj)
        raise TraceError(
            f"trace: {obj.node} is walked over, as by `for` or `*`, and how many elements it has "
            "is not known yet; index it, or fx.wrap the function that walks"
        )

    def keys(self, obj: Proxy) -> Any:
        """Return what `**proxy` and `proxy.keys()` get: here, a call that is written down.

        Args:
            obj: The proxy.
        """
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """A tracer that writes to a graph which is there already.

    Args:
        graph: The graph.

    >>> graph = gb.fx.Graph()
    >>> x = gb.fx.Proxy(graph.placeholder("x"))
    >>> x.relu() + 1
    Proxy(add)
    """

    def __init__(self, graph: Graph) -> None:
        self.graph: Graph = check.of_type(Graph, "GraphAppendingTracer", "graph", graph)


class Proxy:
    """What stands for the result of a node while a program is traced.

    Operators, methods, attributes, and functions of this package that are called with it, are
    written down as nodes behind the others.

    Args:
        node: The node.
        tracer: What writes; by default, one that appends to the node's graph.

    Raises:
        TypeError: `node` is no node.
        TraceError: Its elements or its truth are asked for.
        RuntimeError: Its length is asked for.

    >>> x = gb.fx.Proxy(gb.fx.Graph().placeholder("x"))
    >>> x.sum(dim=0) * 2, x.shape[0]
    (Proxy(mul), Proxy(getitem))
    >>> x.keys()
    Proxy(keys)
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        if not isinstance(node, Node):
            raise TypeError(f"Proxy: node is of type {type(node).__name__}; an fx.Node is needed")
        if tracer is None:
            tracer = GraphAppendingTracer(node.graph)
        self.tracer: TracerBase = check.of_type(TracerBase, "Proxy", "tracer", tracer)
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, name: str) -> Any:
        if name in ("node", "tracer") or (name[:2] == "__" and name[-2:] == "__"):
            # Protocols of Python ask for these, copying among them.
            raise AttributeError(f"'Proxy' object has no attribute {shown(name)}", name=name)
        return Attribute(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        count = _unpacked_by(sys._getframe(1))
        if count is not None:
            return iter([self[i] for i in range(count)])  # type: ignore[index]
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise ArgumentError(
            f"len: the length of {self.node} is not known while it is traced; call "
            "fx.wrap('len') in the module that asks"
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        return Proxy(self.node, self.tracer)

    def keys(self) -> Any:
        """Return what stands for the keys of a dict."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(
        cls,
        function: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Write down the call of an op that was given a proxy."""
        tracer = _tracer_of((args, kwargs or {}))
        if isinstance(function, _METHODS):
            return tracer.create_proxy("call_method", function.__name__, args, kwargs or {})
        if function is einsum and len(args) == 2 and isinstance(args[1], (list, tuple)):
            args = (args[0], *args[1])  # each operand is an argument of the node, as in PyTorch
        return tracer.create_proxy("call_function", function, args, kwargs or {})


class Attribute(Proxy):
    """An attribute of a proxy: a node once it is used, unless it is called as a method.

    Args:
        root: The proxy.
        attr: The attribute's name.

    >>> x = gb.fx.Proxy(gb.fx.Graph().placeholder("x"))
    >>> x.shape.node.target is getattr, x.sum().node.op
    (True, 'call_method')
    """

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root: Proxy = check.of_type(Proxy, "Attribute", "root", root)
        self.attr: str = check.text("Attribute", "attr", attr)
        self.tracer: TracerBase = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node of the attribute, made when it is first asked for."""
        if self._node is None:
            given = (self.root, self.attr)
            self._node = self.tracer.create_proxy("call_function", getattr, given, {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


def _tracer_of(nest: Any) -> TracerBase:
    """The one tracer of the proxies in a nest."""
    found: dict[int, TracerBase] = {}

    def look(it: Any) -> Any:
        if isinstance(it, Proxy):
            found[id(it.tracer.graph)] = it.tracer
        return it

    map_aggregate(nest, look)
    if len(found) != 1:
        raise TypeError(f"trace: proxies of {len(found)} graphs are given to one call; those of "
                        "one are needed")  # fmt: skip
    return next(iter(found.values()))


def _unpacked_by(frame: Any) -> int | None:
    """How many names are on the left of the assignment that a frame is at."""
    for it in dis.get_instructions(frame.f_code):
        if it.offset == frame.f_lasti:
            return it.arg if it.opname == "UNPACK_SEQUENCE" else None
    return None


def _operator(name: str, *, is_reflected: bool = False) -> Callable[..., Any]:
    target = getattr(operator, name)

    def method(self: Proxy, *others: Any) -> Any:
        given = (*others, self) if is_reflected else (self, *others)
        return _tracer_of(given).create_proxy("call_function", target, given, {})

    method.__name__ = f"__{'r' if is_reflected else ''}{name.strip('_')}__"
    return method


# Set one by one, as a class that defines __eq__ could not be hashed.
_REFLECTED = "add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor matmul"
for _name in f"{_REFLECTED} eq ne lt gt le ge pos neg invert getitem".split():
    setattr(Proxy, f"__{_name.strip('_')}__", _operator(_name))
for _name in _REFLECTED.split():
    setattr(Proxy, f"__r{_name.strip('_')}__", _operator(_name, is_reflected=True))
Proxy.__abs__ = lambda self: _tracer_of((self,)).create_proxy(  # type: ignore[attr-defined]
    "call_function", operator.abs, (self,), {}
)
