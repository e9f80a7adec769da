"""State dicts of optimizers go by the names of a module's parameters, as one process has them."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn
from garboard.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
    set_state_dict,
)

pytestmark = pytest.mark.usefixtures("no_leaks")

KINDS = {
    "Adam": lambda given: gb.optim.Adam(given, lr=0.5),
    "SGD": lambda given: gb.optim.SGD(given, lr=0.5),
    "momentum": lambda given: gb.optim.SGD(given, lr=0.5, momentum=0.9),
}


def _model(start: float = 0.0) -> nn.Sequential:
    model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1, bias=False))
    with gb.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.fill_(start + number)
    return model


def _train(model: nn.Module, optimizer: gb.optim.Optimizer, steps: int = 2) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        model(gb.tensor([[1.0, 2.0]])).pow(2).sum().backward()
        optimizer.step()


@pytest.mark.parametrize("is_flat", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_training_goes_on_from_a_state_by_names(kind, is_flat):
    options = StateDictOptions(flatten_optimizer_state_dict=is_flat)
    model, other = _model(), _model(5.0)
    optimizer, fresh = KINDS[kind](model.parameters()), KINDS[kind](other.parameters())
    _train(model, optimizer)

    state, of_optimizer = get_state_dict(model, optimizer, options=options)
    set_state_dict(
        other, fresh, model_state_dict=state, optim_state_dict=of_optimizer, options=options
    )
    _train(model, optimizer)
    _train(other, fresh)

    assert [it.tolist() for it in other.parameters()] == [it.tolist() for it in model.parameters()]


def test_an_optimizer_without_a_state_gets_one_and_leaves_the_parameters():
    model = _model()
    optimizer = gb.optim.Adam(model.parameters(), lr=0.5)

    saved = get_optimizer_state_dict(model, optimizer)

    assert list(saved["state"]) == ["0.weight", "0.bias", "1.weight"]
    assert saved["state"]["0.bias"]["exp_avg"].tolist() == [0.0]
    assert saved["param_groups"][0]["lr"] == 0.5
    assert [it.mean().item() for it in model.parameters()] == [0.0, 1.0, 2.0]
    assert all(it.grad is None for it in model.parameters())


def test_a_flat_state_names_each_entry_and_each_option():
    model = nn.Linear(1, 1, bias=False)
    optimizer = gb.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)

    options = StateDictOptions(flatten_optimizer_state_dict=True)
    flat = get_optimizer_state_dict(model, optimizer, options=options)

    assert flat["state.weight.momentum_buffer"].tolist() == [[0.0]]
    assert flat["param_groups.weight.lr"] == 0.5


def test_several_optimizers_share_a_state():
    model = _model()
    both = [
        gb.optim.Adam(model[0].parameters(), lr=0.1),
        gb.optim.SGD(model[1].parameters(), lr=0.2, momentum=0.5),
    ]
    saved = get_optimizer_state_dict(model, both)
    for optimizer in both:
        optimizer.param_groups[0]["lr"] = 9.0

    set_optimizer_state_dict(model, both, saved)

    assert [it.param_groups[0]["lr"] for it in both] == [0.1, 0.2]
    assert [it["params"] for it in saved["param_groups"]] == [["0.weight", "0.bias"], ["1.weight"]]


def test_a_state_that_lacks_one_optimizers_parameter_changes_no_other():
    model = _model()
    both = [
        gb.optim.Adam(model[0].parameters(), lr=0.1),
        gb.optim.SGD(model[1].parameters(), lr=0.2, momentum=0.5),
    ]
    saved = get_optimizer_state_dict(model, both)
    del saved["state"]["1.weight"]
    saved["param_groups"][0]["lr"] = 7.0

    with pytest.raises(RuntimeError, match=r"no state of '1\.weight'"):
        set_optimizer_state_dict(model, both, saved)

    assert both[0].param_groups[0]["lr"] == 0.1


@pytest.mark.parametrize("is_of_optimizer", [False, True])
def test_what_is_refused_of_one_changes_neither_module_nor_optimizer(is_of_optimizer):
    model = _model()
    optimizer = gb.optim.Adam(model.parameters(), lr=0.1)
    state, of_optimizer = get_state_dict(model, optimizer)
    state = {name: it.detach() + 1 for name, it in state.items()}
    of_optimizer["param_groups"][0]["lr"] = 7.0
    if is_of_optimizer:
        del of_optimizer["state"]["1.weight"]
    else:
        state["1.weight"] = gb.ones(7)
    before = [it.tolist() for it in model.parameters()]

    with pytest.raises(RuntimeError):
        set_state_dict(model, optimizer, model_state_dict=state, optim_state_dict=of_optimizer)

    assert [it.tolist() for it in model.parameters()] == before
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_layers_that_share_a_parameter_share_its_state():
    model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
    model[1].weight = model[0].weight
    optimizer = gb.optim.Adam(model.parameters())

    saved = get_optimizer_state_dict(model, optimizer)
    set_optimizer_state_dict(model, optimizer, saved)

    assert list(saved["state"]) == ["0.weight"]
    assert list(optimizer.state_dict()["state"]) == [0]


def test_entries_of_submodules_and_of_frozen_parameters_may_be_chosen():
    model = _model()
    model[0].weight.requires_grad_(False)

    within = get_model_state_dict(model, submodules={model[0]})
    bare = get_model_state_dict(
        model, submodules={model[0]}, options=StateDictOptions(keep_submodule_prefixes=False)
    )
    trained = get_model_state_dict(model, options=StateDictOptions(ignore_frozen_params=True))
    offloaded = get_model_state_dict(model, options=StateDictOptions(cpu_offload=True))

    assert list(within) == ["0.weight", "0.bias"]
    assert list(bare) == ["weight", "bias"]
    assert list(trained) == ["0.bias", "1.weight"]
    assert {it.device.type for it in offloaded.values()} == {"cpu"}


def test_what_a_full_state_lacks_stays():
    model = _model()

    found = set_model_state_dict(
        model, {"0.bias": gb.tensor([7.0])}, options=StateDictOptions(full_state_dict=True)
    )

    assert not found.missing_keys
    assert [it.mean().item() for it in model.parameters()] == [0.0, 7.0, 2.0]
    with pytest.raises(RuntimeError, match="Missing"):
        set_model_state_dict(model, {"0.bias": gb.tensor([7.0])})


def test_a_full_state_gives_a_module_on_the_meta_device_its_tensors():
    model = nn.Linear(1, 1, device="meta")

    state = {"weight": gb.ones(1, 1), "bias": gb.ones(1)}
    set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True))

    assert model(gb.ones(1)).tolist() == [2.0]


def test_states_may_be_given_by_submodule():
    model = _model()

    options = StateDictOptions(strict=False)
    found = set_model_state_dict(model, {model[1]: {"weight": gb.tensor([[5.0]])}}, options=options)

    assert model[1].weight.tolist() == [[5.0]]
    assert found.missing_keys == ["0.weight", "0.bias"]


def test_what_does_not_fit_is_refused():
    model = _model()
    optimizer = gb.optim.Adam(model.parameters())
    groups = [{"lr": 1.0, "params": ["0.weight", "0.bias", "1.weight"]}]

    with pytest.raises(KeyError, match="parameter 0 of Adam is none of the model's"):
        get_optimizer_state_dict(model, gb.optim.Adam(nn.Linear(1, 1).parameters()))
    with pytest.raises(RuntimeError, match="no optimizers; at least one"):
        get_optimizer_state_dict(model, [])
    lacking = [{"lr": 1.0, "params": ["0.weight"]}]
    with pytest.raises(RuntimeError, match="no group of parameter 1 of Adam"):
        set_optimizer_state_dict(model, optimizer, {"state": {}, "param_groups": lacking})
    with pytest.raises(RuntimeError, match=r"no state of '0\.weight'"):
        set_optimizer_state_dict(model, optimizer, {"state": {"x": {}}, "param_groups": groups})
    with pytest.raises(RuntimeError, match="an empty state"):
        set_optimizer_state_dict(model, optimizer, {})
    with pytest.raises(RuntimeError, match="an empty state"):
        set_model_state_dict(model, {})
    with pytest.raises(TypeError, match="model_state_dict is of type list; a dict is needed"):
        set_model_state_dict(model, [])
    with pytest.raises(ValueError, match="full_state_dict=True is needed"):
        get_model_state_dict(model, options=StateDictOptions(broadcast_from_rank0=True))
    optimizer.state[model[0].weight]["note"] = "text"
    options = StateDictOptions(flatten_optimizer_state_dict=True)
    with pytest.raises(NotImplementedError, match="'note' of a state is of type str"):
        get_optimizer_state_dict(model, optimizer, options=options)
