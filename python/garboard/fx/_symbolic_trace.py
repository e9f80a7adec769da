"""Tracing: a program is run once with proxies, and what it does with them is written down."""

from __future__ import annotations

import builtins
import inspect
import math
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import garboard
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._C import ScriptObject
from garboard._engine import Tensor
from garboard.fx._compatibility import compatibility
from garboard.fx._errors import UnknownPartError
from garboard.fx.graph import Graph
from garboard.fx.graph_module import GraphModule
from garboard.fx.node import Argument, has_side_effect, map_aggregate
from garboard.fx.proxy import Proxy, TracerBase
from garboard.nn.containers import Sequential
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

__all__ = ["PH", "ScriptObject", "Tracer", "compatibility", "symbolic_trace", "wrap"]

_F = TypeVar("_F", bound=Callable[..., Any] | str)

# The globals of modules, with the names in them that are not looked into.
_wrapped: list[tuple[dict[str, Any], str]] = []


class _Placeholder:
    """What stands in `concrete_args` for an argument that stays open."""

    def __repr__(self) -> str:
        return "PH"


PH = _Placeholder()


def wrap(fn_or_name: _F) -> _F:
    """Return what is given, after noting that a tracer is not to look into it.

    It is called at the top of a module, for functions of that module and for Python's, as `len`.

    Args:
        fn_or_name: A function, or the name of one.

    Raises:
        RuntimeError: It is called inside a function.
        TypeError: Something else is given.

    >>> gb.fx.wrap("len")
    'len'
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise TypeError(
            f"wrap: fn_or_name is of type {type(fn_or_name).__name__}; a function or the name of "
            "one is needed"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else getattr(fn_or_name, "__name__", None)
    if not isinstance(name, str):
        raise TypeError(f"wrap: a {type(fn_or_name).__name__} without a name; a function is needed")
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>" and callable(fn_or_name):
        if "<locals>" not in getattr(fn_or_name, "__qualname__", ""):
            raise ArgumentError("wrap: it is called inside a function; call it at the top of a "
                               "module")  # fmt: skip
        return fn_or_name
    if not any(known is frame.f_globals and it == name for known, it in _wrapped):
        _wrapped.append((frame.f_globals, name))
    return fn_or_name


def _writing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is written down where a proxy is among its arguments."""

    @wraps(function)
    def writing(*args: Any, **kwargs: Any) -> Any:
        found: list[Proxy] = []
        map_aggregate((args, kwargs), lambda it: found.append(it) if _is_proxy(it) else None)
        if not found:
            return function(*args, **kwargs)
        return found[0].tracer.create_proxy("call_function", function, args, kwargs)

    return writing


def _is_proxy(it: Any) -> bool:
    return isinstance(it, Proxy)


class Tracer(TracerBase):
    """What traces modules and functions; a subclass says what it does not look into.

    Args:
        autowrap_modules: Modules of Python whose functions are written down, not looked into.
        autowrap_functions: Further such functions.
        param_shapes_constant: Ignored: shapes of parameters are written down as attributes.

    Raises:
        UnknownPartError: A module that is called is no part of the one that is traced.
        TraceError: What the program does depends on values.

    >>> class Coarse(gb.fx.Tracer):
    ...     def is_leaf_module(self, m, module_qualified_name):
    ...         return True
    >>> model = gb.nn.Sequential(gb.nn.Sequential(gb.nn.ReLU()))
    >>> tracer = Coarse()
    >>> [node.op for node in tracer.trace(model).nodes]
    ['placeholder', 'call_module', 'output']
    >>> tracer.path_of_module(model.get_submodule("0.0")), tracer.is_leaf_module(model, "")
    ('0.0', True)
    """

    proxy_buffer_attributes = False

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        self._autowrapped: dict[int, Any] = {
            id(it): it
            for module in autowrap_modules
            for name, it in vars(module).items()
            if not name.startswith("_") and callable(it)
        }
        self._autowrapped.update({id(it): it for it in autowrap_functions})
        self._autowrap_search = list(autowrap_modules)
        self.root: Module = Module()
        self._clear()

    def _clear(self) -> None:
        """Hold nothing of a trace but its root."""
        self._paths: dict[int, str] = {}
        self._tensors: dict[int, str] = {}
        self._attributes: dict[str, Proxy] = {}

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether a module's call is one node: by default, where it is of `gb.nn`.

        Args:
            m: The module.
            module_qualified_name: Its path.
        """
        home = type(m).__module__
        return home.startswith(("garboard.nn.", "torch.nn.")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Return the path of a module that is part of the one that is traced.

        Args:
            mod: The module.

        Raises:
            UnknownPartError: It is none.
        """
        check.of_type(Module, "path_of_module", "mod", mod)
        for path, module in self.root.named_modules(remove_duplicate=False):
            if module is mod:
                return path
        raise UnknownPartError(
            f"path_of_module: a {type(mod).__name__} is called and is no submodule of "
            f"{type(self.root).__name__}; assign it to an attribute there"
        )

    def call_module(
        self,
        m: Module,
        forward: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Write down the call of a module, or look into it.

        Args:
            m: The module.
            forward: What calls it in earnest.
            args: What it is called with.
            kwargs: The same by name.

        Returns:
            What the program gets.

        >>> tracer = gb.fx.Tracer()
        >>> tracer.root = gb.nn.Sequential(gb.nn.ReLU())
        >>> tracer.call_module(tracer.root, lambda x: x + 1, (1,), {})
        2
        """
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Return what a program gets for an attribute of a module: of parameters, a proxy.

        Buffers stay what they are, so that what is computed of them alone is computed once; a
        subclass that sets `proxy_buffer_attributes` gets proxies of them, too.

        Args:
            attr: The attribute's name.
            attr_val: What is there.
            parameter_proxy_cache: By path, proxies that have been made; they are written there.

        >>> gb.fx.Tracer().getattr("eps", 0.5, {})
        0.5
        """
        is_asked = isinstance(attr_val, Parameter) or (
            is_really(attr_val, Tensor) and self.proxy_buffer_attributes
        )
        path = self._tensors.get(id(attr_val)) if is_asked else None
        if path is None:
            return attr_val
        if path not in parameter_proxy_cache:
            parameter_proxy_cache[path] = self.create_proxy("get_attr", path, (), {})
        return parameter_proxy_cache[path]

    def create_arg(self, a: Any) -> Argument:
        """Return an argument as a node holds it: nodes for proxies and for tensors.

        A tensor that is no part of the module becomes its attribute `_tensor_constant0`, and so on.

        Args:
            a: The argument, perhaps a nest.

        Raises:
            NotImplementedError: It is nothing that a node can hold.
            ValueError: A nest is too deep, or holds itself.

        >>> gb.fx.Tracer().create_arg((1, "a"))
        (1, 'a')
        """
        return super().create_arg(a)

    def _leaf(self, a: Any) -> Argument:
        if is_really(a, Tensor):
            path = self._tensors.get(id(a))
            if path is None:
                if isinstance(a, Parameter):
                    raise UnknownPartError(
                        "create_arg: a parameter is used that is no part of "
                        f"{type(self.root).__name__}; assign it to an attribute there"
                    )
                number = 0
                while hasattr(self.root, f"_tensor_constant{number}"):
                    number += 1
                path = f"_tensor_constant{number}"
                setattr(self.root, path, a)
                self._tensors[id(a)] = path
            return self.create_node("get_attr", path, (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super()._leaf(a)

    def create_args_for_root(
        self,
        root_fn: Callable[..., Any],
        is_module: bool,
        concrete_args: dict[str, Any] | None = None,
    ) -> tuple[Callable[..., Any], list[Any]]:
        """Make the inputs of a trace.

        Args:
            root_fn: The function.
            is_module: Whether its first argument is the module.
            concrete_args: By name, arguments that are fixed.

        Returns:
            The function that is to be run, and all its arguments.

        Raises:
            UnknownPartError: A fixed argument is none of the function's.
            RuntimeError: A method has no `self`.
            TypeError: The function is none of Python's.

        >>> tracer = gb.fx.Tracer()
        >>> tracer.graph, tracer.root = gb.fx.Graph(), gb.nn.Module()
        >>> tracer.create_args_for_root(lambda x: x, False)[1]
        [Proxy(x)]
        """
        bound = getattr(root_fn, "__self__", None)
        function = inspect.unwrap(getattr(root_fn, "__func__", root_fn))
        if not isinstance(function, FunctionType):
            raise TypeError(
                f"trace: a {type(root_fn).__name__} is to be traced; a Module or a function "
                "that is written in Python is needed"
            )
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        given: list[Any] = []
        if is_module or (bound is not None and inspect.ismethod(root_fn)):
            if not names:
                raise ArgumentError("trace: forward has no argument self")
            given.append(self.root if is_module else bound)
            names = names[1:]
        fixed = dict(concrete_args or {})
        if unknown := [it for it in fixed if it not in names]:
            raise UnknownPartError(
                f"trace: concrete_args has {shown(unknown[0])}; the arguments are {names}"
            )
        parameters = inspect.signature(function).parameters
        given += [self._input(name, parameters[name], fixed) for name in names]
        place, flags = count, code.co_flags
        for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
            if flags & flag:
                name = code.co_varnames[place]
                given.append(self.create_proxy("placeholder", f"{stars}{name}", (), {}))
                place += 1
        return _with_plain_arguments(function, code, place), given

    def _input(self, name: str, told: inspect.Parameter, fixed: dict[str, Any]) -> Any:
        default = () if told.default is inspect.Parameter.empty else (told.default,)
        if name not in fixed or fixed[name] is PH:
            kind = None if told.annotation is inspect.Parameter.empty else told.annotation
            kind = None if isinstance(kind, str) else kind
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        value = fixed[name]
        if not isinstance(value, bool | int | float | str | None):
            raise NotImplementedError(
                f"trace: concrete_args fixes {shown(name)} at a {type(value).__name__}; numbers, "
                "strings and None can be fixed"
            )
        proxy = self.create_proxy("placeholder", name, (value,), {})
        text = f"{name} was fixed at {shown(value)} when this was traced"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, text), {})
        else:
            self.create_proxy(
                "call_function", garboard._assert, (operator.eq(proxy, value), text), {}
            )
        return value

    def trace(
        self,
        root: Module | Callable[..., Any],
        concrete_args: dict[str, Any] | None = None,
    ) -> Graph:
        """Run a module or a function with proxies, and return what it did.

        Args:
            root: The module or function.
            concrete_args: By name, arguments that are fixed: at those the program may choose.

        Returns:
            The graph, which `GraphModule(tracer.root, graph)` makes a module of.

        Raises:
            TraceError: What the program does depends on values.
        """
        self.root = root if isinstance(root, Module) else Module()
        forward: Any = type(root).forward if isinstance(root, Module) else root
        forward = vars(root).get("forward", forward) if isinstance(root, Module) else forward
        is_bound = isinstance(root, Module) and not isinstance(forward, FunctionType)
        self.graph: Graph = Graph(tracer_cls=type(self))
        self._clear()
        self._collect()
        try:
            function, given = self.create_args_for_root(
                forward, isinstance(root, Module) and not is_bound, concrete_args
            )
            kind = getattr(forward, "__annotations__", {}).get("return")
            with self._watching(function.__globals__):
                result = self.create_arg(function(*given))
            kind = None if isinstance(kind, str) else kind
            self.create_node("output", "output", (result,), {}, type_expr=kind)
        finally:
            self._clear()
        return self.graph

    def _collect(self) -> None:
        """Learn the paths of the module's tensors, those that were only assigned, too."""
        for path, module in self.root.named_modules():
            dot = f"{path}." if path else ""
            tensors = (
                *module.named_parameters(recurse=False),
                *module.named_buffers(recurse=False),
                *(it for it in vars(module).items() if is_really(it[1], Tensor)),
            )
            for name, it in tensors:
                self._tensors.setdefault(id(it), f"{dot}{name}")

    @contextmanager
    def _watching(self, own_globals: dict[str, Any]) -> Iterator[None]:
        """While the block runs, modules and wrapped functions tell this tracer of their calls."""
        undo: list[Callable[[], None]] = []
        seen: set[int] = set()
        call, read, tracer = Module.__call__, Module.__getattribute__, self

        def replace(names: dict[str, Any], name: str, function: Any) -> None:
            if name in names:
                before = names[name]
                undo.append(lambda: names.__setitem__(name, before))
            else:
                undo.append(lambda: names.pop(name, None) and None)
            names[name] = _writing(function)

        def autowrap(names: dict[str, Any]) -> None:
            if id(names) in seen:
                return
            seen.add(id(names))
            for name, it in list(names.items()):
                if not name.startswith("_") and id(it) in tracer._autowrapped:
                    replace(names, name, it)

        def reading(module: Module, name: str) -> Any:
            found = read(module, name)
            if is_really(found, Tensor):
                return tracer.getattr(name, found, tracer._attributes)
            return found

        def calling(module: Module, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return call(module, *args, **kwargs)

            autowrap(getattr(type(module).forward, "__globals__", {}))
            return tracer.call_module(module, forward, args, kwargs)

        try:
            Module.__call__ = calling  # type: ignore[method-assign,assignment]
            Module.__getattribute__ = reading  # type: ignore[method-assign,assignment]
            for names, name in _wrapped:
                replace(names, name, names.get(name, getattr(builtins, name, None)))
            autowrap(own_globals)
            for module in self._autowrap_search:
                autowrap(vars(module))
            yield
        finally:
            del Module.__call__, Module.__getattribute__
            for restore in reversed(undo):
                restore()


def _with_plain_arguments(function: FunctionType, code: CodeType, count: int) -> Callable[..., Any]:
    """A function that takes its `*args` and `**kwargs` as two arguments more."""
    if count == code.co_argcount:
        return function
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    plain = code.replace(
        co_argcount=count, co_kwonlyargcount=0, co_posonlyargcount=0, co_flags=flags
    )
    return FunctionType(plain, function.__globals__, function.__name__, None, function.__closure__)


def _assert_is_none(value: object, text: str) -> None:
    if value is not None:
        raise AssertionError(text)


has_side_effect(_assert_is_none)
has_side_effect(garboard._assert)


def symbolic_trace(
    root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None
) -> GraphModule:
    """Trace a module or a function, and return a module that does the same.

    Parameters and buffers are those of `root`, not copies.

    Args:
        root: The module or function.
        concrete_args: By name, arguments that are fixed: at those the program may choose.

    Returns:
        The module; its `graph` can be read and changed, its `code` is what it runs.

    Raises:
        TraceError: What the program does depends on values.

    >>> traced = gb.fx.symbolic_trace(lambda x: gb.relu(x) + 1)
    >>> traced(gb.tensor([-1.0, 1.0]))
    tensor([1., 2.])
    >>> traced.graph.print_tabular()  # doctest: +SKIP
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
