"""What the engine does when an allocation fails: each op, layer and optimizer, at each place."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import garboard as gb
import pytest
from garboard import memory, nn, optim
from garboard.memory import fail_every_allocation
from garboard.utils.data import DataLoader, TensorDataset

from tests.python.ops.op_table import ROWS, Row

DIFFERENTIABLE = [row for row in ROWS if row.gradient_order > 0]
IN_PLACE = [row for row in ROWS if row.has_in_place]
SLOPING_IN_PLACE = [row for row in IN_PLACE if row.gradient_order and "float64" in row.dtypes]
WITH_OUT = [row for row in ROWS if row.takes_out]


def each(rows: list[Row]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=attrgetter("name"))


def first(result: Any) -> gb.Tensor:
    return result[0] if isinstance(result, tuple) else result


class TestEveryOp:
    @each(ROWS)
    def test_survives(self, row):
        arrays = row.inputs(row.dtypes[0])

        fail_every_allocation(lambda: row.call(*arrays, case=row.cases[0]))

    @each([row for row in ROWS if {"int32", "float64"} <= set(row.dtypes)])
    def test_survives_converting_its_inputs(self, row):
        inputs = row.inputs("int32")
        if inputs[-1].dtype == gb.int32:
            inputs[-1] = inputs[-1].double()

        def run():
            with contextlib.suppress(gb.DTypeError):  # some take no mixture
                row.call(*inputs, case=row.cases[0])

        fail_every_allocation(run)

    @each(DIFFERENTIABLE)
    def test_survives_with_its_gradient_and_its_curvature(self, row):
        dtype = "float64" if "float64" in row.dtypes else row.dtypes[0]
        inputs = row.inputs(dtype)

        def run():
            leaves = [x.detach().requires_grad_(x.dtype.is_floating_point) for x in inputs]
            out = first(row.call(*leaves, case=row.cases[0])).sum()
            wanted = [x for x in leaves if x.requires_grad]
            is_twice = row.gradient_order == 2
            slopes = gb.autograd.grad(out, wanted, create_graph=is_twice, allow_unused=True)
            for slope in slopes:
                if is_twice and slope is not None and slope.requires_grad:
                    slope.sum().backward(retain_graph=True)
            if is_twice:
                out.backward()

        fail_every_allocation(run)

    @each(IN_PLACE)
    def test_survives_in_place_and_changes_nothing_when_it_fails(self, row):
        inputs = row.inputs(row.dtypes[0])

        def run():
            self = inputs[0].clone()
            version, before = self._version, self.tolist()
            try:
                getattr(self, f"{row.name}_")(*inputs[1:])
            except gb.OutOfMemoryError:
                assert (self._version, self.tolist()) == (version, before)
                raise

        fail_every_allocation(run)

    @each(SLOPING_IN_PLACE)
    def test_survives_in_place_with_its_gradient(self, row):
        inputs = row.inputs("float64")

        def run():
            leaf = inputs[0].detach().requires_grad_()
            whole = leaf * 1
            getattr(whole[0], f"{row.name}_")(*(x[:1].sum() for x in inputs[1:]))
            whole.sum().backward()

        fail_every_allocation(run)

    @each(WITH_OUT)
    def test_survives_with_out(self, row):
        inputs = row.inputs(row.dtypes[0])
        out = gb.zeros_like(row.call(*inputs, case=row.cases[0]))

        fail_every_allocation(lambda: getattr(gb, row.name)(*inputs, out=out.T.T))


X = [[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]]

MAKERS: dict[str, Callable[[], Any]] = {
    "arange": lambda: gb.arange(10),
    "eye": lambda: gb.eye(3),
    "full": lambda: gb.full((2, 3), 7.0),
    "tensor of lists": lambda: gb.tensor(X),
    "tensor with a dtype": lambda: gb.tensor(X, dtype=gb.int32),
    "rand": lambda: gb.rand(3, 3),
    "randn": lambda: gb.randn(3, 3),
    "randint": lambda: gb.randint(0, 5, (3, 3)),
    "repr": lambda: repr(gb.tensor(X)),
    "tolist": lambda: gb.tensor(X).T.tolist(),
    "numpy": lambda: gb.tensor(X).T.numpy(),
    "deepcopy": lambda: copy.deepcopy(gb.tensor(X)),
    "index": lambda: gb.tensor(X)[:, 1:].contiguous(),
    "assignment": lambda: gb.tensor(X).__setitem__((slice(None), 0), gb.ones(2)),
    "comparison": lambda: gb.allclose(gb.tensor(X), gb.tensor(X)),
    "equality": lambda: gb.equal(gb.tensor(X), gb.tensor(X)),
    "data": lambda: list(DataLoader(TensorDataset(gb.tensor(X)), batch_size=1, shuffle=True)),
    "hook": lambda: hooked(),
    "scope": lambda: scoped(),
}


def hooked() -> None:
    x = gb.ones(3, requires_grad=True)
    x.register_hook(lambda slope: slope * 2)
    y = x * x
    y.retain_grad() if hasattr(y, "retain_grad") else None
    y.sum().backward()


@gb.dispose_scope("scoped")
def scoped() -> gb.Tensor:
    with gb.dispose_scope() as inner:
        x = inner.move_to_outer(gb.ones(3) + 1)
    return x * 2


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_what_makes_tensors_survives(make):
    assert fail_every_allocation(make) > 0


MODULES: dict[str, Callable[[], nn.Module]] = {
    "Linear": lambda: nn.Linear(3, 4),
    "Linear without bias": lambda: nn.Linear(3, 4, bias=False),
    "ReLU": nn.ReLU,
    "Sigmoid": nn.Sigmoid,
    "Tanh": nn.Tanh,
    "Softmax": lambda: nn.Softmax(dim=-1),
    "LogSoftmax": lambda: nn.LogSoftmax(dim=-1),
    "Dropout": lambda: nn.Dropout(0.5),
    "Flatten": nn.Flatten,
    "Identity": nn.Identity,
    "Sequential": lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)),
}


@pytest.mark.parametrize("make", MODULES.values(), ids=MODULES)
class TestEveryModule:
    def test_survives_being_made(self, make):
        fail_every_allocation(make)

    def test_survives_being_used_and_trained(self, make):
        module, x = make(), gb.tensor(X, requires_grad=True)

        def run():
            module.zero_grad()
            x.grad = None
            try:
                module(x).sum().backward()
            finally:
                module.zero_grad()
                x.grad = None

        assert fail_every_allocation(run) > 0

    def test_survives_being_copied_converted_and_loaded(self, make):
        module = make()

        def run():
            other = copy.deepcopy(module).double()
            other.load_state_dict(module.state_dict())
            return other

        fail_every_allocation(run)


LOSSES = {
    "mse": lambda x: nn.MSELoss()(x, gb.zeros(2, 3)),
    "cross entropy": lambda x: nn.CrossEntropyLoss()(x, gb.tensor([0, 2])),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_every_loss_survives(loss):
    def run():
        loss(gb.tensor(X, requires_grad=True)).backward()

    assert fail_every_allocation(run) > 0


OPTIMIZERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1),
    "SGD with momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1),
    "SGD with Nesterov": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": lambda p: optim.Adam(p, lr=0.1, weight_decay=0.1),
    "AdamW": lambda p: optim.AdamW(p, lr=0.1),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
class TestEveryOptimizer:
    def test_survives_training_and_saving(self, make):
        def run():
            model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
            optimizer = make(model.parameters())
            for _ in range(2):
                with gb.dispose_scope():
                    optimizer.zero_grad()
                    model(gb.tensor(X)).sum().backward()
                    optimizer.step()
            make(model.parameters()).load_state_dict(optimizer.state_dict())

        assert fail_every_allocation(run) > 20

    def test_goes_on_after_a_failed_step_as_if_it_had_not_been(self, make):
        def trained(fail: int) -> tuple[list[Any], bool]:
            values = [nn.Parameter(gb.tensor([1.0, 2.0])), nn.Parameter(gb.tensor([[3.0]] * 2))]
            optimizer = make(values)
            has_failed = False
            for step in range(3):
                for i, value in enumerate(values):
                    value.grad = gb.full(tuple(value.shape), step + i + 1.0)
                with memory.fail_allocation(fail if step == 1 else 0) as plan:
                    try:
                        optimizer.step()
                    except gb.OutOfMemoryError:
                        has_failed = True
                if plan.has_failed:
                    optimizer.step()
            return [value.tolist() for value in values], has_failed

        expected, _ = trained(0)

        for number in range(1, 10):
            got, has_failed = trained(number)
            assert got == expected
            if not has_failed:
                break

    def test_goes_on_after_a_failed_first_step_too(self, make):
        def trained(fail: int) -> tuple[list[Any], bool]:
            values = [nn.Parameter(gb.tensor([1.0, 2.0])), nn.Parameter(gb.tensor([[3.0]] * 2))]
            for value in values:
                value.grad = gb.ones(*value.shape)
            optimizer = make(values)
            with memory.fail_allocation(fail) as plan:
                try:
                    optimizer.step()
                except gb.OutOfMemoryError:
                    optimizer.step()
            return [value.tolist() for value in values], plan.has_failed

        expected, _ = trained(0)

        for number in range(1, 10):
            got, has_failed = trained(number)
            assert got == expected
            if not has_failed:
                break
