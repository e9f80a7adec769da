"""A batch that a thread has read becomes the loop's: as if it had been read there, and then."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments.nests import tensors_in
from garboard._engine import Tensor

__all__ = ["Born", "handed_over"]

_DEEPEST = 20


class Born:
    """A batch, the number of the first tensor that was made for it, and the line that asked."""

    def __init__(self, batch: Any, since: int, line: int) -> None:
        self.batch, self.since, self.line = batch, since, line


def handed_over(born: Born) -> Any:
    """Return the batch, whose new tensors belong to the scope that is open now.

    What was put together for the loop is born anew, in the step that begins. What the dataset's own
    lines have made stays as it is.
    """
    before = _engine._set_overriding(False)  # no mode of the program's hears of it
    try:
        batch = _mapped(born.batch, born, {})
    finally:
        _engine._set_overriding(before)
    scope = _engine.current_dispose_scope()
    if scope is not None:
        for tensor in tensors_in(batch):
            if _is_new(tensor, born) and _engine._scope_of(tensor) is None:
                scope.attach(tensor)
    return batch


def _is_new(tensor: Tensor, born: Born) -> bool:
    return not tensor.is_disposed and _engine._birth(tensor)[0] >= born.since


def _mapped(part: Any, born: Born, known: dict[int, Tensor], depth: int = 0) -> Any:
    """The same nest; what is not Python's own list, tuple or dict stays as it is, with its parts.

    A list or dict is written only where it has something new: it may be the dataset's own.
    """
    if type(part) is Tensor:
        return _anew(part, born, known)
    is_tuple = type(part) is tuple or (isinstance(part, tuple) and hasattr(part, "_fields"))
    if depth > _DEEPEST or not (is_tuple or type(part) in (list, dict)):
        return part
    parts = list(part.values() if type(part) is dict else part)
    made = [_mapped(it, born, known, depth + 1) for it in parts]
    if all(one is other for one, other in zip(parts, made, strict=True)):
        return part
    if type(part) is dict:
        part.update(zip(part, made, strict=True))
    elif type(part) is list:
        part[:] = made
    else:
        return tuple(made) if type(part) is tuple else type(part)(*made)
    return part


def _anew(tensor: Tensor, born: Born, known: dict[int, Tensor]) -> Tensor:
    serial, line, _, _ = _engine._birth(tensor)
    if serial < born.since or line != born.line or tensor.is_disposed or tensor.requires_grad:
        return tensor
    if _engine._set_attributes(tensor):
        return tensor
    return known.setdefault(serial, tensor.alias())
