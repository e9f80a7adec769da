"""What callers give in bulk: what has no end, or lies about its length, ends at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import garboard as gb
import pytest
from garboard import nn, optim
from garboard.utils import data

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

ENDLESS = 2**62


class Repeating(Mapping[str, Any]):
    """A mapping that lies about its length, and gives one key without an end."""

    def __init__(self, key: Any, value: Any) -> None:
        self.key, self.value = key, value

    def __len__(self) -> int:
        return ENDLESS

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(self.key)

    def __getitem__(self, key: Any) -> Any:
        return self.value


class LyingList(list):
    """A list that iterates without an end, and lies about its length."""

    def __len__(self) -> int:
        return ENDLESS

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(self[0])


class LyingSequence:
    """No list, although it can be read by place, without an end."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, place: int) -> Any:
        return 1.0


def ones() -> gb.Tensor:
    return gb.ones(3, requires_grad=True)


def adam() -> optim.Adam:
    return optim.Adam([ones()])


# What is called, with what, the error's type, and what its message says.
REFUSED: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    (
        "a range as a state dict",
        lambda: nn.Linear(3, 3).load_state_dict(range(ENDLESS)),
        TypeError,
        r"Linear\.load_state_dict: state_dict is of type range; a dict of Tensors is needed",
    ),
    (
        "an iterator as a state dict",
        lambda: nn.Linear(3, 3).load_state_dict(itertools.repeat("weight")),
        TypeError,
        "state_dict is of type repeat",
    ),
    (
        "a state dict without an end",
        lambda: nn.Linear(3, 3).load_state_dict(Repeating("weight", gb.ones(3, 3))),
        ValueError,
        "gives the key 'weight' twice",
    ),
    (
        "a state dict of numbers",
        lambda: nn.Linear(3, 3).load_state_dict({1: gb.ones(3)}),
        TypeError,
        "a key of state_dict is of type int",
    ),
    ("parameters that are numbers", lambda: optim.SGD(range(ENDLESS)), TypeError, "type int"),
    (
        "one parameter without an end",
        lambda: optim.SGD(itertools.repeat(ones())),
        ValueError,
        "SGD: item 65537 of params came before, as 65536 others, out of a repeat, which may have",
    ),
    (
        "parameters of no list",
        lambda: optim.Adam(LyingSequence()),
        TypeError,
        "Adam: params is of type LyingSequence; a list of Tensors",
    ),
    (
        "a group's parameters without an end",
        lambda: optim.Adam([{"params": itertools.repeat(ones())}]),
        ValueError,
        "item 65537 of params came before",
    ),
    (
        "a group without an end",
        lambda: adam().add_param_group(Repeating("params", [ones()])),
        ValueError,
        "a group gives the key 'params' twice",
    ),
    (
        "a group without parameters",
        lambda: optim.SGD([{"lr": 0.1}]),
        ValueError,
        "SGD: a group without params",
    ),
    (
        "a range as an optimizer's state dict",
        lambda: adam().load_state_dict(range(ENDLESS)),
        TypeError,
        r"Adam\.load_state_dict: state_dict is of type range",
    ),
    (
        "a range as parameter groups",
        lambda: adam().load_state_dict({"state": {}, "param_groups": range(ENDLESS)}),
        TypeError,
        "param_groups is of type range",
    ),
    (
        "a range as a group's numbers",
        lambda: adam().load_state_dict({"state": {}, "param_groups": [{"params": range(ENDLESS)}]}),
        TypeError,
        "params is of type range; a list or tuple of numbers",
    ),
    (
        "a list as an optimizer's state",
        lambda: adam().load_state_dict({"state": [], "param_groups": []}),
        TypeError,
        "state is of type list",
    ),
    (
        "half an optimizer's state dict",
        lambda: adam().load_state_dict({"state": {}}),
        ValueError,
        r"keys \['state'\]; \['param_groups'\] are missing",
    ),
    (
        "an entry without an end",
        lambda: adam().load_state_dict(
            {"state": {0: Repeating("exp_avg", ones())}, "param_groups": [{"params": [0]}]}
        ),
        ValueError,
        "state gives the key 'exp_avg' twice",
    ),
    (
        "an entry that is no tensor",
        lambda: adam().load_state_dict(
            {"state": {0: {"exp_avg": 1.0}}, "param_groups": [{"params": [0]}]}
        ),
        TypeError,
        "exp_avg is of type float; a Tensor is needed",
    ),
    (
        "a parameter list that became a range",
        lambda: step_with_params(range(ENDLESS)),
        TypeError,
        "range",
    ),
    (
        "outputs without an end",
        lambda: gb.autograd.backward(itertools.repeat(ones())),
        ValueError,
        "backward: item 65537 of tensors came before",
    ),
    (
        "outputs that are numbers",
        lambda: gb.autograd.grad(range(ENDLESS), ones()),
        TypeError,
        "grad: item 0 of outputs is of type int",
    ),
    (
        "inputs that are numbers",
        lambda: gb.autograd.grad(ones().sum(), itertools.count()),
        TypeError,
        "grad: item 0 of inputs is of type int",
    ),
    (
        "gradients without an end",
        lambda: gb.autograd.backward([ones().sum()], itertools.repeat(None)),
        gb.GradientError,
        "backward: 1 outputs, and more grad_tensors; one each is needed",
    ),
    (
        "too few gradients",
        lambda: gb.autograd.backward([ones().sum()], []),
        gb.GradientError,
        "fewer grad_tensors",
    ),
    (
        "modules that are numbers",
        lambda: nn.ModuleList(range(ENDLESS)),
        TypeError,
        r"ModuleList\.extend: item 0 of modules is of type int",
    ),
    (
        "one module without an end",
        lambda: nn.ModuleList().extend(itertools.repeat(nn.ReLU())),
        ValueError,
        "item 65537 of modules came before",
    ),
    (
        "modules by name without an end",
        lambda: nn.Sequential(Repeating("relu", nn.ReLU())),
        ValueError,
        "Sequential: argument 0 gives the key 'relu' twice",
    ),
    (
        "sizes without an end",
        lambda: nn.LayerNorm(itertools.count()),
        TypeError,
        "LayerNorm: normalized_shape is of type count",
    ),
    (
        "lengths that are a range",
        lambda: data.random_split([], range(ENDLESS)),
        TypeError,
        "random_split: lengths is of type range; a list or tuple of numbers",
    ),
    (
        "lengths that are text",
        lambda: data.random_split([1], ["1"]),
        TypeError,
        "item 0 of lengths is of type str",
    ),
    (
        "lengths that are infinite",
        lambda: data.random_split([1, 2], [float("inf"), 1]),
        ValueError,
        "random_split: lengths",
    ),
    (
        "indices without a length",
        lambda: data.Subset([], itertools.count()),
        TypeError,
        "Subset: indices is of type count; a list of numbers is needed",
    ),
    (
        "a dataset without a length",
        lambda: data.DataLoader(itertools.count()),
        TypeError,
        "DataLoader: dataset is of type count",
    ),
    (
        "a batch size that is none",
        lambda: data.DataLoader([1], batch_size=2.5),
        TypeError,
        "DataLoader: batch_size is of type float; an int, or None, is needed",
    ),
    (
        "a range as samples",
        lambda: data.default_collate(range(ENDLESS)),
        TypeError,
        "default_collate: batch is of type range",
    ),
    (
        "a sample without an end",
        lambda: data.default_collate([Repeating("x", 1)]),
        ValueError,
        "gives the key 'x' twice",
    ),
    ("no samples", lambda: data.default_collate([]), ValueError, "default_collate: no samples"),
    ("ranges as columns", lambda: data.TensorDataset(range(ENDLESS)), TypeError, "type range"),
    ("a range as a tensor", lambda: gb.tensor(range(ENDLESS)), gb.ShapeError, r"2\^63 bytes"),
    ("a range to join", lambda: gb.cat(range(ENDLESS)), TypeError, "cat: tensors is of type range"),
    ("a sequence to stack", lambda: gb.stack(LyingSequence()), TypeError, "type LyingSequence"),
    ("a range as sizes", lambda: gb.zeros(range(ENDLESS)), TypeError, "type range"),
    (
        "a range as a suite's name",
        lambda: gb.leaks.watch().report().to_junit(range(ENDLESS)),
        TypeError,
        "to_junit: name is of type range; a string is needed",
    ),
]


def step_with_params(params: Any) -> None:
    optimizer = adam()
    optimizer.param_groups[0]["params"] = params
    optimizer.step()


@pytest.mark.parametrize(
    ("call", "error", "message"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED]
)
def test_it_is_refused_at_once(call, error, message):
    with pytest.raises(error, match=message):
        call()


class TestALyingList:
    def test_is_what_it_holds(self):
        x = gb.ones(2, 3)

        assert gb.zeros(LyingList([2, 3])).shape == (2, 3)
        assert x.sum(LyingList([0])).shape == (3,)
        assert gb.cat(LyingList([x, x])).shape == (4, 3)
        assert gb.tensor(LyingList([1, 2])).tolist() == [1, 2]
        assert nn.LayerNorm(LyingList([3])).normalized_shape == (3,)
        assert len(nn.ModuleList(LyingList([nn.ReLU(), nn.ReLU()]))) == 2
        assert len(optim.SGD(LyingList([ones(), ones()])).param_groups[0]["params"]) == 2

    def test_moves_what_it_holds_out_of_a_scope(self):
        @gb.dispose_scope()
        def run() -> LyingList:
            return LyingList([gb.ones(1), gb.ones(1)])

        held = run()

        assert not list.__getitem__(held, 1).is_disposed


class Shrinking:
    """A number whose reading changes the list it stands in."""

    def __init__(self, change: Callable[[], None]) -> None:
        self.change = change

    def __index__(self) -> int:
        self.change()
        return 1


@pytest.mark.parametrize("change", ["clear", "grow", "nest"])
def test_a_list_that_changes_while_it_is_read_is_refused(change):
    numbers: list[Any] = []
    act = {
        "clear": numbers.clear,
        "grow": lambda: numbers.extend([2] * 100),
        "nest": lambda: numbers.__setitem__(1, [1]),
    }[change]
    numbers += [Shrinking(act), 2, 3]

    with pytest.raises(gb.ShapeError, match="changed while it was read"):
        gb.tensor(numbers, dtype=gb.int64)


def test_what_a_number_raises_passes_through():
    class Raising:
        def __float__(self) -> float:
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        gb.tensor([Raising()])


def test_generators_of_distinct_things_are_lists():
    model = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    optimizer = optim.SGD(model.parameters())
    x = gb.ones(2)
    loss = sum(layer(x).sum() for layer in model)

    gradients = gb.autograd.grad(loss, model.parameters(), (None for _ in range(1)))

    assert len(optimizer.param_groups[0]["params"]) == len(gradients) == 6


def test_a_container_is_a_list_of_its_modules():
    shared = nn.ReLU()
    first = nn.ModuleList([shared, shared])

    assert len(nn.ModuleList(first)) == 2
    assert len(first.extend(first)) == 4
