"""Graphs: lists of nodes in the order of execution, which are read, changed and written as code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard.fx._code import CodeGen, PythonCode
from garboard.fx._names import Namespace, target_text
from garboard.fx._walks import At, Nodes, Place
from garboard.fx.node import Argument, Node, Target, map_aggregate, map_arg

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["CodeGen", "Graph", "PythonCode"]


class Graph:
    """What a program computes, as a list of nodes; it owns no tensor.

    Args:
        owning_module: The module whose paths its nodes name.
        tracer_cls: The class that traced it.

    Raises:
        RuntimeError: `lint` finds a fault, or a node that is used is erased.
        TypeError: A node is of another graph.
        ValueError: A name is no identifier, or there is no such op.

    >>> graph = gb.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> doubled = graph.call_function(gb.mul, (x, 2))
    >>> _ = graph.call_method("sum", (x,))
    >>> _ = graph.output(doubled)
    >>> graph.eliminate_dead_code()
    True
    >>> place = graph.inserting_after(doubled)
    >>> with place:
    ...     relu = graph.call_function(gb.relu, (doubled,))
    >>> with graph.inserting_before(relu):
    ...     again = graph.call_function(gb.relu, (x,))
    >>> graph.erase_node(again)
    >>> graph.lint()
    >>> graph.output_node().args, len(graph.find_nodes(op="call_function"))
    ((mul,), 2)
    >>> print(graph.python_code("self").src.strip())
    def forward(self, x):
        mul = garboard.mul(x, 2);  x = None
        relu = garboard.relu(mul);  relu = None
        return mul
    """

    def __init__(self, owning_module: Module | None = None, tracer_cls: type | None = None) -> None:
        self._tracer_cls = tracer_cls
        self.owning_module = owning_module
        self._names = Namespace()
        self._codegen = CodeGen()
        self._count = 0
        self._root = Node(self, "", "root", "")
        self._insert: Callable[[Node], None] = self._root.prepend

    @property
    def owning_module(self) -> Module | None:
        """The module whose paths its nodes name, or None."""
        return self._owner() if self._owner is not None else None

    @owning_module.setter
    def owning_module(self, module: Module | None) -> None:
        self._owner = ref(module) if module is not None else None  # a graph owns no tensor

    @property
    def nodes(self) -> Nodes:
        """Its nodes, in the order of execution."""
        return Nodes(self)

    def _position(self, node: Node) -> int:
        return list(self.nodes).index(node)

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Make a node, at the place that `inserting_before` or `inserting_after` has set.

        Args:
            op: `placeholder`, `get_attr`, `call_function`, `call_method`, `call_module`, `output`.
            target: The function, or the name or path.
            args: Positional arguments.
            kwargs: Arguments by name.
            name: What it is called if that is free; by default, after its target.
            type_expr: The annotation of its result.

        Returns:
            The node.

        >>> gb.fx.Graph().create_node("placeholder", "x", name="given")
        given
        """
        node = Node(self, "", op, target, args or (), kwargs or {}, type_expr)
        node.name = self._names.create_name(name or target_text(target), node)
        self._insert(node)
        self._count += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Make an input.

        Args:
            name: What the generated function calls it; `*args` and `**kwargs` take all others.
            type_expr: Its annotation.
            default_value: What it is where nothing is given; `...` for no such value.

        Returns:
            The node.
        """
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Make a node that reads a parameter, a buffer or an attribute of the module.

        Args:
            qualified_name: Its path.
            type_expr: Its annotation.

        Returns:
            The node.

        >>> gb.fx.Graph().get_attr("layer.weight")
        layer_weight
        """
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Make a node that calls a submodule.

        Args:
            module_name: Its path.
            args: Positional arguments.
            kwargs: Arguments by name.
            type_expr: The annotation of the result.

        Returns:
            The node.

        >>> gb.fx.Graph().call_module("layers.0")
        layers_0
        """
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Make a node that calls a method of its first argument.

        Args:
            method_name: The method.
            args: What has the method, and positional arguments.
            kwargs: Arguments by name.
            type_expr: The annotation of the result.

        Returns:
            The node.
        """
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Make a node that calls a function.

        Args:
            the_function: The function.
            args: Positional arguments.
            kwargs: Arguments by name.
            type_expr: The annotation of the result.
            name: What the node is called.

        Returns:
            The node.
        """
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """Make the node that ends the function.

        Args:
            result: What is returned: nodes, and nests of them.
            type_expr: Its annotation.

        Returns:
            The node.
        """
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def output_node(self) -> Node:
        """Return the node that ends the function.

        Raises:
            RuntimeError: There is none.
        """
        for node in reversed(self.nodes):
            if node.op == "output":
                return node
        raise ArgumentError("output_node: the graph has no output; make one by graph.output(...)")

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """Return nodes of one kind.

        Args:
            op: Their op.
            target: Their target; by default any.
            sort: Ignored: they are in the order of execution.
        """
        return [it for it in self.nodes if it.op == op and target in (None, it.target)]

    def node_copy(
        self, node: Node, arg_transform: Callable[[Node], Argument] | None = None
    ) -> Node:
        """Make a node like one of this or another graph.

        Args:
            node: The other node.
            arg_transform: Given each node that it uses, what the new one uses.

        Returns:
            The node, with a copy of the other's `meta`.

        >>> graph = gb.fx.Graph()
        >>> graph.node_copy(graph.placeholder("x"))
        x_1
        """
        other = arg_transform or (lambda it: it)
        args = map_arg(check.of_type(Node, "node_copy", "node", node).args, other)
        kwargs = map_arg(node.kwargs, other)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta.update(node.meta)
        return copied

    def graph_copy(
        self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False
    ) -> Argument:
        """Copy the nodes of another graph to where new ones go.

        Args:
            g: The other graph.
            val_map: By its nodes, ours; those that are there are not copied, and those that are
                copied are written into it.
            return_output_node: Whether to return the other graph's output, too.

        Returns:
            What the other graph returns, in nodes of this one; None where it has no output.

        >>> graph, seen = gb.fx.Graph(), {}
        >>> graph.graph_copy(gb.fx.symbolic_trace(lambda x: x + 1).graph, seen)
        add
        """
        for node in check.of_type(Graph, "graph_copy", "g", g).nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda it: val_map[it])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda it: val_map[it])
        return None

    def erase_node(self, to_erase: Node) -> None:
        """Take a node that nobody uses out of the graph.

        Args:
            to_erase: The node.

        Raises:
            RuntimeError: It has users, or is of another graph.
        """
        if check.of_type(Node, "erase_node", "to_erase", to_erase).graph is not self:
            raise ArgumentError(f"erase_node: {to_erase.name} is of another graph")
        if to_erase._erased:
            return
        if to_erase.users:
            raise ArgumentError(
                f"erase_node: {to_erase.name} is used by {list(to_erase.users)}; have them "
                "use another by replace_all_uses_with"
            )
        to_erase._assign((), {})
        # Its own links stay, so that a walk which stands on it goes on.
        before, behind = to_erase._prev, to_erase._next
        before._next, behind._prev = behind, before
        to_erase._erased = True
        self._count -= 1

    def inserting_before(self, n: Node | None = None) -> At:
        """Return a block in which new nodes go before a node; also effective without `with`.

        Args:
            n: The node; by default, the first.

        Raises:
            TypeError: It is of another graph.
        """
        if n is None:
            return At(self, self._root.append)
        self._check_place(n)
        return At(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> At:
        """Return a block in which new nodes go right behind a node, the last made first.

        Args:
            n: The node; by default, the last.

        Raises:
            TypeError: It is of another graph.
        """
        if n is None:
            return At(self, self._root.prepend)
        self._check_place(n)
        return At(self, n.append)

    def _check_place(self, n: Node) -> None:
        if check.of_type(Node, "inserting", "n", n).graph is not self or n._erased:
            raise TypeError(f"inserting: {n.name} is of another graph or was erased")

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Return whether there was anything to erase: what nobody uses and what changes nothing.

        Args:
            is_impure_node: Given a node, whether it stays; by default, `Node.is_impure`.

        Raises:
            RuntimeError: `lint` finds a fault.
        """
        self.lint()
        stays = is_impure_node or self._is_impure
        erased = False
        for node in reversed(self.nodes):
            if not node.users and node.op not in ("placeholder", "output") and not stays(node):
                self.erase_node(node)
                erased = True
        return erased

    def _is_impure(self, node: Node) -> bool:
        module = self.owning_module
        if node.op == "call_module" and module is not None:
            return bool(getattr(module.get_submodule(str(node.target)), "_is_impure", False))
        return node.is_impure()

    def lint(self) -> None:
        """Check that nodes are used behind where they are made, and that paths are there.

        Raises:
            RuntimeError: A node is used before it is made, two have one name, or a path is not
                on the module.
        """
        seen: set[Node] = set()
        names: set[str] = set()
        for node in self.nodes:
            for it in node.all_input_nodes:
                if it not in seen:
                    raise ArgumentError(f"lint: {it} is used by {node} before it is made; move it "
                                       "before that")  # fmt: skip
            if node.name in names:
                raise ArgumentError(f"lint: two nodes are named {shown(node.name)}")
            seen.add(node)
            names.add(node.name)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                self._check_path(node)

    def _check_path(self, node: Node) -> None:
        found: Any = self.owning_module
        for part in str(node.target).split("."):
            if not hasattr(found, part):
                raise ArgumentError(
                    f"lint: {node.name} names {shown(node.target)}, and there is no {shown(part)} "
                    f"on {type(found).__name__}"
                )
            found = getattr(found, part)

    def process_inputs(self, *args: Any) -> Any:
        """Return what placeholders get of what a caller gives in `args`.

        >>> gb.fx.Graph().process_inputs(1, 2)
        (1, 2)
        """
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """Return what a caller gets of `out`.

        >>> gb.fx.Graph().process_outputs(1)
        1
        """
        return self._codegen.process_outputs(out)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Have `codegen` write the code.

        Raises:
            TypeError: It is no CodeGen.

        >>> gb.fx.Graph().set_codegen(gb.fx.CodeGen())
        """
        self._codegen = check.of_type(CodeGen, "set_codegen", "codegen", codegen)

    def python_code(self, root_module: str, verbose: bool = False) -> PythonCode:
        """Return the function that the graph stands for.

        Args:
            root_module: What the function calls the module.
            verbose: Ignored.

        Raises:
            ValueError: A node, an argument or a placeholder has a name that is no identifier.
        """
        name = check.text("python_code", "root_module", root_module)
        return self._codegen._gen_python_code(self, name)

    def print_tabular(self) -> None:
        """Print the nodes as a table.

        >>> graph = gb.fx.Graph()
        >>> _ = graph.placeholder("x")
        >>> graph.print_tabular()
        opcode       name  target  args  kwargs
        -----------  ----  ------  ----  ------
        placeholder  x     x       ()    {}
        """
        rows = [["opcode", "name", "target", "args", "kwargs"]]
        for it in self.nodes:
            rows.append([it.op, it.name, str(it.target), str(it.args), str(it.kwargs)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(cells).rstrip())

    def __str__(self) -> str:
        return "graph():" + "".join(f"\n    {it.format_node()}" for it in self.nodes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        from copy import copy

        copied = Graph(tracer_cls=self._tracer_cls)
        memo[id(self)] = copied
        seen: dict[Node, Node] = {}
        for node in self.nodes:
            seen[node] = copied.node_copy(node, lambda it: seen[it])
            seen[node].meta = copy(node.meta)
            memo[id(node)] = seen[node]
        copied._codegen = self._codegen
        return copied

    def __reduce__(self) -> Any:
        places = {node: Place(i) for i, node in enumerate(self.nodes)}

        def rows() -> Iterable[tuple[Any, ...]]:
            for it in self.nodes:
                args, kwargs = (map_arg(nest, lambda n: places[n]) for nest in (it.args, it.kwargs))
                yield it.op, it.target, args, kwargs, it.name, it.type

        return _from_rows, (list(rows()), self._tracer_cls)


def _from_rows(rows: list[tuple[Any, ...]], tracer_cls: type | None) -> Graph:
    graph = Graph(tracer_cls=tracer_cls)
    made: list[Node] = []

    def node(it: Any) -> Any:
        return made[it.number] if isinstance(it, Place) else it

    for op, target, args, kwargs, name, kind in rows:
        args, kwargs = map_aggregate(args, node), map_aggregate(kwargs, node)
        made.append(graph.create_node(op, target, args, kwargs, name, kind))
    return graph
