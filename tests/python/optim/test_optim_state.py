"""What programs write into `optimizer.state` is the optimizer's from then on."""

from __future__ import annotations

import weakref
from collections import defaultdict
from typing import Any

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

OPTIMIZERS: dict[str, Any] = {
    "SGD": lambda p: gb.optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda p: gb.optim.Adam(p, lr=0.1),
    "amsgrad": lambda p: gb.optim.AdamW(p, lr=0.1, amsgrad=True),
    "RMSprop": lambda p: gb.optim.RMSprop(p, lr=0.1),
}
PLAIN = {"plain SGD": lambda p: gb.optim.SGD(p, lr=0.1)}
COUNTING = ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "ASGD")


def stepped(optimizer: Any) -> list[float]:
    """Take a step down a parabola, and return where the first parameter is then."""
    optimizer.zero_grad()
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    sum((p * p).sum() for p in parameters).backward()
    optimizer.step()
    return parameters[0].tolist()


def tensors_of(state: dict[str, Any]) -> list[str]:
    return [n for n, value in state.items() if isinstance(value, gb.Tensor) and value.dim()]


@pytest.fixture(params=OPTIMIZERS)
def make(request):
    return OPTIMIZERS[request.param]


@pytest.mark.parametrize(
    "forget",
    [
        lambda optimizer: optimizer.state.clear(),
        lambda optimizer: setattr(optimizer, "state", defaultdict(dict)),
        lambda optimizer: optimizer.state.pop(optimizer.param_groups[0]["params"][0]),
        lambda optimizer: optimizer.state.__delitem__(optimizer.param_groups[0]["params"][0]),
    ],
)
def test_an_optimizer_that_forgets_begins_anew(make, forget):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    y = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = make([x])
    stepped(optimizer)
    with gb.no_grad():
        y.copy_(x)

    forget(optimizer)

    assert stepped(optimizer) == stepped(make([y]))
    assert x not in gb.optim.SGD([x]).state


@pytest.mark.parametrize("kind", [*OPTIMIZERS, *PLAIN])
def test_what_a_program_adds_stays_and_is_saved(kind):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = {**OPTIMIZERS, **PLAIN}[kind]([x])
    states, state = optimizer.state, optimizer.state[x]
    state["slow"] = x.detach().clone()

    stepped(optimizer)

    assert optimizer.state is states
    assert states[x] is state
    saved = optimizer.state_dict()
    assert saved["state"][0]["slow"].tolist() == [1.0, 2.0]
    optimizer.load_state_dict(saved)
    assert optimizer.state[x].keys() == saved["state"][0].keys() == state.keys()


def test_a_state_is_empty_where_nothing_has_been_kept(make):
    x = gb.tensor([1.0, 2.0], requires_grad=True)

    assert make([x]).state[gb.ones(1)] == {}


@pytest.mark.parametrize("name", COUNTING)
def test_the_step_is_a_tensor_that_counts_on(name):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = getattr(gb.optim, name)([x])
    stepped(optimizer)
    state = optimizer.state[x]
    step = state["step"]

    stepped(optimizer)

    assert state["step"] is step
    assert (step.item(), step.dtype, step.shape) == (2.0, gb.float32, ())
    step.fill_(7)
    stepped(optimizer)
    assert state["step"].item() == 8.0


@pytest.mark.parametrize("kind", [int, lambda step: gb.tensor(float(step))])
@pytest.mark.parametrize("name", COUNTING)
def test_a_saved_step_may_be_a_number_or_a_tensor(name, kind):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = getattr(gb.optim, name)([x])
    stepped(optimizer)
    saved = optimizer.state_dict()
    saved["state"][0]["step"] = kind(5)

    optimizer.load_state_dict(saved)

    stepped(optimizer)
    assert optimizer.state_dict()["state"][0]["step"].item() == 6.0


def test_a_state_that_is_held_does_not_hold_its_optimizer():
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = gb.optim.Adam([x])
    stepped(optimizer)
    state, optimizer = optimizer.state[x], weakref.ref(optimizer)

    assert optimizer() is None
    assert state["step"] == 1


def test_parameters_are_replaced_with_their_state(make):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    whole = gb.tensor([1.0, 2.0, 5.0], requires_grad=True)
    optimizer, other = make([x]), make([whole])
    stepped(optimizer)

    state = optimizer.state.get(x)
    for name in tensors_of(state):
        state[name] = gb.cat((state[name], gb.zeros(1)))
    del optimizer.state[x]
    wider = gb.nn.Parameter(gb.cat((x.detach(), gb.zeros(1))))
    optimizer.param_groups[0]["params"][0] = wider
    optimizer.state[wider] = state
    stepped(other)

    assert stepped(optimizer)[:2] == stepped(other)[:2]
    assert len(optimizer.state) == 1
    assert all(len(optimizer.state[wider][name]) == 3 for name in tensors_of(state))


def test_what_is_put_in_is_owned_by_the_optimizer(make):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = make([x])
    stepped(optimizer)

    with gb.dispose_scope():
        state = optimizer.state[x]
        for name in tensors_of(state):
            state[name] = gb.zeros(2)

    stepped(optimizer)
    assert all(not optimizer.state[x][name].is_disposed for name in tensors_of(state))


def test_another_parameter_begins_anew_and_the_old_state_stays(make):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    y = gb.tensor([5.0, 6.0, 7.0], requires_grad=True)
    optimizer = make([x])
    stepped(optimizer)
    expected = stepped(make([gb.tensor([5.0, 6.0, 7.0], requires_grad=True)]))

    optimizer.param_groups[0]["params"] = [y]

    assert stepped(optimizer) == expected
    assert {id(it) for it in optimizer.state} == {id(x), id(y)}
    optimizer.param_groups[0]["params"] = [x]
    del optimizer.state[y]
    assert {id(it) for it in optimizer.state} == {id(x)}


def test_state_may_come_before_its_parameter(make):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    y = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = make([x])
    stepped(optimizer)
    with gb.no_grad():
        y.copy_(x)

    optimizer.state[y] = optimizer.state.pop(x)
    optimizer.param_groups[0]["params"][0] = y

    found = stepped(optimizer)
    x.grad = None
    other = make([x])
    assert found != stepped(other)
    assert len(optimizer.state) == 1


def test_a_state_that_was_taken_away_changes_nothing():
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = gb.optim.Adam([x])
    stepped(optimizer)
    states = optimizer.state
    state = states.pop(x)

    state["step"] = 7

    assert len(optimizer.state) == 0


def test_nonsense_is_refused():
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = gb.optim.Adam([x], lr=0.1)
    stepped(optimizer)

    with pytest.raises(TypeError):
        optimizer.state[x]["exp_avg"] = "nothing"
    optimizer.state[x]["exp_avg"] = gb.zeros(3)
    with pytest.raises(gb.ShapeError, match=r"state of sizes \[3\] for a parameter of sizes \[2\]"):
        stepped(optimizer)
    optimizer.state[x]["exp_avg"] = gb.zeros(2, dtype=gb.float64)
    with pytest.raises(gb.DTypeError, match="state of dtype float64"):
        stepped(optimizer)
    del optimizer.state[x]["exp_avg"]
    stepped(optimizer)


def test_steps_stay_one_call_and_leave_nothing(make):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = make([x])
    stepped(optimizer)

    with gb.leaks.no_leaks():
        stepped(optimizer)
        optimizer.state[x]
        x.grad = None


def test_all_ways_into_a_state_are_one(make):
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = make([x])

    assert optimizer.state.setdefault(x) == {}
    optimizer.state.update({x: {"note": "kept"}})
    optimizer.state |= {x: {"note": "kept on"}}
    optimizer.state[x] |= {"other": 3}

    assert stepped(optimizer) != [1.0, 2.0]
    assert (optimizer.state[x]["note"], optimizer.state[x]["other"]) == ("kept on", 3)


def test_what_is_popped_from_a_state_is_gone():
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    optimizer = gb.optim.Adam([x], lr=0.1)
    first = stepped(optimizer)

    parameter, state = optimizer.state.popitem()

    assert parameter is x
    assert optimizer.state == {}
    with gb.no_grad():
        x.copy_(gb.tensor([1.0, 2.0]))
    assert stepped(optimizer) == first
    assert state["step"].item() == 1


def test_a_group_that_is_taken_out_takes_its_state_along_when_that_is_taken_out(make):
    body, head = (gb.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    optimizer = make([body])
    optimizer.add_param_group({"params": [head]})
    stepped(optimizer)

    optimizer.param_groups.pop()

    assert len(optimizer.state) == 2
    assert optimizer.state.pop(head)
    stepped(optimizer)
    assert list(optimizer.state) == [body]
    assert list(optimizer.state_dict()["state"]) == [0]


def test_a_group_that_comes_back_finds_its_state(make):
    x, y, alone, other = (gb.tensor([1.0, 2.0], requires_grad=True) for _ in range(4))
    optimizer, unchanged = make([x]), make([alone])
    optimizer.add_param_group({"params": [y]})
    unchanged.add_param_group({"params": [other]})
    stepped(optimizer), stepped(unchanged)

    first = optimizer.param_groups.pop(0)
    optimizer.add_param_group(first)
    stepped(optimizer), stepped(unchanged)

    assert (x.tolist(), y.tolist()) == (alone.tolist(), other.tolist())


@pytest.mark.parametrize("name", ["SGD", "Adam"])
@pytest.mark.parametrize("value", [0, "cpu", [1]])
def test_a_state_of_what_is_no_tensor_is_refused_in_the_words_of_the_house(name, value):
    x = gb.ones(2, requires_grad=True)
    options = {"momentum": 0.9} if name == "SGD" else {}
    optimizer = getattr(gb.optim, name)([x], lr=0.1, **options)
    (x * 2).sum().backward()
    optimizer.step()
    entry = "momentum_buffer" if name == "SGD" else "exp_avg"

    with pytest.raises(TypeError, match=rf"^{name}: a state holds what no step left there; "):
        optimizer.state[x][entry] = value


def test_saved_groups_end_with_the_numbers_of_their_parameters():
    saved = gb.optim.Adam([gb.ones(1, requires_grad=True)]).state_dict()

    assert list(saved["param_groups"][0])[-1] == "params"


@pytest.mark.parametrize(
    ("name", "options", "state"),
    [
        ("ASGD", "weight_decay foreach maximize differentiable capturable", "step eta mu ax"),
        ("Adagrad", "initial_accumulator_value foreach maximize differentiable fused", "step sum"),
        (
            "Adam",
            "amsgrad maximize foreach capturable differentiable fused decoupled_weight_decay",
            "step exp_avg exp_avg_sq",
        ),
        ("Adamax", "foreach maximize differentiable capturable", "step exp_avg exp_inf"),
        (
            "NAdam",
            "decoupled_weight_decay maximize foreach capturable differentiable",
            "step mu_product exp_avg exp_avg_sq",
        ),
        ("RAdam", "decoupled_weight_decay differentiable", "step exp_avg exp_avg_sq"),
        (
            "RMSprop",
            "lr momentum alpha eps centered weight_decay capturable foreach maximize "
            "differentiable",
            "step square_avg",
        ),
        ("Rprop", "step_sizes foreach maximize differentiable capturable", "step prev step_size"),
    ],
)
def test_options_and_state_stand_in_the_order_in_which_pytorch_prints_them(name, options, state):
    x = gb.ones(2, requires_grad=True)
    optimizer = getattr(gb.optim, name)([x])
    x.sum().backward()
    optimizer.step()

    saved = optimizer.state_dict()

    assert " ".join(saved["param_groups"][0]).endswith(options + " params")
    assert " ".join(optimizer.defaults).endswith(options)
    assert " ".join(saved["state"][0]) == state


def test_what_a_schedule_wrote_into_a_group_goes_when_a_state_without_it_is_loaded():
    x = gb.ones(2, requires_grad=True)
    optimizer = gb.optim.SGD([x], lr=0.1)
    saved = {**optimizer.state_dict()}
    saved["param_groups"] = [{**saved["param_groups"][0], "lr": 0.4, "mine": 1}]
    gb.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5)

    optimizer.load_state_dict(saved)

    assert "initial_lr" not in optimizer.param_groups[0]
    assert optimizer.param_groups[0]["mine"] == 1
    assert gb.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1.0).base_lrs == [0.4]


def test_an_option_that_was_not_saved_stays():
    optimizer = gb.optim.SGD([gb.ones(2, requires_grad=True)], lr=0.1, momentum=0.5)
    saved = optimizer.state_dict()
    del saved["param_groups"][0]["momentum"]

    optimizer.load_state_dict(saved)

    assert optimizer.param_groups[0]["momentum"] == 0.5


@pytest.mark.parametrize("kind", ["SGD", "Adam", "NAdam"])
def test_a_state_that_was_asked_for_is_saved_though_it_is_empty(kind):
    x, y = gb.ones(2, requires_grad=True), gb.ones(2, requires_grad=True)
    optimizer = getattr(gb.optim, kind)([x, y], lr=0.1)

    optimizer.state[y]

    assert optimizer.state_dict()["state"] == {1: {}}


@pytest.mark.parametrize("kind", ["SGD", "Adam", "NAdam", "LBFGS"])
def test_an_option_out_of_range_is_told_before_the_parameters(kind):
    with pytest.raises(ValueError, match="lr"):
        getattr(gb.optim, kind)(None, lr=-1.0)
    with pytest.raises(ValueError, match="lr"):
        getattr(gb.optim, kind)([{"params": [gb.ones(1)], "lr": 0.1}], lr=-1.0)


def test_adagrad_has_its_state_from_the_beginning():
    x = gb.ones(2, requires_grad=True)
    optimizer = gb.optim.Adagrad([x], initial_accumulator_value=0.5)

    assert optimizer.state[x]["sum"].tolist() == [0.5, 0.5]
    assert optimizer.state_dict()["state"][0]["step"].item() == 0


def test_what_is_sparse_in_a_state_belongs_to_the_optimizer_and_ends_with_it():
    parameter = gb.ones(3, requires_grad=True)
    optimizer = gb.optim.Adagrad([parameter])

    with gb.dispose_scope():
        sparse = gb.eye(3).to_sparse()
        optimizer.state[parameter]["sum"] = sparse
        optimizer.state[parameter]["more"] = [gb.eye(3).to_sparse_csr()]
        optimizer.state_dict()
    assert not sparse.is_disposed
    optimizer.dispose()

    assert sparse.is_disposed
