"""Names that PyTorch's programs use now and then."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field

import garboard as gb
import pytest
from garboard.utils import _pytree as pytree

pytestmark = pytest.mark.no_leaks


def test_leaves_of_a_nest_have_paths():
    pair = namedtuple("pair", "a b")
    tree = {"x": [1, (2, 3)], "y": pair(4, OrderedDict(z=5)), "w": defaultdict(list, k=[6])}

    pairs, spec = pytree.tree_flatten_with_path(tree)

    assert [(pytree.keystr(path), leaf) for path, leaf in pairs] == [
        ("['x'][0]", 1),
        ("['x'][1][0]", 2),
        ("['x'][1][1]", 3),
        ("['y'].a", 4),
        ("['y'].b['z']", 5),
        ("['w']['k'][0]", 6),
    ]
    assert pytree.tree_unflatten([leaf for _, leaf in pairs], spec) == tree
    assert pytree.tree_map_with_path(
        lambda path, a, b: (len(path), a + b), [1, [2]], [10, [20]]
    ) == [
        (1, 11),
        [(2, 22)],
    ]


def test_a_truth_chooses_a_function():
    x = gb.ones(1)

    assert gb.cond(gb.tensor(True), lambda x: x + 1, lambda x: x - 1, (x,)).tolist() == [2]
    assert gb.cond(False, lambda x: x + 1, lambda x: x - 1, [x]).tolist() == [0]
    with pytest.raises(TypeError, match="operands"):
        gb.cond(True, len, len, x)


def test_what_warnings_are_asked_for_is_heard():
    gb.set_warn_always(True)
    assert gb.is_warn_always_enabled()

    gb.set_warn_always(False)
    assert not gb.is_warn_always_enabled()


def test_numbers_of_compilers_are_pythons():
    assert [gb.sym_int(2.5), gb.sym_float(2), gb.sym_max(1, 2), gb.sym_min(1, 2)] == [2, 2.0, 2, 1]
    assert gb.sym_not(False)
    assert gb.sym_sum([1, 2]) == 3


def test_some_eigenvalues_are_returned():
    a = gb.diag(gb.tensor([1.0, 5.0, 3.0]))

    values, vectors = gb.lobpcg(a, k=2)
    least, _ = gb.lobpcg(a.to_sparse(), k=1, largest=False)
    general, x = gb.lobpcg(a, k=1, B=2 * gb.eye(3))

    assert values.tolist() == [5, 3]
    assert gb.allclose(a @ vectors, vectors * values)
    assert least.tolist() == [1]
    assert gb.allclose(a @ x, 2 * x * general)
    with pytest.raises(gb.ShapeError, match="4 eigenvalues"):
        gb.lobpcg(a, k=4)


def test_results_of_several_print_by_the_functions_name():
    x = gb.tensor([[2.0, 1.0]])

    assert (
        repr(x.max(1)) == "garboard.return_types.max(\nvalues=tensor([2.]),\nindices=tensor([0]))"
    )
    assert repr(gb.sort(x)).startswith("garboard.return_types.sort(\nvalues=tensor([[1., 2.]]),\n")
    assert repr(gb.topk(x, 1)).startswith("garboard.return_types.topk(\n")
    assert repr(gb.linalg.qr(gb.eye(1))) == (
        "garboard.return_types.linalg_qr(\nQ=tensor([[1.]]),\nR=tensor([[1.]]))"
    )
    values, indices = x.max(1)
    assert (len(x.max(1)), values.item(), indices.item()) == (2, 2, 0)
    assert "values=tensor([2.])" in repr(type(x.max(1))((values, indices)))


def test_sizes_and_results_of_two_are_nests():
    found = gb.tensor([3.0, 1.0]).sort()

    leaves, spec = pytree.tree_flatten({"sorted": found, "sizes": gb.Size((2, 3))})

    assert [type(it) for it in leaves] == [gb.Tensor, gb.Tensor, int, int]
    made = pytree.tree_unflatten(leaves, spec)
    assert type(made["sorted"]) is type(found)
    assert made["sorted"].indices.tolist() == [1, 0]
    assert type(made["sizes"]) is gb.Size
    assert pytree.tree_map(str, gb.Size((2,))) == ("2",)


def test_handles_on_one_tensor_share_a_number():
    x, y = gb.ones(1), gb.ones(1)

    assert x._cdata == x.requires_grad_()._cdata == x.view(1)._base._cdata
    assert x._cdata != y._cdata


@dataclass
class Pair:
    first: object
    second: object = None
    note: str = field(default="", compare=False)


class Bare:
    def __init__(self, x: object) -> None:
        self.x = x


@dataclass(frozen=True)
class Norm:
    kind: str


@pytest.fixture
def known():
    before = dict(pytree.SUPPORTED_NODES)
    yield
    for kind in pytree.SUPPORTED_NODES.keys() - before.keys():
        del pytree.SUPPORTED_NODES[kind]
        pytree.CONSTANT_NODES.discard(kind)


def test_fields_of_a_dataclass_are_parts_of_a_nest(known):
    pytree.register_dataclass(Pair, drop_field_names=["note"])
    pytree.register_dataclass(Bare, field_names=["x"])
    nest = {"a": Pair(1, [2]), "b": Bare(3)}

    found = pytree.tree_map(lambda it: it * 10, nest)

    assert (found["a"], found["b"].x) == (Pair(10, [20]), 30)
    paths = [(pytree.keystr(path), it) for path, it in pytree.tree_leaves_with_path(nest)]
    assert paths == [("['a'].first", 1), ("['a'].second[0]", 2), ("['b'].x", 3)]
    assert pytree.tree_leaves(Pair(1)) == [1]
    assert pytree.tree_map(str, Pair(1)) == Pair("1")


def test_fields_that_a_class_has_not_are_refused():
    with pytest.raises(ValueError, match="Bare is no dataclass; field_names is needed"):
        pytree.register_dataclass(Bare)
    with pytest.raises(ValueError, match=r"field_names \['first'\] of Pair, which is made of"):
        pytree.register_dataclass(Pair, field_names=["first"])


def test_a_constant_has_no_leaves(known):
    pytree.register_constant(Norm)

    leaves, spec = pytree.tree_flatten([Norm("l2"), 1])

    assert leaves == [1]
    assert pytree.tree_unflatten([2], spec) == [Norm("l2"), 2]
    assert pytree.is_constant_class(Norm)
    with pytest.raises(TypeError, match="Bare has no __eq__; one of its own is needed"):
        pytree.register_constant(Bare)
    with pytest.raises(TypeError, match="Pair has no __hash__"):
        pytree.register_constant(Pair)


def test_a_function_is_called_with_the_leaves_of_a_type():
    seen: list[int] = []
    nest = [1, "a", {"b": 2}]

    assert pytree.tree_map_only_(int, seen.append, nest) is nest
    assert seen == [1, 2]


def test_a_check_of_gradients_that_fails_has_an_error_of_its_own():
    from garboard.autograd.gradcheck import GradcheckError

    class Wrong(gb.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    x = gb.ones(2, dtype=gb.float64, requires_grad=True)
    for fast in (False, True):
        with pytest.raises(GradcheckError, match="gradcheck: "):
            gb.autograd.gradcheck(Wrong.apply, x, fast_mode=fast)
    assert issubclass(GradcheckError, gb.GradientError)
    assert issubclass(GradcheckError, RuntimeError)
    assert gb.autograd.GradcheckError is GradcheckError


def test_threads_of_backward_are_asked_for_in_a_block_for_a_function_or_at_once():
    asked, told = gb.autograd.is_multithreading_enabled, gb.autograd.set_multithreading_enabled

    with told(False):
        assert not asked()
        with told(True):
            assert asked()
        assert not asked()
    assert asked()
    assert not told(False)(asked)()
    assert asked()
    before = told(False)
    assert not asked()
    told(before.prev)
    assert asked()
    assert gb.autograd.grad_mode.set_multithreading_enabled is told
    with pytest.raises(TypeError, match="mode"):
        told("no")


def test_a_threshold_of_whole_numbers_is_one_itself():
    threshold = gb.nn.functional.threshold

    assert threshold(gb.tensor([16777217, -1]), 16777216.5, 5.9).tolist() == [16777217, 5]
    assert threshold(gb.tensor([-1, 0]), -1.5, 7).tolist() == [7, 0]
    with pytest.raises(gb.DTypeError, match="threshold: inf"):
        threshold(gb.tensor([1]), float("inf"), 0)


def test_the_older_profiler_takes_and_tells_what_pytorchs_does():
    with gb.autograd.profiler.profile(use_kineto=True, use_cpu=True) as profile:
        assert profile.function_events is None
        gb.ones(2) + 1

    assert [event.name for event in profile.function_events] == ["ones", "add"]
    assert profile.self_cpu_time_total > 0
    assert "add" in profile.table(sort_by="self_cpu_time_total", row_limit=1) or "ones" in str(
        profile
    )
