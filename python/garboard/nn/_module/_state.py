"""A module's parameters and buffers by path, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from garboard._arguments.given import keys_of
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import GarboardError, ShapeError, Tensor
from garboard.nn._module._hooks import KwargsHook
from garboard.nn.parameter import Parameter, is_lazy

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["LoadResult", "StateDictError", "load_state", "state_of"]

# Under which name PyTorch saves what a module says of itself besides tensors.
_EXTRA = "_extra_state"


class StateDictError(GarboardError, RuntimeError):
    """A state dict whose paths are not the module's: `missing_keys`, `unexpected_keys`."""

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
        return (
            f"LoadResult(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"
        )


def _entries(module: Module) -> Iterator[tuple[str, Tensor]]:
    """Yield what is saved; a tensor that stands in several places, under each of its paths."""
    for path, part in module.named_modules(remove_duplicate=False):
        for name, tensor in _own(part):
            yield f"{path}.{name}" if path else name, tensor


def _own(module: Module) -> Iterator[tuple[str, Tensor]]:
    """Yield what the module itself saves: parameters, and behind them buffers, as PyTorch does."""
    for wanted in ("parameter", "buffer"):
        for name, role in tuple(module._roles.items()):
            if role == wanted and vars(module)[name] is not None:
                yield name, vars(module)[name]


def state_of(
    module: Module, destination: dict[str, Tensor] | None, prefix: str, keep_vars: bool
) -> dict[str, Tensor]:
    """Return what is saved by path: the tensors themselves, or aliases without history."""
    state = {} if destination is None else destination
    parts = [part for _, part in module.named_modules()]
    if any(part._state_dict_hooks or part._state_dict_pre_hooks for part in parts):
        return _collected(module, state, prefix, keep_vars)
    for path, part in module.named_modules(remove_duplicate=False):
        _save_own(part, state, f"{prefix}{path}." if path else prefix, keep_vars)
    return state


def _save_own(module: Module, state: dict[str, Tensor], prefix: str, keep_vars: bool) -> None:
    for name, tensor in _own(module):
        state[prefix + name] = _saved(tensor, keep_vars)
    teller: Any = module
    if hasattr(type(module), "get_extra_state"):
        state[prefix + _EXTRA] = teller.get_extra_state()


def _saved(tensor: Tensor, keep_vars: bool) -> Tensor:
    return tensor if keep_vars or is_lazy(tensor) else tensor.detach()


def _collected(
    module: Module, state: dict[str, Tensor], prefix: str, keep_vars: bool
) -> dict[str, Tensor]:
    """The same, module by module, between its hooks."""
    for hook in module._hooks_of("_state_dict_pre_hooks"):
        hook(module, prefix, keep_vars)
    _save_own(module, state, prefix, keep_vars)
    for name, child in module._places():
        _collected(child, state, f"{prefix}{name}.", keep_vars)
    for hook in module._hooks_of("_state_dict_hooks"):
        changed = hook(module, state, prefix, {})
        if changed is not None and not isinstance(hook, KwargsHook):
            raise TypeError(
                f"register_state_dict_post_hook: a hook of {type(module).__name__} returned what "
                f"is of type {type(changed).__name__}; None is needed, change the dict"
            )
        state = state if changed is None else changed
    return state


def load_state(
    module: Module, given: Mapping[str, Tensor], strict: bool, assign: bool
) -> LoadResult:
    """Copy `given` into the module once all of it is known to fit, or let it be the module's."""
    op = f"{type(module).__name__}.load_state_dict"
    state = {key: given[key] for key in keys_of(str, op, "state_dict", given, "Tensors")}
    result = LoadResult([], [])
    errors: list[str] = []
    parts = list(module.named_modules(remove_duplicate=False))
    for path, part in parts:
        prefix = f"{path}." if path else ""
        told: tuple[Any, ...] = (
            state,
            prefix,
            {},
            strict,
            result.missing_keys,
            result.unexpected_keys,
            errors,
        )
        for hook in part._hooks_of("_load_state_dict_pre_hooks"):
            hook(*told) if isinstance(hook, KwargsHook) else hook(part, *told)
    targets = dict(_entries(module))
    takers: dict[str, Any] = {
        f"{path}.{_EXTRA}" if path else _EXTRA: part
        for path, part in parts
        if hasattr(type(part), "set_extra_state")
    }
    wanted = {**targets, **takers}
    result.missing_keys.extend(path for path in wanted if path not in state)
    result.unexpected_keys.extend(path for path in state if path not in wanted)
    has_hooks = any(part._load_state_dict_post_hooks for _, part in parts)
    if strict and not has_hooks:
        _refuse_keys(op, result)
    pairs = [(path, target, state[path]) for path, target in targets.items() if path in state]
    pairs = [it for it in pairs if not (is_lazy(it[1]) and is_lazy(it[2]))]
    for path, target, one in pairs:
        if not isinstance(one, Tensor):
            errors.append(f"{shown(path)} is of type {type(one).__name__}; a Tensor is needed")
            raise TypeError(f"{op}: {errors[-1]}")
        if one.shape != target.shape and not is_lazy(target):
            errors.append(
                f"{shown(path)} has sizes {list(one.shape)}; {list(target.shape)} are needed"
            )
    if errors:
        raise ShapeError(f"{op}: {errors[0]}")
    with no_grad():
        for path, target, one in pairs:
            if assign or is_lazy(target):
                _assign(module, path, target, one, assign)
            else:
                target.copy_(one)
    for path, part in takers.items():
        if path in state:
            part.set_extra_state(state[path])
    for _, part in reversed(parts):
        for hook in part._hooks_of("_load_state_dict_post_hooks"):
            if hook(part, result) is not None:
                raise TypeError(
                    f"register_load_state_dict_post_hook: a hook of {type(part).__name__} returned "
                    "something; None is needed, change the lists"
                )
    if strict:
        _refuse_keys(op, result)
    return result


def _refuse_keys(op: str, result: LoadResult) -> None:
    found = [
        f"{word} keys [{', '.join(map(shown, keys))}]"
        for word, keys in (("missing", result.missing_keys), ("unexpected", result.unexpected_keys))
        if keys
    ]
    if found:
        raise StateDictError(
            f"{op}: {' and '.join(found)}; exactly the module's keys are needed, or strict=False",
            *result,
        )


def _assign(module: Module, path: str, target: Tensor, given: Tensor, shares: bool) -> None:
    """Let `given`, or a copy of it, stand where `target` stands."""
    parent, _, name = path.rpartition(".")
    part = module.get_submodule(parent)
    made = given if shares else given.detach().to(target.device, dtype=target.dtype, copy=True)
    if not isinstance(target, Parameter):
        made = made.detach()
    elif isinstance(made, Parameter):
        made.requires_grad_(target.requires_grad)
    else:
        made = Parameter(made.detach(), target.requires_grad)
    part._register(name, part._roles[name], made)
