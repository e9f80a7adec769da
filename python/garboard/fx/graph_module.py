"""Modules whose `forward` is generated from a graph."""

from __future__ import annotations

import linecache
from itertools import count
from typing import Any, Self
from weakref import finalize

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.fx.graph import Graph, PythonCode
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

__all__ = ["GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_numbers = count()


class _CodeOnlyModule(Module):
    """A module that has the attributes of a dict: what a copy in depth is made of."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        vars(self).update(body)


def _forward_of(code: PythonCode, owner: type) -> Any:
    """Compile the function, whose lines tracebacks and debuggers find."""
    file = f"<eval_with_key>.{next(_numbers)}"
    names = dict(code.globals)
    exec(compile(code.src, file, "exec"), names)
    linecache.cache[file] = (len(code.src), None, code.src.splitlines(keepends=True), file)
    function = names.pop("forward")
    finalize(function, linecache.cache.pop, file, None)
    return function


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Have a module own what another has at a path; between, modules are made."""
    *prefix, field = target.split(".")
    for part in prefix:
        source, there = getattr(from_module, part), getattr(to_module, part, None)
        if there is source:
            return
        if there is None:
            there = Module()
            to_module.add_module(part, there)
        from_module, to_module = source, there
    if not hasattr(from_module, field):
        raise AttributeError(
            f"GraphModule: there is no {shown(target)} on the root; what the graph names is needed",
            name=field,
        )
    _assign(to_module, field, getattr(from_module, field))


def _assign(module: Module, field: str, value: Any) -> None:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        if field in dict(module.named_buffers(recurse=False)):
            return
        module.register_buffer(field, value)
    elif isinstance(value, Module):
        module.add_module(field, value)
    else:
        setattr(module, field, value)


def _assign_path(module: Module, target: str, value: Any) -> None:
    *prefix, field = target.split(".")
    for part in prefix:
        there = getattr(module, part, None)
        if there is None:
            there = Module()
            module.add_module(part, there)
        module = there
    _assign(module, field, value)


class GraphModule(Module):
    """A module whose `forward` is generated from a graph.

    It owns the parameters, buffers and submodules that the graph names, which are those of `root`,
    no copies. After the graph was changed, `recompile` writes `forward` anew.

    Attributes:
        graph: The graph; assigning another one recompiles.
        code: The Python that is run.
        meta: What passes write down about it.

    Args:
        root: The module that has what the graph names, or a dict of it by paths.
        graph: The graph.
        class_name: What the module's class is called.
        given: All of these, or what the `__init__` of a subclass takes.
        named: The same by name.

    Raises:
        AttributeError: A path that the graph names is not there.
        RuntimeError: `root` is a dict that lacks a path.
        TypeError: `root` or `graph` is something else.
        ValueError: The graph has a name that is no identifier.

    >>> traced = gb.fx.symbolic_trace(gb.nn.Sequential(gb.nn.Linear(2, 2), gb.nn.ReLU()))
    >>> for node in traced.graph.nodes:
    ...     if node.target == "1":
    ...         node.replace_all_uses_with(node.args[0])
    ...         traced.graph.erase_node(node)
    [output]
    >>> _ = traced.recompile()
    >>> traced.delete_all_unused_submodules()
    >>> [path for path, _ in traced.named_children()]
    ['0']
    >>> traced.add_submodule("extra.relu", gb.nn.ReLU()), traced.delete_submodule("extra.relu")
    (True, True)
    >>> traced.print_readable(print_output=False).splitlines()[0]
    'class Sequential(garboard.nn.Module):'
    """

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Make a class of the module's own, as `forward` is an attribute of classes."""
        base = next(it for it in cls.__mro__ if not it.__dict__.get("_is_of_one_module"))
        names = {
            "_is_of_one_module": True,
            "__module__": cls.__module__,
            "__doc__": cls.__doc__,
            # PyTorch's name: who wraps `forward` looks for it, to wrap the class's instead.
            "__qualname__": f"{base.__qualname__}.GraphModuleImpl",
        }
        made = type(base.__name__, (base,), names)
        return super().__new__(made)

    def __init__(
        self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule"
    ) -> None:
        super().__init__()
        if not isinstance(graph, Graph):
            raise TypeError(f"GraphModule: graph is of type {type(graph).__name__}; an fx.Graph "
                            "is needed")  # fmt: skip
        type(self).__name__ = class_name
        paths = [str(it.target) for it in graph.nodes if it.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            vars(self)["training"] = root.training
            for path in paths:
                _copy_attr(root, self, path)
        elif isinstance(root, dict):
            if missing := [it for it in paths if it not in root]:
                raise ArgumentError(
                    f"GraphModule: the graph names {shown(missing[0])}; root needs such a key"
                )
            for path in sorted(paths, key=lambda it: it.count(".")):
                _assign_path(self, path, root[path])
        else:
            raise TypeError(f"GraphModule: root is of type {type(root).__name__}; a Module or a "
                            "dict is needed")  # fmt: skip
        self.meta: dict[str, Any] = {}
        self.graph = graph

    @property
    def graph(self) -> Graph:
        """The graph; assigning another one recompiles."""
        found: Graph = vars(self)["_graph"]
        return found

    @graph.setter
    def graph(self, graph: Graph) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"GraphModule: graph is of type {type(graph).__name__}; an fx.Graph "
                            "is needed")  # fmt: skip
        vars(self)["_graph"] = graph
        graph.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The Python that is run."""
        return str(vars(self)["_code"])

    def recompile(self) -> PythonCode:
        """Return the code of `forward`, after writing it anew from the graph.

        Raises:
            ValueError: The graph has a name that is no identifier.
        """
        written = self.graph.python_code("self")
        forward = _forward_of(written, type(self))
        vars(self)["_code"] = written.src
        type(self).forward = forward  # type: ignore[method-assign]
        return written

    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module at a path; between, modules are made.

        Args:
            target: The path.
            m: The module.

        Returns:
            Whether it is there now: something else than a module may be on the way.

        Raises:
            TypeError: The path is no text, or `m` is no Module.
            ValueError: A name of the path is empty, or its last one another attribute's.
        """
        *prefix, field = check.text("add_submodule", "target", target).split(".")
        check.of_type(Module, "add_submodule", "m", m)
        owner: Module = self
        for part in prefix:
            there = getattr(owner, part, None)
            if there is None:
                there = Module()
                owner.add_module(part, there)
            if not isinstance(there, Module):
                return False
            owner = there
        owner.add_module(field, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Take the module at a path away.

        Args:
            target: The path.

        Returns:
            Whether there was one.

        Raises:
            TypeError: The path is no text.
        """
        *prefix, field = check.text("delete_submodule", "target", target).split(".")
        owner: Any = self
        for part in prefix:
            owner = getattr(owner, part, None)
            if not isinstance(owner, Module):
                return False
        if not isinstance(getattr(owner, field, None), Module):
            return False
        delattr(owner, field)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Take all modules away that the graph does not call and that hold nothing it reads."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = str(node.target).split(".")
                used.update(".".join(parts[:i]) for i in range(1, len(parts) + 1))
                if node.op == "call_module":
                    called = self.get_submodule(str(node.target))
                    used.update(f"{node.target}.{it}" for it, _ in called.named_modules() if it)
        for path, _ in list(self.named_modules(remove_duplicate=False)):
            if path and path not in used:
                self.delete_submodule(path)

    def print_readable(self, print_output: bool = True, include_stride: bool = False) -> str:
        """Return the code as a class, and print it.

        Args:
            print_output: Whether to print it.
            include_stride: Ignored.
        """
        lines = self.code.strip().splitlines()
        text = f"class {type(self).__name__}(garboard.nn.Module):"
        text += "".join(f"\n    {line}" for line in lines) + "\n"
        if print_output:
            print(text)
        return text

    _copies_its_dict = True  # its __reduce__ writes code down, for pickles

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copied = super().__deepcopy__(memo)
        type(copied).__name__ = type(self).__name__
        copied.graph = vars(copied)["_graph"]
        return copied

    def __copy__(self) -> Self:
        copied = super().__copy__()
        type(copied).__name__ = type(self).__name__
        from copy import deepcopy

        copied.graph = deepcopy(self.graph)
        return copied

    def __reduce__(self) -> Any:
        base = next(it for it in type(self).__mro__ if not it.__dict__.get("_is_of_one_module"))
        return _restored, (base, type(self).__name__), self.__getstate__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.graph = state["_graph"]

    def __str__(self) -> str:
        told = "# To see more, call `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self.code, told])


def _restored(base: type[GraphModule], class_name: str) -> GraphModule:
    made = base.__new__(base)
    type(made).__name__ = class_name
    return made
