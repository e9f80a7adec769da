"""Nodes of graphs: one call each, linked in the order of execution, and knowing who uses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.texts import shown, told
from garboard._engine import Tensor
from garboard.fx._names import public_name
from garboard.fx.immutable_collections import immutable_dict, immutable_list

if TYPE_CHECKING:
    from garboard.fx.graph import Graph
    from garboard.fx.operator_schemas import ArgsKwargsPair
    from garboard.nn.module import Module

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Target = Callable[..., Any] | str
Argument = Any  # a node, plain data, or tuples, lists, dicts and slices of them

OPS = ("placeholder", "get_attr", "call_function", "call_method", "call_module", "output", "root")
_side_effects: set[Any] = set()


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function after noting that its calls are kept where nobody uses the result.

    Args:
        fn: The function, which may be decorated.

    Raises:
        TypeError: It cannot be called.

    >>> from garboard.fx.node import has_side_effect
    >>> @has_side_effect
    ... def tell(x):
    ...     print(x)
    """
    _side_effects.add(check.function("has_side_effect", "fn", fn))
    return fn


def map_aggregate(a: Argument, fn: Callable[[Any], Any]) -> Argument:
    """Return a nest with `fn` applied to each leaf, its lists and dicts being immutable ones.

    Args:
        a: A leaf, or tuples, lists, dicts and slices of them.
        fn: Given a leaf, what stands there.

    Raises:
        ValueError: The nest is too deep, or holds itself.

    >>> gb.fx.node.map_aggregate((1, [2, 3]), lambda it: it * 10)
    (10, [20, 30])
    """
    try:
        return _mapped(a, fn, set())
    except RecursionError:
        raise ValueError("map_aggregate: the nest is too deep; flatten it") from None


def _mapped(a: Argument, fn: Callable[[Any], Any], above: set[int]) -> Argument:
    if not isinstance(a, (tuple, list, dict, slice)):
        return fn(a)
    if id(a) in above:
        raise ValueError(f"map_aggregate: a {type(a).__name__} holds itself; a tree is needed")
    above.add(id(a))
    result: Any
    if isinstance(a, tuple):
        mapped = tuple(_mapped(it, fn, above) for it in a)
        result = type(a)(*mapped) if hasattr(a, "_fields") else mapped
    elif isinstance(a, list):
        result = immutable_list(_mapped(it, fn, above) for it in a)
    elif isinstance(a, dict):
        result = immutable_dict({name: _mapped(it, fn, above) for name, it in a.items()})
    else:
        result = slice(*(_mapped(it, fn, above) for it in (a.start, a.stop, a.step)))
    above.discard(id(a))
    return result


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """Return a nest with `fn` applied to each node in it.

    Args:
        a: A nest of nodes and other things, which stay.
        fn: Given a node, what stands there.

    Raises:
        ValueError: The nest is too deep, or holds itself.

    >>> gb.fx.node.map_arg([1, 2], lambda node: node.name)
    [1, 2]
    """
    return map_aggregate(a, lambda it: fn(it) if isinstance(it, Node) else it)


class Node:
    """One step of a `Graph`, which makes it: what is called, with what, and who uses the result.

    Attributes:
        graph: The graph that it is of.
        name: What it is called in generated code.
        op: One of `placeholder`, `get_attr`, `call_function`, `call_method`, `call_module` and
            `output`.
        target: The function of a call_function; else a name, for get_attr and call_module a path.
        args: Positional arguments: nodes, plain data, and nests of them.
        kwargs: The same by name.
        type: The annotation of its result, or None.
        users: The nodes that use it, in the order in which they came, as keys.
        meta: What passes write down about it.

    Args:
        graph: See above.
        name: See above.
        op: See above.
        target: See above.
        args: See above.
        kwargs: See above.
        return_type: See `type`.

    Raises:
        TypeError: An argument is a tensor, a node of another graph, or a name no string.
        ValueError: There is no such op, or a nest holds itself.

    >>> traced = gb.fx.symbolic_trace(lambda x: gb.relu(x) + 1)
    >>> x, relu, add, output = traced.graph.nodes
    >>> relu.op, relu.args, list(relu.users), add.prev
    ('call_function', (x,), [add], relu)
    >>> add.replace_input_with(relu, x)
    >>> add.update_arg(1, 2)
    >>> add.update_kwarg("alpha", 3)
    >>> relu.replace_all_uses_with(x)
    []
    >>> relu.is_impure()
    False
    >>> x.append(relu)
    >>> add.prepend(relu)
    >>> x.format_node()
    '%x : [num_users=2] = placeholder[target=x]'
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...] = (),
        kwargs: dict[str, Argument] | None = None,
        return_type: Any = None,
    ) -> None:
        if op not in OPS:
            raise ValueError(f"Node: there is no op {shown(op)}; one of {', '.join(OPS)} is needed")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node: a call_function's target is of type {type(target).__name__}; a "
                    "function is needed"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node: the target of a {op} is of type {type(target).__name__}; a str is needed"
            )
        self.graph: Graph = graph
        self.name: str = name
        self.op: str = op
        self.target: Target = target
        self.type = return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._input_nodes: dict[Node, None] = {}
        self._prev = self._next = self
        self._erased = False
        self._args: tuple[Argument, ...] = ()
        self._kwargs: dict[str, Argument] = {}
        self._assign(args, kwargs or {})

    @property
    def next(self) -> Node:
        """The node that is run after it."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node that is run before it."""
        return self._prev

    @property
    def args(self) -> tuple[Argument, ...]:
        """Positional arguments; assign to change them."""
        return self._args

    @args.setter
    def args(self, given: tuple[Argument, ...]) -> None:
        self._assign(given, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """Arguments by name; assign to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, given: dict[str, Argument]) -> None:
        self._assign(self._args, given)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among its arguments, each once."""
        return list(self._input_nodes)

    @property
    def stack_trace(self) -> str | None:
        """What `meta` says about the line that made it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, text: str | None) -> None:
        self.meta["stack_trace"] = text

    def _assign(self, args: tuple[Argument, ...], kwargs: dict[str, Argument]) -> None:
        """Take new arguments all or none, and tell those that are used and no longer used."""
        if not isinstance(args, (tuple, list)) or not isinstance(kwargs, dict):
            raise TypeError(
                f"Node: args are a {type(args).__name__}, kwargs a {type(kwargs).__name__}; a "
                "tuple and a dict are needed"
            )
        for name in kwargs:
            if not isinstance(name, str):
                raise TypeError(f"Node: {shown(name)} is no argument's name; a str is needed")
        found: dict[Node, None] = {}

        def checked(it: Any) -> Any:
            if isinstance(it, Tensor):
                raise TypeError(
                    "Node: a tensor is an argument; register it on the module and take it by "
                    "get_attr, as a graph owns none"
                )
            if isinstance(it, Node):
                if it.graph is not self.graph or it._erased:
                    raise TypeError(
                        f"Node: {it.name} is of another graph or was erased; a node of this "
                        "graph is needed"
                    )
                found[it] = None
            return it

        args, kwargs = map_aggregate(tuple(args), checked), map_aggregate(kwargs, checked)
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._args, self._kwargs, self._input_nodes = args, kwargs, found
        for node in found:
            node.users[self] = None

    def _unlink(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev
        self._prev = self._next = self

    def _after(self, x: Node) -> None:
        """Move `x` behind it."""
        if not isinstance(x, Node) or x.graph is not self.graph or x._erased or self._erased:
            raise TypeError("append, prepend: a node of another graph; one of this is needed")
        if x is self:
            return
        x._unlink()
        x._prev, x._next = self, self._next
        self._next._prev = x
        self._next = x

    def prepend(self, x: Node) -> None:
        """Move another node of the graph before it.

        Args:
            x: The node.
        """
        if x is not self:
            if isinstance(x, Node) and x._next is self:
                return
            self._prev._after(x)

    def append(self, x: Node) -> None:
        """Move another node of the graph behind it.

        Args:
            x: The node.
        """
        self._after(x)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Change one positional argument.

        Args:
            idx: Which.
            arg: What it is from now on.

        Raises:
            IndexError: There is no such argument.
        """
        if not -len(self._args) <= idx < len(self._args):
            raise IndexError(
                f"update_arg: idx is {shown(idx)}; {self.name} has {len(self._args)} args"
            )
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Put a positional argument before another.

        Args:
            idx: Where it stands from now on.
            arg: The argument.

        Raises:
            IndexError: There are fewer arguments than that.

        >>> graph = gb.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> total = graph.call_function(gb.add, (1,))
        >>> total.insert_arg(0, x)
        >>> total.args
        (x, 1)
        """
        if not 0 <= idx <= len(self._args):
            raise IndexError(
                f"insert_arg: idx is {shown(idx)}; {self.name} has {len(self._args)} args"
            )
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Change one argument that is given by name.

        Args:
            key: The name.
            arg: What it is from now on.
        """
        self.kwargs = {**self._kwargs, key: arg}

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Return those that used it, which use another node from now on.

        Args:
            replace_with: The other node.
            delete_user_cb: Given a user, whether it changes.
            propagate_meta: Whether the other node gets its `meta`.

        Raises:
            ValueError: The other one has `meta` already.
        """
        if propagate_meta:
            if replace_with.meta:
                raise ValueError(f"replace_all_uses_with: {replace_with.name} has meta; it must "
                                 "have none where propagate_meta is true")  # fmt: skip
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Have it use one node in place of another.

        Args:
            old_input: What it used.
            new_input: What it uses from now on.
        """

        def other(it: Node) -> Node:
            return new_input if it is old_input else it

        self._assign(map_arg(self._args, other), map_arg(self._kwargs, other))

    def is_impure(self, impure_random: bool = True) -> bool:
        """Return whether it is kept where nobody uses it.

        Args:
            impure_random: Ignored: ops that draw numbers are kept out of use, too, if they write.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            name = getattr(self.target, "__name__", "")
            return self.target in _side_effects or (name.endswith("_") and name[-2:] != "__")
        if self.op == "call_method":
            return str(self.target).endswith("_") and not str(self.target).endswith("__")
        return False

    def normalized_arguments(
        self,
        root: Module,
        arg_types: Sequence[Any] | None = None,
        kwarg_types: Mapping[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> ArgsKwargsPair | None:
        """Return the arguments of a function's or a module's call, with the defaults of others.

        Args:
            root: The module that the graph is of.
            arg_types: Ignored, as what follows: each function here has one list of arguments.
            kwarg_types: Ignored.
            normalize_to_only_use_kwargs: Give all by name; else those that were given by place are.

        Returns:
            Those by place and those by name; None of other nodes, and of functions that do not
            tell their names.

        Raises:
            TypeError: `root` is no Module.
            RuntimeError: It has no such module.

        >>> graph = gb.fx.symbolic_trace(lambda x: gb.add(x, 1)).graph
        >>> add = next(node for node in graph.nodes if node.op == "call_function")
        >>> add.normalized_arguments(gb.nn.Module())
        ArgsKwargsPair(args=(x, 1), kwargs={'alpha': 1})
        """
        from garboard.fx.operator_schemas import normalize_function, normalize_module

        by_name = normalize_to_only_use_kwargs
        if self.op == "call_function" and callable(self.target):
            given = self.args, self.kwargs
            return normalize_function(self.target, *given, arg_types, kwarg_types, by_name)
        if self.op == "call_module" and isinstance(self.target, str):
            return normalize_module(root, self.target, self.args, self.kwargs, by_name)
        return None

    def _pretty_print_target(self, target: object) -> str:
        return target if isinstance(target, str) else public_name(target)

    def format_node(self) -> str | None:
        """Return the line that `str(graph)` has of it."""
        target = self._pretty_print_target(self.target)
        typed = f"{_type_text(self.type)} " if self.type is not None else ""
        if self.op == "output":
            return f"return {self._args[0] if self._args else None}"
        head = f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}[target={target}]"
        if self.op == "placeholder":
            return head + (f"(default={_text(self._args[0])})" if self._args else "")
        if self.op == "get_attr":
            return head
        args = f"({', '.join(map(_text, self._args))}{',' if len(self._args) == 1 else ''})"
        kwargs = ", ".join(f"{name}: {_text(it)}" for name, it in self._kwargs.items())
        return f"{head}(args = {args}, kwargs = {{{kwargs}}})"

    def __repr__(self) -> str:
        return self.name

    def __lt__(self, other: Node) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self.graph._position(self) < self.graph._position(other)

    def __gt__(self, other: Node) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return other < self


def _type_text(given: object) -> str:
    return given.__name__ if isinstance(given, type) else told(given)


def _text(it: Argument) -> str:
    """An argument in the lines of `str(graph)`: nodes by a percent sign, strings bare."""
    if isinstance(it, Node):
        return f"%{it.name}"
    if isinstance(it, list):
        return f"[{', '.join(map(_text, it))}]"
    if isinstance(it, tuple):
        return f"({', '.join(map(_text, it))}{',' if len(it) == 1 else ''})"
    if isinstance(it, dict):
        return f"{{{', '.join(f'{name}: {_text(value)}' for name, value in it.items())}}}"
    return str(it)


for _effect in (print, setattr):
    has_side_effect(_effect)
