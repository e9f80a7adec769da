"""Graphs are read and changed, and the code that is written of them can be nothing else."""

from __future__ import annotations

import operator

import garboard as gb
import pytest
from garboard import fx, nn
from garboard.fx.immutable_collections import immutable_list


def line():
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_function(gb.relu, (x,))
    z = graph.call_function(operator.add, (y, 1))
    out = graph.output(z)
    return graph, x, y, z, out


class TestNodes:
    def test_know_who_uses_them(self):
        _graph, x, y, z, out = line()

        assert (list(x.users), list(y.users), z.all_input_nodes) == ([y], [z], [y])
        assert (x.next, out.prev, x < out) == (y, z, True)

    def test_forget_who_no_longer_does(self):
        _, x, y, z, _ = line()

        z.args = (x, 1)

        assert list(y.users) == []
        assert list(x.users) == [y, z]

    def test_change_all_or_nothing(self):
        _, x, y, z, _ = line()
        other = fx.Graph().placeholder("x")

        with pytest.raises(TypeError, match=r"^Node: x is of another graph"):
            z.args = (x, other)

        assert z.args == (y, 1)
        assert list(y.users) == [z]

    def test_hold_no_tensor(self):
        _, _x, _, z, _ = line()

        with pytest.raises(TypeError, match=r"^Node: a tensor is an argument"):
            z.args = (gb.ones(1),)

    def test_hold_lists_that_refuse_to_be_written(self):
        graph, x, *_ = line()
        node = graph.call_function(gb.cat, ([x, x],))

        assert type(node.args[0]) is immutable_list
        with pytest.raises(NotImplementedError, match=r"^immutable_list\.append: "):
            node.args[0].append(x)

    def test_refuse_a_nest_that_holds_itself(self):
        graph, *_ = line()
        cycle = []
        cycle.append(cycle)

        with pytest.raises(ValueError, match=r"a list holds itself"):
            graph.call_function(gb.cat, (cycle,))
        assert len(graph.nodes) == 4


class TestGraphs:
    def test_insert_where_they_are_told(self):
        graph, x, y, _, _ = line()

        with graph.inserting_before(y):
            before = graph.call_function(gb.neg, (x,))
        with graph.inserting_after(y):
            after = graph.call_function(gb.neg, (y,))

        assert [it.name for it in graph.nodes] == ["x", "neg", "relu", "neg_1", "add", "output"]
        assert (before.next, after.prev) == (y, y)

    def test_erase_what_nobody_uses_alone(self):
        graph, x, y, _, _ = line()

        with pytest.raises(RuntimeError, match=r"^erase_node: relu is used by \[add\]"):
            graph.erase_node(y)
        y.replace_all_uses_with(x)
        graph.erase_node(y)

        assert [it.name for it in graph.nodes] == ["x", "add", "output"]

    def test_can_be_changed_while_they_are_walked(self):
        graph, *_ = line()

        for node in graph.nodes:
            if node.target is gb.relu:
                with graph.inserting_after(node):
                    new = graph.call_function(gb.tanh, node.args)
                node.replace_all_uses_with(new)
                graph.erase_node(node)

        graph.lint()
        assert fx.GraphModule({}, graph)(gb.zeros(1)).item() == 1.0

    def test_drop_dead_code_and_keep_what_writes(self):
        graph, x, _, _, out = line()
        with graph.inserting_before(out):
            graph.call_function(gb.exp, (x,))
            graph.call_method("add_", (x, 1))

        assert graph.eliminate_dead_code()

        assert [it.name for it in graph.nodes] == ["x", "relu", "add", "add_", "output"]

    def test_find_a_node_that_is_used_too_early(self):
        graph, x, y, z, _ = line()

        x.append(z)

        with pytest.raises(RuntimeError, match=r"^lint: relu is used by add before it is made"):
            graph.lint()
        assert list(graph.nodes)[1:3] == [z, y]

    def test_are_copied_into_others(self):
        graph, *_ = line()
        other = fx.Graph()
        x = other.placeholder("x")

        result = other.graph_copy(graph, {next(iter(graph.nodes)): x})
        other.output(result)

        assert fx.GraphModule({}, other)(gb.zeros(1)).item() == 1.0

    def test_are_printed_as_pytorch_prints_them(self):
        graph, *_ = line()

        assert str(graph) == (
            "graph():\n"
            "    %x : [num_users=1] = placeholder[target=x]\n"
            "    %relu : [num_users=1] = call_function[target=garboard.relu](args = (%x,), "
            "kwargs = {})\n"
            "    %add : [num_users=1] = call_function[target=operator.add](args = (%relu, 1), "
            "kwargs = {})\n"
            "    return add"
        )


INJECTION = "x): return 1\n#"


class TestCode:
    def test_holds_no_code_of_a_name(self):
        graph = fx.Graph()
        graph.output(graph.placeholder(INJECTION))

        with pytest.raises(ValueError, match=r"^python_code: a placeholder is named"):
            graph.python_code("self")

    def test_holds_no_code_of_an_argument(self):
        graph = fx.Graph()
        x = graph.placeholder("x")
        graph.output(graph.call_function(gb.add, (x,), {"other=1); y = (2": 1}))

        with pytest.raises(ValueError, match=r"^python_code: an argument is named"):
            graph.python_code("self")

    def test_holds_no_code_of_a_node(self):
        graph, _, y, _, _ = line()
        y.name = "import os"

        with pytest.raises(ValueError, match=r"^python_code: a node is named 'import os'"):
            graph.python_code("self")

    def test_holds_paths_and_strings_as_data(self):
        graph = fx.Graph()
        x = graph.placeholder("x")
        graph.output(graph.call_method("); boom(", (x, "'); boom('")))

        code = graph.python_code("self").src

        assert "getattr(x, '); boom(')(\"'); boom('\")" in code

    def test_calls_methods_of_numbers(self):
        graph = fx.Graph()
        graph.output(graph.call_method("bit_length", (5,)))

        assert fx.GraphModule({}, graph)() == 3

    def test_finds_things_of_other_types_as_globals(self):
        class Loud(str):
            def __repr__(self):
                return "boom()"

        graph = fx.Graph()
        graph.output((Loud("a"), 1.5, float("inf"), slice(None, 2)))

        module = fx.GraphModule({}, graph)

        assert module() == ("a", 1.5, float("inf"), slice(None, 2))
        assert "boom" not in module.code

    def test_lets_go_of_results_as_early_as_the_program(self):
        with gb.leaks.no_leaks():
            traced = fx.symbolic_trace(lambda x: gb.relu(gb.relu(gb.relu(x))))

            assert "relu_1 = garboard.relu(relu);  relu = None" in traced.code
            del traced


class TestWhatIsNoGraphNorNode:
    @pytest.mark.parametrize(
        ("call", "error", "match"),
        [
            (lambda: fx.Interpreter(nn.Linear(1, 1)), TypeError, "Interpreter: module is of type"),
            (lambda: fx.Interpreter(nn.ReLU(), graph="x"), TypeError, "Interpreter: graph is of"),
            (lambda: fx.Graph().output_node(), gb.GarboardError, "output_node: the graph has no"),
            (lambda: fx.Graph().graph_copy(2, {}), TypeError, "graph_copy: g is of type int"),
            (lambda: fx.Graph().erase_node(2), TypeError, "erase_node: to_erase is of type int"),
            (lambda: fx.Graph().inserting_after(2), TypeError, "inserting: n is of type int"),
            (lambda: fx.Graph().node_copy("x"), TypeError, "node_copy: node is of type str"),
            (lambda: fx.Graph().python_code(1), TypeError, "python_code: root_module is of type"),
            (lambda: fx.proxy.TracerBase().to_bool(1), TypeError, "to_bool: obj is of type int"),
            (lambda: fx.proxy.Attribute([], "x"), TypeError, "Attribute: root is of type list"),
            (lambda: fx.proxy.GraphAppendingTracer(5), TypeError, "graph is of type int"),
            (lambda: fx.Tracer().path_of_module("0"), TypeError, "path_of_module: mod is of type"),
            (
                lambda: fx.Tracer().path_of_module(nn.ReLU()),
                NameError,
                "a ReLU is called and is no",
            ),
            (lambda: fx.node.has_side_effect(gb.ones(1)), TypeError, "has_side_effect: fn is of"),
            (lambda: fx.wrap(gb.nn.Linear(1, 1)), TypeError, "wrap: a Linear without a name"),
        ],
    )
    def test_is_refused_in_words(self, call, error, match):
        with pytest.raises(error, match=match):
            call()

    def test_a_path_that_is_not_there_is_an_attribute_error(self):
        runner = fx.Interpreter(fx.symbolic_trace(nn.Sequential(nn.ReLU())))

        with pytest.raises(AttributeError, match=r"fetch_attr: .* has nothing at '0.weight'"):
            runner.fetch_attr("0.weight")


@pytest.mark.parametrize("given", ["float32", fx.CodeGen, None, 3], ids=str)
def test_what_is_no_codegen_writes_no_code(given):
    graph = fx.Graph()

    with pytest.raises(TypeError, match=r"^set_codegen: codegen is of type .*; a CodeGen"):
        graph.set_codegen(given)

    assert graph.process_inputs(2) == (2,)


def test_nodes_are_ordered_among_nodes_alone():
    graph = fx.Graph()
    first, second = graph.placeholder("x"), graph.placeholder("y")

    assert first < second
    assert second > first
    for compare in (operator.lt, operator.gt):
        with pytest.raises(TypeError, match="not supported between instances of 'Node' and 'int'"):
            compare(first, 3)
