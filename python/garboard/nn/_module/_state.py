"""A module's parameters and buffers by path, and back."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from garboard._arguments import check
from garboard._arguments.given import keys_of
from garboard._arguments.layouts import is_really, is_sparse
from garboard._arguments.texts import printable, shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DTypeError, GarboardError, ShapeError, Tensor
from garboard.nn._module._hooks import KwargsHook
from garboard.nn._module._walk import too_deep
from garboard.nn.parameter import Parameter, UninitializedParameter, is_lazy

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = [
    "LoadResult",
    "Notes",
    "StateDictError",
    "load_own",
    "load_state",
    "save_own",
    "state_of",
]

# Under which name PyTorch saves what a module says of itself besides tensors.
_EXTRA = "_extra_state"


class StateDictError(GarboardError, RuntimeError):
    """A state dict whose paths are not the module's: `missing_keys`, `unexpected_keys`.

    The message tells of values that do not fit, too.
    """

    def __init__(self, message: str, missing_keys: list[str], unexpected_keys: list[str]) -> None:
        super().__init__(message)
        self.missing_keys: list[str] = missing_keys
        self.unexpected_keys: list[str] = unexpected_keys


class LoadResult(NamedTuple):
    """What `load_state_dict` did not find in the state dict, and what it did not know."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        keys = f"missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys}"
        return f"_IncompatibleKeys({keys})"  # as logs of PyTorch's programs have it


class Notes(dict[str, Any]):
    """What a state dict says of one module: its version, and whether tensors are assigned.

    `plan` collects what is to be written once everything is known to fit; where it is None, a
    module's part is written when it is found to.
    """

    plan: list[_Writing] | None = None


class _Writing(NamedTuple):
    """A value for a module's tensor of that name, or for what it says of itself."""

    part: Module
    name: str
    value: Any
    shares: bool


def _own(module: Module) -> Iterator[tuple[str, Tensor]]:
    """Yield what the module itself saves: parameters, and behind them buffers, as PyTorch does."""
    for wanted in ("parameter", "buffer"):
        for name, role in tuple(module._roles.items()):
            if role == wanted and vars(module)[name] is not None:
                yield name, vars(module)[name]


def state_of(
    module: Module, destination: dict[str, Tensor] | None, prefix: str, keep_vars: bool
) -> dict[str, Tensor]:
    """Return what is saved by path, of each module between its hooks."""
    check.text("state_dict", "prefix", prefix)
    state: Any = OrderedDict() if destination is None else destination
    if destination is None:
        state._metadata = OrderedDict()
    notes: dict[str, Any] = {"version": module._version}
    if hasattr(state, "_metadata"):
        state._metadata[prefix[:-1]] = notes
    for hook in module._hooks_of("_state_dict_pre_hooks"):
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(state, prefix, keep_vars)
    try:
        for name, child in module._places():
            child.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    except RecursionError:
        raise too_deep("state_dict", module) from None
    for hook in module._hooks_of("_state_dict_hooks"):
        changed = hook(module, state, prefix, notes)
        if changed is not None and not isinstance(hook, KwargsHook):
            raise TypeError(
                f"register_state_dict_post_hook: a hook of {type(module).__name__} returned what "
                f"is of type {type(changed).__name__}; None is needed, change the dict"
            )
        state = state if changed is None else changed
    made: dict[str, Tensor] = state
    return made


def save_own(module: Module, state: dict[str, Any], prefix: str, keep_vars: bool) -> None:
    """Put in what the module itself saves: the tensors themselves, or aliases without history."""
    for name, tensor in _own(module):
        state[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()
    if module._redefines("get_extra_state"):
        state[prefix + _EXTRA] = module.get_extra_state()


def load_state(module: Module, given: Mapping[str, Any], strict: bool, assign: bool) -> LoadResult:
    """Copy `given` into the module once all of it is known to fit, or let it be the module's."""
    op = f"{type(module).__name__}.load_state_dict"
    state = {key: given[key] for key in keys_of(str, op, "state_dict", given, "Tensors")}
    loading = _Loading(getattr(given, "_metadata", None), assign)
    loading.visit(module, state, "")
    result, errors = loading.result, loading.errors
    hooks = [
        (part, hook)
        for part in loading.visited
        for hook in part._hooks_of("_load_state_dict_post_hooks")
    ]
    _refuse(op, result, strict and (not hooks or bool(errors)), errors)
    for it in loading.plan:
        _write(it)
    for part, hook in hooks:
        if hook(part, result) is not None:
            raise TypeError(
                f"register_load_state_dict_post_hook: a hook of {type(part).__name__} returned "
                "something; None is needed, change the lists"
            )
    _refuse(op, result, strict, [])
    return result


class _Loading:
    """One call: what is to be written, and what does not fit."""

    def __init__(self, metadata: object, assign: bool) -> None:
        self._metadata = metadata if isinstance(metadata, dict) else {}
        self._assign = assign
        self.result, self.errors = LoadResult([], []), list[str]()
        self.plan: list[_Writing] = []
        self.visited: list[Module] = []  # children first

    def visit(self, part: Module, state: dict[str, Any], prefix: str) -> None:
        notes = Notes(self._metadata.get(prefix[:-1], {}))
        if self._assign:
            notes["assign_to_params_buffers"] = True
        if not part._redefines("_load_from_state_dict"):
            notes.plan = self.plan  # a method of a subclass expects to find written what it loads
        part._load_from_state_dict(state, prefix, notes, True, *self.result, self.errors)
        of_children: dict[str, dict[str, Any]] = {}
        for key, value in state.items():
            name, dot, _ = key.removeprefix(prefix).partition(".")
            if dot and key.startswith(prefix):
                of_children.setdefault(name, {})[key] = value
        for name, child in part._places():
            self.visit(child, of_children.get(name, {}), f"{prefix}{name}.")
        self.visited.append(part)


def load_own(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    notes: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Load what the module itself has, or plan it, and list what does not fit."""
    told: tuple[Any, ...] = (state, prefix, notes, strict, missing, unexpected, errors)
    for hook in module._hooks_of("_load_state_dict_pre_hooks"):
        hook(*told) if isinstance(hook, KwargsHook) else hook(module, *told)
    module._complete_state(state, prefix, notes)
    wanted: dict[str, Any] = dict(_own(module))
    if module._redefines("set_extra_state"):
        wanted[_EXTRA] = None
    plan = notes.plan if isinstance(notes, Notes) else None
    shares = bool(notes.get("assign_to_params_buffers", False))
    for name, target in wanted.items():
        key = prefix + name
        if key not in state:
            missing += [key] * strict
            continue
        given = _number_of_older(target, state[key])
        if name == _EXTRA or _fits(module, key, target, given, errors):
            it = _Writing(module, name, given, shares)
            _write(it) if plan is None else plan.append(it)
    if strict:
        children = {name for name, _ in module._places()}
        for key in state:
            name, dot, _ = key.removeprefix(prefix).partition(".")
            is_known = name in children if dot else name in wanted
            unexpected += [key] * (key.startswith(prefix) and not is_known)


def _number_of_older(target: Any, given: Any) -> Any:
    """Return what is given; for a number the first of a dim, where PyTorch before 0.4 kept it."""
    if is_really(given, Tensor) and given.ndim == 1 and is_really(target, Tensor):
        return given if is_lazy(target) or target.ndim or not len(given) else given[0]
    return given


def _fits(module: Module, key: str, target: Tensor, given: Any, errors: list[str]) -> bool:
    """Tell whether `given` is to be written to `target`; what is wrong with it is an error."""
    if is_lazy(target) and is_lazy(given):
        return False
    if is_sparse(target) is not is_sparse(given) or not (
        is_really(given, Tensor) or is_sparse(given)
    ):
        needed = type(target).__name__ if is_sparse(target) else "Tensor"
        raise DTypeError(
            f"{type(module).__name__}.load_state_dict: {shown(key)} is of type "
            f"{type(given).__name__}; a {needed} is needed"
        )
    if is_lazy(target) or given.shape == target.shape:
        return True
    told, wanted = list(given.shape), list(target.shape)
    errors.append(
        f"size mismatch for {printable(key)}: copying a param with shape {told} from checkpoint, "
        f"the shape in current model is {wanted}"
    )
    return False


def _refuse(op: str, result: LoadResult, strict: bool, errors: list[str]) -> None:
    """Raise if something is wrong, in the phrases that PyTorch's users look for."""
    lines = [
        f"{word} key(s) in state_dict: {_quoted(keys)}; exactly the module's keys are needed, or "
        "strict=False"
        for word, keys in (("Missing", result.missing_keys), ("Unexpected", result.unexpected_keys))
        if keys and strict
    ]
    if not lines and not errors:
        return
    head = f"{op}: Error(s) in loading state_dict for {op.partition('.')[0]}:"
    text = "\n  ".join([head, *lines, *errors])
    raise StateDictError(text, *result) if lines else ShapeError(text)


def _quoted(keys: list[str]) -> str:
    return ", ".join(f'"{printable(key)}"' for key in keys)


def _write(it: _Writing) -> None:
    if it.name == _EXTRA:
        it.part.set_extra_state(it.value)
        return
    with no_grad():
        target = vars(it.part)[it.name]
        if not it.shares and isinstance(target, UninitializedParameter):
            target._become(it.value.detach().to(target.device, dtype=target.dtype, copy=True))
        elif it.shares or is_lazy(target) or is_sparse(target):
            _assign(it, target)
        else:
            if target.is_meta and not it.value.is_meta:
                warnings.warn(
                    f"load_state_dict: {shown(it.name)} has no memory for what is given and keeps "
                    "none; assign=True makes what is given the module's",
                    stacklevel=2,
                )
            target.copy_(it.value)


def _assign(it: _Writing, target: Tensor) -> None:
    """Let what is given, or a copy of it, stand where `target` stands."""
    given: Tensor = it.value
    if is_sparse(given):
        own = given if it.shares else given.clone()
        return it.part._register(it.name, it.part._roles[it.name], own.detach())
    made = given if it.shares else given.detach().to(target.device, dtype=target.dtype, copy=True)
    if not isinstance(target, Parameter):
        made = made.detach()
    elif isinstance(made, Parameter):
        made.requires_grad_(target.requires_grad)
    else:
        made = Parameter(made.detach(), target.requires_grad)
    it.part._register(it.name, it.part._roles[it.name], made)
