"""Parameters of distributions: numbers and tensors brought to one shape; probabilities and logits.

Nothing that is computed from parameters is kept: it would end with the scope of who asked first.
"""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._engine import ShapeError, Tensor, log_softmax, softmax
from garboard._ops.dtypes import finfo
from garboard._ops.functions import broadcast_shapes

__all__ = [
    "clamped",
    "classes_of",
    "event_sum",
    "expanded",
    "floating",
    "hand_over",
    "log_of_classes",
    "log_of_odds",
    "one_of",
    "probs_of_classes",
    "together",
]


def _is_floating(given: object) -> bool:
    return is_really(given, Tensor) and given.dtype.is_floating_point


def floating(op: str, name: str, given: object) -> Tensor:
    """A tensor of a floating dtype; a number becomes one without dims."""
    if is_really(given, Tensor):
        return given if _is_floating(given) else given.to(_engine.get_default_dtype())
    return _engine.tensor(check.worth(op, name, given), dtype=_engine.get_default_dtype())


def together(op: str, **given: Tensor | float) -> tuple[Tensor, ...]:
    """Parameters of one shape; numbers take the dtype and device of the first tensor.

    Raises ShapeError where the sizes do not broadcast.
    """
    first = next((it for it in given.values() if _is_floating(it)), None)
    found = []
    for name, value in given.items():
        if is_really(first, Tensor) and not is_really(value, Tensor):
            number = check.worth(op, name, value)
            found.append(_engine.tensor(number, dtype=first.dtype, device=first.device))
        else:
            found.append(floating(op, name, value))
    try:
        sizes = broadcast_shapes(*(it.shape for it in found))
    except ShapeError as error:
        told = " and ".join(str(list(it.shape)) for it in found)
        raise ShapeError(
            f"{op}: {' and '.join(given)} of sizes {told}; sizes that broadcast are needed"
        ) from error
    return tuple(expanded(it, sizes) for it in found)


def expanded(given: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """A parameter in these sizes: itself where it has them, for what is recorded of an `expand`
    ends with the first backward pass, and a distribution may be used for several."""
    return given if given.shape == sizes else given.expand(sizes)


def one_of(op: str, probs: object, logits: object) -> None:
    """Raise ValueError unless one is given."""
    if (probs is None) == (logits is None):
        raise ValueError(f"{op}: probs and logits; one of them is needed")


def clamped(probs: Tensor) -> Tensor:
    """Probabilities whose logarithms, and those of what is left of 1, are finite."""
    margin = finfo(probs.dtype).eps
    return probs.clamp(margin, 1 - margin)


def log_of_odds(probs: Tensor) -> Tensor:
    """ln(p / (1 - p)), finite."""
    inside = clamped(probs)
    return inside.log() - (-inside).log1p()


def classes_of(op: str, probs: object, logits: object) -> tuple[Tensor | None, Tensor | None]:
    """Probabilities, or logarithms, of classes along the last dim, scaled so that they add up to 1.

    Raises ShapeError without dims.
    """
    one_of(op, probs, logits)
    name = "probs" if logits is None else "logits"
    given = floating(op, name, check.tensor(op, name, probs if logits is None else logits))
    if given.ndim < 1:
        raise ShapeError(f"{op}: {name} is a tensor without dims; [..., classes] is needed")
    if logits is None:
        return given, None
    return None, log_softmax(given, -1)


def hand_over(made: object, kind: type) -> None:
    """Set `probs` or `logits`, whichever was given, where a subclass computes one from the other.

    Args:
        made: A distribution that has its parameters.
        kind: The class whose `probs` and `logits` need no such thing.
    """
    for name in ("probs", "logits"):
        given = vars(made)[f"_{name}"]
        if given is not None and getattr(type(made), name) is not getattr(kind, name):
            vars(made)[name] = given


def log_of_classes(probs: Tensor) -> Tensor:
    """Finite logarithms of probabilities."""
    return clamped(probs).log()


def probs_of_classes(logits: Tensor) -> Tensor:
    """Probabilities of logarithms."""
    return softmax(logits, -1)


def event_sum(value: Tensor, dims: int) -> Tensor:
    """The sum along so many of the last dims."""
    return value.sum(tuple(range(-dims, 0))) if dims else value
