"""Saved options and state of optimizers, in PyTorch's form: checked, and copied for a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from garboard._arguments import check
from garboard._arguments.given import items_of, keys_of, refuse_unless_list
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard.optim._state import scalar

__all__ = ["besides", "copied_besides", "copied_entry", "parts_of", "take_options"]

_Group = dict[str, Any]


def parts_of(
    op: str, state_dict: Mapping[str, Any]
) -> tuple[list[_Group], Mapping[Any, Mapping[str, Any]]]:
    """Check the form of a state dict, and return its groups and its state by parameter."""
    keys = keys_of(str, op, "state_dict", state_dict, "'state' and 'param_groups'")
    if missing := [key for key in ("state", "param_groups") if key not in keys]:
        raise ValueError(f"{op}: keys [{', '.join(map(shown, keys))}]; {missing} are missing")
    given = state_dict["param_groups"]
    refuse_unless_list(op, "param_groups", given, "dicts")
    groups = []
    for group in items_of(given):
        names = keys_of(str, op, "a group", group, "options")
        if "params" not in names:
            raise ValueError(f"{op}: a group without params; a list of numbers is needed")
        groups.append({name: group[name] for name in names})
        refuse_unless_list(op, "params", groups[-1]["params"], "numbers")
        numbers = enumerate(items_of(groups[-1]["params"]))
        params = [check.integer(op, f"params[{place}]", number) for place, number in numbers]
        groups[-1]["params"] = params
    saved = state_dict["state"]
    if not isinstance(saved, Mapping):
        raise TypeError(
            f"{op}: state is of type {type(saved).__name__}; a dict by parameter is needed"
        )
    return groups, saved


def copied_entry(
    op: str,
    entry: Mapping[str, Any],
    parameter: Tensor,
    *,
    sizes: Mapping[str, tuple[int, ...]],
    numbers: tuple[str, ...],
) -> dict[str, Any]:
    """Return a copy of one parameter's state.

    The tensors named in `sizes` have these; `numbers` are kept as tensors without dims, as PyTorch
    does, and may have been saved as numbers.
    """
    names = keys_of(str, op, "state", entry, "Tensors and numbers")
    copied = {name: entry[name] for name in names}
    for name, needed in sizes.items():
        tensor = copied.get(name)
        if tensor is None:
            continue
        if not is_really(tensor, Tensor):
            raise TypeError(f"{op}: {name} is of type {type(tensor).__name__}; a Tensor is needed")
        if tensor.shape != needed:
            raise ShapeError(
                f"{op}: {name} has sizes {list(tensor.shape)}; for a parameter of "
                f"{list(parameter.shape)} {list(needed)} are needed"
            )
    with no_grad():
        for name, value in copied.items():
            if name in numbers:
                copied[name] = scalar(_number(op, name, value))
            elif name == "step" and is_really(value, Tensor):  # exact in its own dtype alone
                copied[name] = value.detach().clone()
            else:
                copied[name] = _copied(value, parameter)
    return copied


def take_options(own: _Group, saved: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Give a group the options that were saved, and no others but its optimizer's.

    What else it had, as the rate that a schedule began with, would tell the next schedule of a
    rate that is no more.
    """
    for name in own.keys() - saved.keys() - defaults.keys() - {"params"}:
        del own[name]
    own.update({name: value for name, value in saved.items() if name != "params"})


def besides(states: Mapping[Any, Any]) -> dict[Any, Any]:
    """What a program keeps in the state that is of no parameter, by its own names."""
    items = dict.items(states) if isinstance(states, dict) else states.items()  # without a look
    return {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in items
        if not is_really(name, Tensor)
    }


def copied_besides(saved: Mapping[Any, Any]) -> dict[Any, Any]:
    """A copy of what was saved of no parameter; those have numbers."""
    with no_grad():
        return {name: _copied(it) for name, it in saved.items() if type(name) is not int}


def _copied(value: Any, parameter: Tensor | None = None) -> Any:
    if is_really(value, Tensor):
        if parameter is None:
            return value.detach().clone()
        dtype = parameter.dtype if parameter.is_floating_point() else value.dtype
        return value.detach().to(parameter.device, dtype=dtype, copy=True)
    if type(value) in (list, tuple):
        return type(value)(_copied(part, parameter) for part in value)
    if type(value) is dict:
        return {name: _copied(part, parameter) for name, part in value.items()}
    return value


def _number(op: str, name: str, given: Any) -> float:
    value = check.worth(op, name, given)
    if name != "step":
        return value
    if not 0 <= value < 1 << 63:  # NaN too
        raise ValueError(f"{op}: step {shown(value)}; a number of steps is needed")
    return int(value)
