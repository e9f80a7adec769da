"""Modules called with other parameters than their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import keys_of
from garboard._arguments.texts import shown
from garboard._contexts.blocks import block
from garboard._engine import ShapeError, Tensor
from garboard.nn.module import Module

__all__ = ["functional_call"]

_Dict = Mapping[str, Tensor | None]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Mapping[str, Tensor | None]
    | tuple[Mapping[str, Tensor | None], ...],
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other tensors in place of its parameters and buffers.

    Gradients pass to those tensors. The module is as it was when the call has ended; meanwhile
    another thread that calls it sees them too. A buffer that forward writes in place is the one
    that was given.

    Args:
        module: What is called.
        parameter_and_buffer_dicts: Tensors, or None, by path; or a tuple of such dicts without a
            common path. What they leave out stays the module's own. A tensor that is a plain
            attribute of the module's is replaced, too, and a name that it does not have is there
            for the call. A dict alone has afterwards what `forward` assigned to what it names.
        args: The arguments, a tuple; or the only one.
        kwargs: Those by name.
        tie_weights: Where one of a shared parameter's places is named, all of them have the tensor.
        strict: Refuse paths that are missing, or that the module does not have.

    Returns:
        What the module returns.

    Raises:
        ValueError: A path that two dicts have, or that leads to no module; of a shared parameter
            two tensors.
        ShapeError: `strict`, and the paths are others than the module's.
        TypeError: An argument of a wrong type, or the path of what is no tensor.

    >>> layer = gb.nn.Linear(2, 1)
    >>> given = {"weight": gb.ones(1, 2), "bias": gb.zeros(1)}
    >>> gb.func.functional_call(layer, given, gb.tensor([[1.0, 2.0]]))
    tensor([[3.]])
    """
    op = "functional_call"
    check.of_type(Module, op, "module", module)
    places, given = _settled(op, module, parameter_and_buffer_dicts, tie_weights, strict)
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(places, given):
        result = module(*positional, **(kwargs or {}))
    _hand_back(parameter_and_buffer_dicts, given)
    return result


@block
def _reparametrize_module(
    module: Module,
    parameters_and_buffers: _Dict | tuple[_Dict, ...],
    tie_weights: bool = False,
    strict: bool = False,
) -> Iterator[None]:
    """Let a module have other tensors inside a block, as `functional_call` does for a call."""
    op = "_reparametrize_module"
    check.of_type(Module, op, "module", module)
    places, given = _settled(op, module, parameters_and_buffers, tie_weights, strict)
    with _replaced(places, given):
        yield
    _hand_back(parameters_and_buffers, given)


_Places = dict[str, tuple[Module, str]]
_Given = dict[str, Tensor | None]

#: What a module had under a name that it did not have.
_NOTHING: Any = object()


def _settled(
    op: str, module: Module, dicts: Any, tie_weights: bool, strict: bool
) -> tuple[_Places, _Given]:
    """Where tensors belong, and which ones come there."""
    given: _Given = {}
    for one in dicts if isinstance(dicts, (tuple, list)) else (dicts,):
        for path in keys_of(str, op, "parameter_and_buffer_dicts", one, "Tensors"):
            if path in given:
                raise ValueError(f"{op}: {shown(path)} stands in two dicts; one is needed")
            given[path] = one[path]
    places = _places(module)
    for path, it in given.items():
        if it is not None or path not in places:
            check.tensor(op, shown(path), it)
    others = [path for path in given if path not in places]
    is_strict = check.flag(op, "strict", strict)
    if is_strict:
        _refuse(f"{op}: unexpected keys", others)
    plain = _plain_places(op, module, others)
    if check.flag(op, "tie_weights", tie_weights):
        _tie(op, places, given)
    if is_strict:
        needed = [path for path, (part, name) in places.items() if vars(part)[name] is not None]
        _refuse(f"{op}: missing keys", [path for path in needed if path not in given])
    return places | plain, given


def _places(module: Module) -> _Places:
    return {
        f"{path}.{name}" if path else name: (part, name)
        for path, part in module.named_modules(remove_duplicate=False)
        for name, role in part._roles.items()
        if role != "module"
    }


def _plain_places(op: str, module: Module, paths: list[str]) -> _Places:
    """Where tensors belong that are neither parameters nor buffers."""
    parts = dict(module.named_modules(remove_duplicate=False)) if paths else {}
    found: _Places = {}
    for path in paths:
        of_part, _, name = path.rpartition(".")
        part = parts.get(of_part)
        if part is None:
            raise ValueError(
                f"{op}: {type(module).__name__} has no module for {shown(path)}; the path of a "
                "parameter or buffer is needed"
            )
        replaced = getattr(part, name, None)
        if replaced is not None:
            check.tensor(op, f"{shown(path)} of the module", replaced)
        found[path] = part, name
    return found


def _refuse(op: str, paths: list[str]) -> None:
    if paths:
        told = ", ".join(map(shown, paths[:20]))
        raise ShapeError(
            f"{op} [{told}]; all of the module's parameters and buffers are needed, and no "
            "others, or strict=False"
        )


def _tie(op: str, places: _Places, given: _Given) -> None:
    """Let a tensor be that of all places which share the one that it replaces."""
    of_place: dict[int, Tensor | None] = {}
    for path, tensor in list(given.items()):
        if path not in places:
            continue
        part, name = places[path]
        replaced = vars(part)[name]
        if replaced is not None and of_place.setdefault(id(replaced), tensor) is not tensor:
            raise ValueError(
                f"{op}: two tensors for a shared parameter, one of them {shown(path)}; give one, "
                "or tie_weights=False"
            )
    for path, (part, name) in places.items():
        if (own := id(vars(part)[name])) in of_place:
            given.setdefault(path, of_place[own])


@block
def _replaced(places: _Places, given: _Given) -> Iterator[None]:
    """Have modules hold what is given, which at the end is what stands there then."""
    own = [
        (part, name, vars(part).get(name, _NOTHING))
        for part, name in (places[path] for path in given)
    ]
    roles = {id(part): (part, dict(part._roles)) for part, _, _ in own}
    try:
        for (part, name, _), tensor in zip(own, given.values(), strict=True):
            vars(part)[name] = tensor
        yield
    finally:
        _engine._put_back(_put_all_back, given, own, roles, [])


def _hand_back(dicts: Any, given: _Given) -> None:
    """Let the caller's dict have what the call has put in a tensor's place."""
    if isinstance(dicts, MutableMapping):
        for path, it in list(dicts.items()):
            if given[path] is not it:
                dicts[path] = given[path]


def _put_all_back(
    given: _Given,
    own: list[tuple[Module, str, Any]],
    roles: dict[int, tuple[Module, dict[str, str]]],
    is_kept: list[bool],
) -> None:
    """Keep what the call has put in places in `given`; give modules what they had there.

    Ctrl-C begins this anew: what was kept by then, of which `is_kept` tells, is not kept again.
    """
    if not is_kept:
        for path, (part, name, _) in zip(given, own, strict=True):
            given[path] = vars(part).get(name, given[path])
        is_kept.append(True)
    for part, name, tensor in reversed(own):
        if tensor is _NOTHING:
            vars(part).pop(name, None)
        else:
            vars(part)[name] = tensor
    for part, before in roles.values():
        _put_back(part._roles, before, {name for it, name, _ in own if it is part})


def _put_back(roles: dict[str, str], before: dict[str, str], names: set[str]) -> None:
    """Give names their roles again, each where it stood."""
    if all(roles.get(name) == before.get(name) for name in names):
        return
    now = {name: role for name, role in roles.items() if name not in names}
    roles.clear()
    roles.update({name: role for name, role in before.items() if name in names or name in now})
    roles.update(now)
