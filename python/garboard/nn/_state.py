"""A module's parameters and buffers by path, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from garboard._engine import GarboardError, ShapeError, Tensor
from garboard._given import keys_of
from garboard._grad_mode import no_grad
from garboard._texts import shown

if TYPE_CHECKING:
    from garboard.nn.module import Module

__all__ = ["LoadResult", "StateDictError", "load_state", "state_of"]


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


def _entries(module: Module, prefix: str) -> Iterator[tuple[str, Tensor]]:
    """Yield what is saved; a tensor that stands in several places, under each of its paths."""
    for path, part in module.named_modules(remove_duplicate=False):
        for name, role in part._roles.items():
            tensor = vars(part)[name]
            if role in ("parameter", "buffer") and tensor is not None:
                yield f"{prefix}{path}.{name}" if path else f"{prefix}{name}", tensor


def state_of(module: Module, prefix: str, keep_vars: bool) -> dict[str, Tensor]:
    """Return what is saved by path: the tensors themselves, or aliases without history."""
    entries = _entries(module, prefix)
    return {path: tensor if keep_vars else tensor.detach() for path, tensor in entries}


def load_state(module: Module, state: Mapping[str, Tensor], strict: bool) -> LoadResult:
    """Copy `state` into the module once all of it is known to fit."""
    op = f"{type(module).__name__}.load_state_dict"
    targets = dict(_entries(module, ""))
    given_keys = keys_of(str, op, "state_dict", state, "Tensors")
    known = set(given_keys)
    missing = [path for path in targets if path not in known]
    unexpected = [path for path in given_keys if path not in targets]
    if strict and (missing or unexpected):
        found = [
            f"{word} keys [{', '.join(map(shown, keys))}]"
            for word, keys in (("missing", missing), ("unexpected", unexpected))
            if keys
        ]
        raise StateDictError(
            f"{op}: {' and '.join(found)}; exactly the module's keys are needed, or strict=False",
            missing,
            unexpected,
        )
    pairs = [(path, target, state[path]) for path, target in targets.items() if path in known]
    for path, target, given in pairs:
        if not isinstance(given, Tensor):
            raise TypeError(
                f"{op}: {shown(path)} is of type {type(given).__name__}; a Tensor is needed"
            )
        if given.shape != target.shape:
            raise ShapeError(
                f"{op}: {shown(path)} has sizes {list(given.shape)}; "
                f"{list(target.shape)} are needed"
            )
    with no_grad():
        for _, target, given in pairs:
            target.copy_(given)
    return LoadResult(missing, unexpected)
