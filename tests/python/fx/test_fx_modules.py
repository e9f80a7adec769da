"""Modules made of graphs, interpreters of them, and passes that rewrite them."""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import traceback

import garboard as gb
import pytest
from garboard import fx, nn
from garboard.fx.experimental.optimization import fuse, remove_dropout
from garboard.fx.passes.shape_prop import ShapeProp


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return gb.relu(self.drop(self.norm(self.conv(x))))


class TestGraphModules:
    def test_run_what_the_graph_says_after_a_change(self):
        traced = fx.symbolic_trace(lambda x, y: gb.add(x, y))

        for node in traced.graph.nodes:
            if node.target is gb.add:
                node.target = gb.mul
        traced.recompile()

        assert traced(gb.tensor(3.0), gb.tensor(4.0)).item() == 12.0

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
    def test_are_copied_with_tensors_of_their_own(self, copied):
        with gb.leaks.no_leaks():
            traced = fx.symbolic_trace(Block()).eval()
            other = copied(traced)
            x = gb.randn(1, 1, 4, 4)

            assert gb.equal(other(x), traced(x))
            assert other.conv.weight is not traced.conv.weight
            assert other.graph is not traced.graph
            assert (type(other).__name__, other.training) == ("Block", False)
            del traced, other, x

    def test_die_with_their_last_owner(self):
        with gb.leaks.no_leaks():
            traced = fx.symbolic_trace(Block())
            graph = traced.graph
            del traced
            gc.collect()

            assert graph.owning_module is None

    def test_give_lines_of_their_code_to_tracebacks(self):
        traced = fx.symbolic_trace(lambda x: x @ x)

        with pytest.raises(gb.ShapeError) as caught:
            traced(gb.ones(2, 3))

        assert "matmul = x @ x" in "".join(traceback.format_exception(caught.value))

    def test_take_what_they_need_of_a_dict(self):
        graph = fx.Graph()
        x = graph.placeholder("x")
        graph.output(graph.call_module("a.b", (x,)))

        assert fx.GraphModule({"a.b": nn.ReLU()}, graph)(gb.tensor(-1.0)).item() == 0.0
        with pytest.raises(RuntimeError, match=r"^GraphModule: the graph names 'a\.b'"):
            fx.GraphModule({}, graph)

    def test_are_traced_again(self):
        twice = fx.symbolic_trace(fx.symbolic_trace(lambda x: gb.relu(x) + 1))

        assert twice(gb.tensor(-1.0)).item() == 1.0


class TestInterpreters:
    def test_run_each_node_once_and_keep_nothing(self):
        with gb.leaks.no_leaks():
            traced, seen = fx.symbolic_trace(Block()).eval(), []

            class Telling(fx.Interpreter):
                def run_node(self, n):
                    seen.append(n.name)
                    return super().run_node(n)

            telling, x = Telling(traced), gb.randn(1, 1, 4, 4)

            assert gb.equal(telling.run(x), traced(x))
            assert seen == [it.name for it in traced.graph.nodes]
            assert telling.env == {}
            del telling, traced, x, Telling

    def test_say_at_which_node_an_error_came_up(self):
        traced = fx.symbolic_trace(lambda x: x @ x)

        with pytest.raises(gb.ShapeError) as caught:
            fx.Interpreter(traced).run(gb.ones(2, 3))

        assert caught.value.__notes__[0].startswith("While executing %matmul")

    def test_ask_for_all_arguments(self):
        with pytest.raises(RuntimeError, match=r"^run: nothing is given for 'y'"):
            fx.Interpreter(fx.symbolic_trace(lambda x, y: x + y)).run(1)

    def test_transform_one_op_into_another(self):
        class Sigmoids(fx.Transformer):
            def call_function(self, target, args, kwargs):
                target = gb.sigmoid if target is gb.relu else target
                return super().call_function(target, args, kwargs)

        traced = fx.symbolic_trace(Block()).eval()
        x = gb.randn(1, 1, 4, 4)

        other = Sigmoids(traced).transform().eval()

        assert gb.equal(other(x), gb.sigmoid(traced.norm(traced.conv(x))))
        assert other.conv is traced.conv

    def test_write_shapes_down(self):
        traced = fx.symbolic_trace(Block()).eval()

        ShapeProp(traced).propagate(gb.ones(1, 1, 4, 4))

        shapes = {it.name: tuple(it.meta["tensor_meta"].shape) for it in traced.graph.nodes}
        assert shapes["conv"] == (1, 2, 2, 2)


class TestRewriting:
    def test_replaces_every_place(self):
        traced = fx.symbolic_trace(lambda x, w: gb.relu(x + w) * gb.relu(w + x))

        found = fx.replace_pattern(
            traced, lambda a, b: gb.relu(a + b), lambda a, b: gb.sigmoid(a - b)
        )

        x, w = gb.tensor(3.0), gb.tensor(1.0)
        assert len(found) == 2
        assert gb.equal(traced(x, w), gb.sigmoid(x - w) * gb.sigmoid(w - x))

    def test_replaces_a_chain_of_places(self):
        traced = fx.symbolic_trace(lambda x: gb.relu(gb.relu(gb.relu(x))))

        assert len(fx.replace_pattern(traced, lambda x: gb.relu(x), lambda x: gb.neg(x))) == 3
        assert traced(gb.tensor(2.0)).item() == -2.0

    def test_leaves_what_is_used_outside(self):
        def program(x):
            y = x + 1
            return gb.relu(y) * y

        traced = fx.symbolic_trace(program)

        assert fx.replace_pattern(traced, lambda x: gb.relu(x + 1), lambda x: x) == []

    def test_refuses_a_replacement_of_other_inputs_and_what_has_no_graph(self):
        with pytest.raises(TypeError, match=r"^replace_pattern: gm is of type Linear"):
            fx.replace_pattern(gb.nn.Linear(1, 1), lambda x: x + 1, lambda x: x)
        with pytest.raises(ValueError, match=r"^replace_pattern: the pattern has 1 inputs"):
            fx.replace_pattern(
                fx.symbolic_trace(lambda x: -x), lambda x: -x, lambda x, y: operator.add(x, y)
            )

    def test_fuses_norms_into_convolutions(self):
        with gb.leaks.no_leaks():
            model = Block().eval()
            model.norm.running_mean.add_(0.5)
            fused, x = fuse(model), gb.randn(2, 1, 5, 5)

            gb.testing.assert_close(fused(x), model(x))
            assert "norm" not in dict(fused.named_modules())
            del fused, model, x

    def test_fuses_no_list_and_begins_no_function_of_a_dict(self):
        with pytest.raises(TypeError, match="fuse: model is of type list; a Module is needed"):
            fuse([nn.Linear(1, 1)])
        with pytest.raises(TypeError, match=r"gen_fn_def: item 0 of free_vars is of type int"):
            fx.CodeGen().gen_fn_def({0: 1}, "")

    def test_removes_dropouts(self):
        assert "drop" not in remove_dropout(Block()).code


def test_parts_are_put_and_taken_by_paths_that_are_texts():
    traced = fx.symbolic_trace(nn.Sequential(nn.ReLU()))

    for given in (traced, 3, None):
        with pytest.raises(TypeError, match=r"^delete_submodule: target is of type"):
            traced.delete_submodule(given)
        with pytest.raises(TypeError, match=r"^add_submodule: target is of type"):
            traced.add_submodule(given, nn.ReLU())
    with pytest.raises(TypeError, match=r"^add_submodule: m is of type int"):
        traced.add_submodule("made.part", 3)

    assert not hasattr(traced, "made")
    assert traced.add_submodule("made.part", nn.ReLU())
    assert traced.delete_submodule("made.part")


def test_code_that_wraps_the_forward_of_a_class_follows_a_changed_graph():
    traced = gb.fx.symbolic_trace(nn.Sequential(nn.ReLU()))
    inside = traced.forward
    assert "GraphModuleImpl" in str(type(traced))
    type(traced).forward = lambda self, x: inside(x) + 1
    assert traced(gb.tensor([-1.0])).tolist() == [1.0]

    for node in traced.graph.nodes:
        if node.op == "call_module":
            node.op, node.target = "call_function", gb.neg
    traced.recompile()

    assert traced(gb.tensor([-1.0])).tolist() == [1.0]
    assert traced(gb.tensor([-3.0])).tolist() == [3.0]
