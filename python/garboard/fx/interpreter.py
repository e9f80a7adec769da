"""Graphs run node by node: what profilers, checks and rewrites are subclasses of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard.fx._errors import UnknownPathError
from garboard.fx._symbolic_trace import Tracer
from garboard.fx.graph import Graph
from garboard.fx.graph_module import GraphModule
from garboard.fx.node import Argument, Node, Target, map_arg
from garboard.fx.proxy import Proxy
from garboard.nn.module import Module

__all__ = ["Interpreter", "Transformer"]

_NOTHING = object()


class Interpreter:
    """What runs a graph node by node; a subclass overrides what it does at each.

    Args:
        module: The module.
        garbage_collect_values: Whether a result goes as soon as nobody needs it.
        graph: The graph; by default, the module's.

    Raises:
        AttributeError: A path is not on the module.
        RuntimeError: Too few arguments are given, or the graph has no output.

    >>> class Counting(gb.fx.Interpreter):
    ...     calls = 0
    ...
    ...     def call_function(self, target, args, kwargs):
    ...         self.calls += 1
    ...         return super().call_function(target, args, kwargs)
    >>> counting = Counting(gb.fx.symbolic_trace(lambda x: gb.relu(x) + 1))
    >>> counting.run(gb.tensor([-1.0])), counting.calls
    (tensor([1.]), 2)
    >>> traced = gb.fx.symbolic_trace(gb.nn.Sequential(gb.nn.ReLU()))
    >>> runner, node = gb.fx.Interpreter(traced), next(iter(traced.graph.nodes))
    >>> runner.fetch_attr("0"), runner.get_attr("training", (), {})
    (ReLU(), True)
    >>> runner.placeholder("x", (1,), {}), runner.output("output", (2,), {})
    (1, 2)
    >>> runner.call_function(max, (1, 2), {}), runner.call_method("upper", ("a",), {})
    (2, 'A')
    >>> runner.call_module("0", (gb.zeros(1),), {})
    tensor([0.])
    >>> runner.env[node] = 3
    >>> runner.map_nodes_to_values([node], node), runner.fetch_args_kwargs_from_env(node)
    ([3], ((), {}))
    >>> list(traced.graph.nodes)[-1].update_arg(0, node)
    >>> runner.run_node(list(traced.graph.nodes)[-1])
    3
    """

    def __init__(
        self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None
    ) -> None:
        op, kind = type(self).__name__, Module if graph is not None else GraphModule
        self.module: Module = check.of_type(kind, op, "module", module)
        given = vars(module)["_graph"] if graph is None else graph
        self.graph: Graph = check.of_type(Graph, op, "graph", given)
        self.submodules: dict[str, Module] = dict(module.named_modules())
        self.garbage_collect_values = garbage_collect_values
        self.env: dict[Node, Any] = {}
        self.args_iter: Iterator[Any] = iter(())

    def run(
        self,
        *args: Any,
        initial_env: dict[Node, Any] | None = None,
        enable_io_processing: bool = True,
    ) -> Any:
        """Run the graph.

        Args:
            *args: What the placeholders get, in their order.
            initial_env: Results that are known already, by node.
            enable_io_processing: Whether the graph's codegen sees arguments and result.

        Returns:
            What the graph returns.

        Raises:
            RuntimeError: Too few arguments are given, or the graph has no output.
        """
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter = iter(args)
        self.env = dict(initial_env or {})
        last: dict[Node, list[Node]] = {}
        seen: set[Node] = set()
        for node in reversed(self.graph.nodes):
            last[node] = [it for it in (*node.all_input_nodes, node) if it not in seen]
            seen.update(last[node])
        try:
            for node in self.graph.nodes:
                if node not in self.env:
                    self.env[node] = self._told(node)
                if node.op == "output":
                    result = self.env[node]
                    return self.graph.process_outputs(result) if enable_io_processing else result
                if self.garbage_collect_values:
                    for it in last[node]:
                        self.env.pop(it, None)
        finally:
            if self.garbage_collect_values:
                self.env = {}
            self.args_iter = iter(())
        raise ArgumentError("run: the graph has no output; make one by graph.output(...)")

    def _told(self, node: Node) -> Any:
        try:
            return self.run_node(node)
        except Exception as error:
            error.add_note(f"While executing {node.format_node()}")
            raise

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run the graph, and empty the list of its arguments.

        Args:
            args_list: What the placeholders get.

        Returns:
            What the graph returns.

        >>> traced = gb.fx.symbolic_trace(lambda x: x + 1)
        >>> gb.fx.Interpreter(traced).boxed_run([1])
        2
        """
        given = tuple(check.of_type(list, "boxed_run", "args_list", args_list))
        args_list.clear()
        return self.run(*given)

    def run_node(self, n: Node) -> Any:
        """Return the result of one node.

        Args:
            n: The node.
        """
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what is given for an input.

        Args:
            target: Its name.
            args: Its default, if it has one.
            kwargs: Nothing.

        Raises:
            RuntimeError: Nothing is given, and there is no default.
        """
        if str(target).startswith("*"):
            return list(self.args_iter) if not str(target).startswith("**") else {}
        found = next(self.args_iter, _NOTHING)
        if found is not _NOTHING:
            return found
        if args:
            return args[0]
        raise ArgumentError(f"run: nothing is given for {shown(target)}, which has no default")

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return what is on the module.

        Args:
            target: Its path.
            args: Nothing.
            kwargs: Nothing.
        """
        return self.fetch_attr(check.text("fetch_attr", "target", target))

    def call_function(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what a function returns.

        Args:
            target: The function.
            args: Its arguments.
            kwargs: The same by name.
        """
        return target(*args, **kwargs)  # type: ignore[operator]

    def call_method(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what a method returns.

        Args:
            target: Its name.
            args: What has the method, and its arguments.
            kwargs: The same by name.
        """
        owner, *rest = args
        return getattr(owner, str(target))(*rest, **kwargs)

    def call_module(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what a submodule returns.

        Args:
            target: Its path.
            args: Its arguments.
            kwargs: The same by name.
        """
        return self.fetch_attr(check.text("fetch_attr", "target", target))(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """Return what the graph returns.

        Args:
            target: `output`.
            args: The result.
            kwargs: Nothing.
        """
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """Return what is on the module at a path.

        Args:
            target: The path.

        Raises:
            UnknownPathError: There is nothing.
        """
        found: Any = self.module
        for part in check.text("fetch_attr", "target", target).split("."):
            found = getattr(found, part, _NOTHING)
            if found is _NOTHING:
                raise UnknownPathError(
                    f"fetch_attr: {type(self.module).__name__} has nothing at {shown(target)}"
                )
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what a node is called with.

        Args:
            n: The node.
        """
        check.of_type(Node, "fetch_args_kwargs_from_env", "n", n)
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Argument:
        """Return a nest with results in place of nodes.

        Args:
            args: The nest.
            n: The node that is run.

        Raises:
            RuntimeError: A node of it has not been run.
        """

        def value(it: Node) -> Any:
            if it not in self.env:
                raise ArgumentError(
                    f"run: {n.name} needs {it.name}, which has not been run; see graph.lint()"
                )
            return self.env[it]

        return map_arg(args, value)


class Transformer(Interpreter):
    """An interpreter that makes a new module, in which each node is what a method returns.

    Args:
        module: A module with a graph.

    >>> class Negated(gb.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return -super().call_function(target, args, kwargs)
    >>> Negated(gb.fx.symbolic_trace(lambda x: gb.relu(x))).transform()(gb.ones(1))
    tensor([-1.])
    >>> other = gb.fx.Transformer(gb.fx.symbolic_trace(gb.nn.Sequential(gb.nn.ReLU())))
    >>> x = other.placeholder("x", (), {})
    >>> other.call_module("0", (x,), {}), other.get_attr("training", (), {})
    (Proxy(_0), Proxy(training))
    >>> other.call_function(gb.neg, (x,), {}), other.call_method("sum", (x,), {})
    (Proxy(neg), Proxy(sum_1))
    """

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph: Graph = Graph()
        self.tracer: Tracer = _Rewriting(self.new_graph, module)

    def placeholder(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Proxy:
        """Return a new input.

        Args:
            target: Its name.
            args: Its default, if it has one.
            kwargs: Nothing.
        """
        default = args[0] if args else ...
        return Proxy(self.new_graph.placeholder(str(target), default_value=default), self.tracer)

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        """Return what stands for an attribute of the module.

        Args:
            target: Its path.
            args: Nothing.
            kwargs: Nothing.
        """
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what stands for the result of a submodule.

        Args:
            target: Its path.
            args: Its arguments.
            kwargs: The same by name.
        """
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what stands for the result of a function.

        Args:
            target: The function.
            args: Its arguments.
            kwargs: The same by name.
        """
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def call_method(
        self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return what stands for the result of a method.

        Args:
            target: Its name.
            args: What has the method, and its arguments.
            kwargs: The same by name.
        """
        return self.tracer.create_proxy("call_method", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Return the new module, which owns what it needs of the old one.

        Raises:
            RuntimeError: The graph has no output.
        """
        given = [self.run_input(it) for it in self.graph.nodes if it.op == "placeholder"]
        known = dict(given)
        result = self.run(initial_env=known, enable_io_processing=False)
        self.new_graph.output(map_result(result))
        self.new_graph._codegen = self.graph._codegen
        return GraphModule(self.module, self.new_graph, type(self.module).__name__)

    def run_input(self, node: Node) -> tuple[Node, Any]:
        """Return an input and what stands for it in the new graph.

        Args:
            node: The input.

        >>> transformer = gb.fx.Transformer(gb.fx.symbolic_trace(lambda x: x))
        >>> transformer.run_input(next(iter(transformer.graph.nodes)))
        (x, Proxy(x))
        """
        return node, self.placeholder(node.target, node.args, {})


class _Rewriting(Tracer):
    """A tracer that writes into a new graph, about the module of the old one."""

    def __init__(self, graph: Graph, root: Module) -> None:
        super().__init__()
        self.graph: Graph = graph
        self.root: Module = root
        self._collect()

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """All are, as they were in the old graph."""
        return True


def map_result(result: Any) -> Argument:
    """A nest with nodes in place of proxies."""
    from garboard.fx.node import map_aggregate

    return map_aggregate(result, lambda it: it.node if isinstance(it, Proxy) else it)
