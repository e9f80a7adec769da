"""State dicts of optimizers by the names of parameters, as programs of many processes keep them.

With one process a program they are plain state dicts under other keys: no tensor is in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, tensor, zeros_like
from garboard.nn._module._state import LoadResult
from garboard.nn.module import Module
from garboard.optim import Optimizer
from garboard.utils._pytree import tree_map_only

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]

_State = dict[str, Any]


@dataclass
class StateDictOptions:
    """How state dicts are got and set; what is of several processes changes nothing here.

    Args:
        full_state_dict: Entries that a state lacks stay what they are, also where it is `strict`.
        cpu_offload: The tensors that are got are on the CPU.
        ignore_frozen_params: Leave parameters out that require no gradient.
        keep_submodule_prefixes: False names the entries of `submodules` as these do.
        strict: Refuse a state that has other entries than the module.
        broadcast_from_rank0: The one process is the first; needs `full_state_dict`.
        flatten_optimizer_state_dict: One dict of all of an optimizer, `state.weight.step` say.
        dsd_fqn_modifiers: Ignored.

    >>> from garboard.utils._named_states import StateDictOptions
    >>> StateDictOptions(cpu_offload=True).strict
    True
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _checked(op: str, model: Module, options: StateDictOptions | None) -> StateDictOptions:
    check.of_type(Module, op, "model", model)
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError(f"{op}: broadcast_from_rank0 alone; full_state_dict=True is needed, too")
    return options


def _refuse_unless_dict(op: str, name: str, given: object) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{op}: {name} is of type {type(given).__name__}; a dict is needed")


def _all_of(op: str, given: Optimizer | Iterable[Optimizer]) -> list[Optimizer]:
    found = [given] if isinstance(given, Optimizer) else list(given)
    return [check.of_type(Optimizer, op, "optimizers", it) for it in found]


def _names_of(model: Module) -> dict[int, list[str]]:
    """All names of each parameter by its id: layers that share one have a name each."""
    names: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    return names


def _offloaded(state: _State, options: StateDictOptions) -> _State:
    moved: _State = tree_map_only(Tensor, lambda it: it.cpu(), state)
    return moved if options.cpu_offload else state


def _within(
    model: Module, submodules: Iterable[Module], state: _State, options: StateDictOptions
) -> _State:
    wanted = {id(it) for it in submodules}
    prefixes = [f"{path}." for path, it in model.named_modules() if id(it) in wanted]
    return {
        name if options.keep_submodule_prefixes else name.removeprefix(prefix): value
        for prefix in prefixes
        for name, value in state.items()
        if name.startswith(prefix)
    }


def get_model_state_dict(
    model: Module,
    *,
    submodules: Iterable[Module] | None = None,
    options: StateDictOptions | None = None,
) -> _State:
    """Return `model.state_dict()`.

    Args:
        model: The module.
        submodules: The entries of these alone.
        options: What is left out, and where the tensors are.

    Returns:
        The tensors by name; they share the module's storages, unless they were moved to the CPU.

    Raises:
        TypeError: `model` is no Module.
        ValueError: `broadcast_from_rank0` without `full_state_dict`.

    >>> from garboard.utils._named_states import get_model_state_dict
    >>> list(get_model_state_dict(gb.nn.Linear(1, 1)))
    ['weight', 'bias']
    """
    options = _checked("get_model_state_dict", model, options)
    state: _State = model.state_dict()
    if submodules:
        state = _within(model, submodules, state, options)
    if options.ignore_frozen_params:
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                state.pop(name, None)
    return _offloaded(state, options)


def _begin(optimizer: Optimizer) -> None:
    """Have an optimizer make its state: take a step of no length where none has been taken."""
    groups = optimizer.param_groups
    given = [parameter for group in groups for parameter in group["params"]]
    if optimizer.state or any(it.grad is not None for it in given):
        return
    rates = [group.get("lr") for group in groups]
    try:
        for parameter in given:
            if parameter.requires_grad:
                parameter.grad = zeros_like(parameter)
        for group, rate in zip(groups, rates, strict=True):
            if rate is not None:
                group["lr"] = tensor(0.0) if isinstance(rate, Tensor) else 0.0
        optimizer.step(closure=None)
    finally:
        for group, rate in zip(groups, rates, strict=True):
            if rate is not None:
                group["lr"] = rate
        optimizer.zero_grad(set_to_none=True)


def _named(optimizer: Optimizer, names: Mapping[int, list[str]]) -> _State:
    """An optimizer's state dict under names."""
    found = optimizer.state_dict()
    given = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    if any(id(it) not in names for it in given):
        place = next(place for place, it in enumerate(given) if id(it) not in names)
        raise KeyError(
            f"get_optimizer_state_dict: parameter {place} of {type(optimizer).__name__} is none of "
            "the model's; one that has a name is needed"
        )
    first = [names[id(it)][0] for it in given]
    groups = [{**it, "params": [first[at] for at in it["params"]]} for it in found["param_groups"]]
    by_name = {first[at] if type(at) is int else at: it for at, it in found["state"].items()}
    return {"state": by_name, "param_groups": groups}


def _leaves(state: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in state.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}.{name}")
        elif isinstance(value, (Tensor, int, float)):
            yield f"{prefix}.{name}", value
        else:
            raise NotImplementedError(
                f"get_optimizer_state_dict: {shown(str(name))} of a state is of type "
                f"{type(value).__name__}; a Tensor or a number is needed to flatten it"
            )


def _flattened(named: _State) -> _State:
    flat = dict(_leaves(named["state"], "state"))
    for group in named["param_groups"]:
        options = {name: it for name, it in group.items() if name != "params"}
        for of in group["params"]:
            flat.update({f"param_groups.{of}.{name}": it for name, it in options.items()})
    return flat


def get_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: Iterable[Module] | None = None,
    options: StateDictOptions | None = None,
) -> _State:
    """Return the state of optimizers, with the names of parameters where numbers are.

    An optimizer that has taken no step takes one of no length, so that it has a state.

    Args:
        model: The module whose parameters have the names.
        optimizers: One, or several, whose states are joined.
        submodules: Ignored.
        options: Whether the dict is flat, and where the tensors are.

    Returns:
        `{"state": ..., "param_groups": ...}`, or one dict of all entries.

    Raises:
        KeyError: An optimizer has a parameter that is none of the model's.
        NotImplementedError: A state that is to be flat has something else than Tensors and numbers.
        RuntimeError: There is no optimizer.
        TypeError: `model` is no Module, or one of `optimizers` no Optimizer.
        ValueError: `broadcast_from_rank0` without `full_state_dict`.

    >>> from garboard.utils._named_states import get_optimizer_state_dict
    >>> model = gb.nn.Linear(1, 1)
    >>> optimizer = gb.optim.SGD(model.parameters(), momentum=0.5)
    >>> saved = get_optimizer_state_dict(model, optimizer)
    >>> saved["state"]["bias"], saved["param_groups"][0]["params"]
    ({'momentum_buffer': tensor([0.])}, ['weight', 'bias'])
    """
    op = "get_optimizer_state_dict"
    options = _checked(op, model, options)
    given = _all_of(op, optimizers)
    if not given:
        raise ArgumentError(f"{op}: no optimizers; at least one is needed")
    names = _names_of(model)
    joined: _State = {"state": {}, "param_groups": []}
    for optimizer in given:
        _begin(optimizer)
        named = _named(optimizer, names)
        joined["state"].update(named["state"])
        joined["param_groups"] += named["param_groups"]
    flat = _flattened(joined) if options.flatten_optimizer_state_dict else joined
    return _offloaded(flat, options)


def get_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: Iterable[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[_State, _State]:
    """Return the states of a module and of its optimizers.

    Args:
        model: The module.
        optimizers: One, or several, or none.
        submodules: The module's entries of these alone.
        options: What is left out, and where the tensors are.

    Returns:
        What `get_model_state_dict` and `get_optimizer_state_dict` return; for no optimizer an
        empty dict.

    Raises:
        KeyError: As these do; so are the others.
        NotImplementedError: Likewise.
        TypeError: Likewise.
        ValueError: Likewise.

    >>> from garboard.utils._named_states import get_state_dict
    >>> model = gb.nn.Linear(1, 1)
    >>> [list(it) for it in get_state_dict(model, gb.optim.SGD(model.parameters()))]
    [['weight', 'bias'], ['state', 'param_groups']]
    """
    given = _all_of("get_state_dict", optimizers)
    state = get_model_state_dict(model, submodules=submodules, options=options)
    return state, get_optimizer_state_dict(model, given, options=options) if given else {}


def set_model_state_dict(
    model: Module, model_state_dict: Mapping[Any, Any], *, options: StateDictOptions | None = None
) -> LoadResult:
    """Load a module's state.

    Args:
        model: The module. With `full_state_dict` what is on the meta device takes the tensors.
        model_state_dict: Tensors by name; or such dicts by the submodule that they are of.
        options: Whether other entries than the module's are refused, and what is missing stays.

    Returns:
        The names that are missing, and those that the module has not.

    Raises:
        RuntimeError: Other sizes, or other names where `strict`; or an empty state.
        TypeError: `model` is no Module, or the state no dict.
        ValueError: `broadcast_from_rank0` without `full_state_dict`.

    >>> from garboard.utils._named_states import set_model_state_dict
    >>> model = gb.nn.Linear(1, 1, bias=False)
    >>> set_model_state_dict(model, {"weight": gb.ones(1, 1)})
    <All keys matched successfully>
    """
    op = "set_model_state_dict"
    options = _checked(op, model, options)
    _refuse_unless_dict(op, "model_state_dict", model_state_dict)
    heads = {it: f"{path}." if path else "" for path, it in model.named_modules()}
    state: _State = {}
    for key, value in model_state_dict.items():
        if not isinstance(key, Module):
            state[key] = value
        elif key in heads:
            state.update({f"{heads[key]}{name}": it for name, it in value.items()})
    if not state:
        if options.strict and not (options.full_state_dict and options.cpu_offload):
            raise ArgumentError(f"{op}: an empty state; one with the model's entries is needed")
        return LoadResult([], [])
    own = model.state_dict() if options.full_state_dict else {}
    is_meta = any(isinstance(it, Tensor) and it.is_meta for it in own.values())
    return model.load_state_dict({**own, **state}, strict=options.strict, assign=is_meta)


def _nested(flat: Mapping[str, Any], prefix: str) -> _State:
    found: _State = {}
    for name, value in flat.items():
        if name.startswith(prefix):
            *path, last = name.removeprefix(prefix).split(".")
            inside = found
            for part in path:
                inside = inside.setdefault(part, {})
            inside[last] = value
    return found


def _options_by_name(given: Mapping[str, Any], names: Iterable[str]) -> _State:
    """The group that each parameter is in; a flat state tells every one's options by itself."""
    if "state" in given:
        return {name: group for group in given["param_groups"] for name in group["params"]}
    flat = {name: _nested(given, f"param_groups.{name}.") for name in names}
    return {name: options for name, options in flat.items() if options}


def _of_optimizer(
    optimizer: Optimizer, names: Mapping[int, list[str]], given: Mapping[str, Any], strict: bool
) -> _State:
    """What an optimizer is to load of the joined state of several."""
    op = "set_optimizer_state_dict"
    saved = given.get("state", {})
    if saved and all(type(it) is int for it in saved):
        return dict(given)
    every = {name for names_of_one in names.values() for name in names_of_one}
    known = _options_by_name(given, every)
    state: dict[Any, Any] = {name: it for name, it in saved.items() if name not in every}
    groups: list[_State] = []
    for own in optimizer.param_groups:
        first = sum(len(it["params"]) for it in groups)
        options: _State = {}
        for number, parameter in enumerate(own["params"], first):
            name = next((it for it in names.get(id(parameter), ()) if it in known), None)
            if name is None:
                raise ArgumentError(
                    f"{op}: the state has no group of parameter {number} of "
                    f"{type(optimizer).__name__}; one with its name is needed"
                )
            options.update(known[name])
            entry = saved.get(name) if "state" in given else _nested(given, f"state.{name}.")
            if entry:
                state[number] = entry
            elif strict and parameter.requires_grad and saved:
                raise ArgumentError(
                    f"{op}: no state of {shown(name)}, which requires grad; strict=False is needed"
                )
        groups.append({**options, "params": [*range(first, first + len(own["params"]))]})
    return {"state": state, "param_groups": groups}


def set_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: Mapping[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Load the state of optimizers that `get_optimizer_state_dict` returned, flat or not.

    Args:
        model: The module whose parameters have the names.
        optimizers: One, or several, each of which takes what is of its parameters.
        optim_state_dict: The state. One by numbers is loaded as it is.
        options: Whether parameters without a state are refused.

    Raises:
        RuntimeError: A parameter is in no group, or, where `strict`, has no state; or the state
            is empty, or there is no optimizer.
        TypeError: `model` is no Module, one of `optimizers` no Optimizer, or the state no dict.
        ValueError: `broadcast_from_rank0` without `full_state_dict`, or other groups.

    >>> from garboard.utils import _named_states as state_dict
    >>> model = gb.nn.Linear(1, 1)
    >>> optimizer = gb.optim.SGD(model.parameters(), lr=0.5)
    >>> saved = state_dict.get_optimizer_state_dict(model, gb.optim.SGD(model.parameters(), 0.1))
    >>> state_dict.set_optimizer_state_dict(model, optimizer, saved)
    >>> optimizer.param_groups[0]["lr"]
    0.1
    """
    for optimizer, state in _of_optimizers(model, optimizers, optim_state_dict, options):
        optimizer.load_state_dict(state)


def _of_optimizers(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None,
) -> list[tuple[Optimizer, _State]]:
    """What each is to load, with nothing changed."""
    op = "set_optimizer_state_dict"
    options = _checked(op, model, options)
    given = _all_of(op, optimizers)
    _refuse_unless_dict(op, "optim_state_dict", optim_state_dict)
    if not given or not optim_state_dict:
        lacking = "no optimizers; at least one" if not given else "an empty state; one with entries"
        raise ArgumentError(f"{op}: {lacking} is needed")
    names = _names_of(model)
    with no_grad():
        return [(it, _of_optimizer(it, names, optim_state_dict, options.strict)) for it in given]


def set_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: Mapping[Any, Any],
    optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None = None,
) -> LoadResult:
    """Load the states of a module and of its optimizers.

    The module comes first, once every parameter's entry in the optimizers' states has been found.

    Args:
        model: The module.
        optimizers: One, or several, or none.
        model_state_dict: As `set_model_state_dict` takes it; an empty one changes nothing.
        optim_state_dict: As `set_optimizer_state_dict` takes it.
        options: Likewise.

    Returns:
        The names of the module that are missing, and those that it has not.

    Raises:
        RuntimeError: As these do; so are the others.
        TypeError: Likewise.
        ValueError: Likewise.

    >>> from garboard.utils._named_states import get_state_dict, set_state_dict
    >>> model = gb.nn.Linear(1, 1)
    >>> optimizer = gb.optim.Adam(model.parameters())
    >>> state, of_optimizer = get_state_dict(model, optimizer)
    >>> set_state_dict(model, optimizer, model_state_dict=state, optim_state_dict=of_optimizer)
    <All keys matched successfully>
    """
    given = _all_of("set_state_dict", optimizers)
    states = _of_optimizers(model, given, optim_state_dict, options) if given else []
    found = LoadResult([], [])
    if model_state_dict:
        found = set_model_state_dict(model, model_state_dict, options=options)
    for optimizer, state in states:
        optimizer.load_state_dict(state)
    return found
