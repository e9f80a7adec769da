"""What a program does with proxies is written down, node by node, and runs as code again."""

from __future__ import annotations

import math
import operator

import garboard as gb
import pytest
from garboard import fx, nn
from garboard.nn import functional

fx.wrap("len")
fx.wrap("tripled")


def tripled(x):
    return 3 * x if x.sum() > 0 else x


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.layers = nn.Sequential(nn.ReLU(), nn.Linear(3, 2))
        self.scale = nn.Parameter(gb.full((3,), 2.0))
        self.register_buffer("shift", gb.ones(3))

    def forward(self, x, factor: float = 2.0):
        y = self.linear(x) * gb.add(self.scale, self.shift)
        y += functional.relu(-y)
        rows, columns = y.shape
        y = y.view(rows, columns)[:, 0:3]
        return {"out": self.layers(y) * factor, "rows": [rows, (1 - y.sum(),)]}


def partial_sum(offset):
    return lambda x: x + offset


def ops(graph):
    return [(it.op, it.target) for it in graph.nodes]


class TestSymbolicTrace:
    def test_writes_down_what_pytorch_does(self):
        with gb.leaks.no_leaks():
            traced = fx.symbolic_trace(Small())

            assert ops(traced.graph) == [
                ("placeholder", "x"),
                ("placeholder", "factor"),
                ("call_module", "linear"),
                ("get_attr", "scale"),
                ("get_attr", "shift"),
                ("call_function", gb.add),
                ("call_function", operator.mul),
                ("call_function", operator.neg),
                ("call_function", functional.relu),
                ("call_function", operator.add),
                ("call_function", getattr),
                ("call_function", operator.getitem),
                ("call_function", operator.getitem),
                ("call_method", "view"),
                ("call_function", operator.getitem),
                ("call_module", "layers.0"),
                ("call_module", "layers.1"),
                ("call_function", operator.mul),
                ("call_method", "sum"),
                ("call_function", operator.sub),
                ("output", "output"),
            ]
            del traced

    def test_makes_a_module_that_computes_the_same(self):
        with gb.leaks.no_leaks():
            model = Small()
            traced = fx.symbolic_trace(model)
            x = gb.randn(2, 3)

            ours, theirs = traced(x, factor=3.0), model(x, 3.0)

            assert gb.equal(ours["out"], theirs["out"])
            assert ours["rows"][0] == 2
            assert traced.linear is model.linear
            assert traced.scale is model.scale
            del model, traced, ours, theirs, x

    def test_trains_the_parameters_of_its_root(self):
        model = Small()
        traced = fx.symbolic_trace(model)

        traced(gb.ones(1, 3))["out"].sum().backward()

        assert model.linear.weight.grad is not None
        assert set(traced.state_dict()) == set(model.state_dict())

    def test_leaves_modules_as_they_were(self):
        call, read = nn.Module.__call__, nn.Module.__getattribute__

        with pytest.raises(fx.TraceError):
            fx.symbolic_trace(lambda x: x if x else -x)

        assert nn.Module.__call__ is call
        assert nn.Module.__getattribute__ is read
        assert "len" not in globals()

    @pytest.mark.parametrize(
        ("program", "text"),
        [
            (lambda x: 1 if x.sum() > 0 else 2, r"asked whether it is true"),
            (lambda x: list(x), r"is walked over"),
            (lambda x: sum(it for it in x), r"is walked over"),
        ],
    )
    def test_refuses_what_depends_on_values(self, program, text):
        with pytest.raises(fx.TraceError, match=rf"^trace: .*{text}"):
            fx.symbolic_trace(program)

    def test_writes_down_wrapped_functions(self):
        traced = fx.symbolic_trace(lambda x: tripled(x) + len(x))

        assert [it.target for it in traced.graph.find_nodes(op="call_function")] == [
            tripled,
            len,
            operator.add,
        ]
        assert traced(gb.ones(2)).tolist() == [5.0, 5.0]

    def test_writes_down_functions_of_math(self):
        traced = fx.symbolic_trace(lambda x: math.sqrt(x.shape[0]))

        assert traced(gb.ones(4)) == 2.0

    def test_refuses_a_length_that_is_not_wrapped(self):
        proxy = fx.Proxy(fx.Graph().placeholder("x"))

        with pytest.raises(RuntimeError, match=r"^len: the length of x is not known"):
            proxy.__len__()

    def test_takes_arguments_of_all_kinds(self):
        def program(a, *rest, b=2, **named):
            return a + rest[0] * b + named["c"]

        traced = fx.symbolic_trace(program)

        assert traced(1, 3, 10, c=100) == 131  # one by name alone comes before the others

    def test_fixes_arguments(self):
        traced = fx.symbolic_trace(lambda x, f: x + 1 if f else x, concrete_args={"f": True})

        assert traced(gb.zeros(1)).item() == 1.0
        with pytest.raises(AssertionError, match=r"^f was fixed at True"):
            traced(gb.zeros(1), False)
        with pytest.raises(NameError, match=r"concrete_args has 'g'"):
            fx.symbolic_trace(lambda x: x, concrete_args={"g": 1})

    def test_keeps_tensors_as_attributes_of_the_module(self):
        with gb.leaks.no_leaks():
            offset = gb.tensor([1.0, 2.0])
            traced = fx.symbolic_trace(partial_sum(offset))

            assert ops(traced.graph)[1] == ("get_attr", "_tensor_constant0")
            assert traced(gb.zeros(2)).tolist() == [1.0, 2.0]
            assert traced._tensor_constant0 is offset
            del traced, offset

    def test_unpacks_as_many_as_stand_on_the_left(self):
        def program(x):
            a, b, c = x.chunk(3)
            return a + b * c

        assert fx.symbolic_trace(program)(gb.tensor([1.0, 2.0, 3.0])).tolist() == [7.0]

    def test_finds_functions_written_in_python_and_in_c(self):
        def program(x):
            x = gb.cat([x, functional.softmax(x, dim=-1)])
            x = functional.max_pool2d(x, 2)
            return gb.einsum("abcd->a", functional.interpolate(x, scale_factor=2))

        traced = fx.symbolic_trace(program)
        x = gb.randn(1, 2, 4, 4)

        assert gb.equal(traced(x), program(x))
        assert "garboard.nn.functional.max_pool2d(" in traced.code
        assert "garboard.einsum('abcd->a', interpolate)" in traced.code


class TestTracer:
    def test_refuses_a_module_that_is_no_part(self):
        stray = nn.Linear(2, 2)

        with pytest.raises(NameError, match=r"^path_of_module: a Linear"):
            fx.symbolic_trace(lambda x: stray(x))

    def test_asks_a_subclass_which_modules_are_leaves(self):
        class Deep(fx.Tracer):
            def is_leaf_module(self, m, module_qualified_name):
                return False

        graph = Deep().trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))

        assert [it.op for it in graph.nodes].count("call_module") == 0
        assert [it.target for it in graph.find_nodes(op="get_attr")] == ["0.weight", "0.bias"]

    def test_refuses_arguments_that_no_node_can_hold(self):
        tracer = fx.Tracer()

        with pytest.raises(NotImplementedError, match=r"^create_arg: .* of type object"):
            tracer.create_arg(object())

    def test_refuses_proxies_of_two_graphs(self):
        a, b = (fx.Proxy(fx.Graph().placeholder("x")) for _ in range(2))

        with pytest.raises(TypeError, match=r"^trace: proxies of 2 graphs"):
            gb.add(a, b)


@pytest.mark.parametrize("form", [lambda a, b: (a, b), lambda a, b: ([a, b],)])
def test_operands_of_einsum_are_arguments_of_its_node(form):
    class Product(nn.Module):
        def forward(self, a, b):
            return gb.einsum("ij,jk->ik", *form(a, b))

    traced = fx.symbolic_trace(Product())

    (node,) = [it for it in traced.graph.nodes if it.op == "call_function"]
    assert node.target is gb.einsum
    assert [str(it) for it in node.args] == ["ij,jk->ik", "a", "b"]
    assert traced(gb.ones(1, 2), gb.ones(2, 1)).tolist() == [[2]]


def test_what_a_script_makes_is_known_where_tracers_look_for_it():
    from garboard.fx import _symbolic_trace

    assert _symbolic_trace.ScriptObject is gb._C.ScriptObject
