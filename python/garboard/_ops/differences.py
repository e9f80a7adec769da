"""Slopes estimated by differences between neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor

if TYPE_CHECKING:
    from garboard.types import Number

__all__ = ["gradient"]

_Spacing = Any  # a number or a tensor of places


@takes_axis
def gradient(
    input: Tensor,
    *,
    spacing: Number | Sequence[Number] | Sequence[Tensor] | None = 1,
    dim: int | Sequence[int] | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """Estimate the slopes of a function that is known at places of a grid.

    Between neighbours by differences of second order, also where the places are uneven; at both
    ends by differences of `edge_order` (Fornberg, "Generation of finite difference formulas on
    arbitrarily spaced grids", 1988).

    Args:
        input: The function's values.
        spacing: The distance of neighbours; a number for each dim; or a tensor with one dim for
            each, which holds the places. None is 1.
        dim: Along which, one or several; all of them by default.
        edge_order: 1 or 2.

    Returns:
        A tuple of new tensors of `input`'s sizes, one for each dim.

    Raises:
        ShapeError: A dim has no more than `edge_order` places or is given twice, or `spacing` does
            not fit.
        IndexOutOfRangeError: There is no such dim.
        ValueError: `edge_order` is neither 1 nor 2.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.gradient(gb.tensor([1.0, 4.0, 9.0, 16.0]))[0].tolist()
    [3.0, 4.0, 6.0, 7.0]
    """
    op = "gradient"
    values = check.tensor(op, "input", input)
    if not (values.dtype.is_floating_point or values.dtype.is_complex):
        values = values.to(_engine.get_default_dtype())
    order = check.integer(op, "edge_order", edge_order)
    if order not in (1, 2):
        raise ArgumentError(f"{op}: edge_order {order}; 1 or 2 is needed")
    dims = _dims(op, values.ndim, dim)
    return tuple(
        _along(op, values, along, step, order)
        for along, step in zip(dims, _spacings(op, spacing, len(dims)), strict=True)
    )


def _dims(op: str, count: int, dim: int | Sequence[int] | None) -> list[int]:
    if dim is None:
        return list(range(count))
    given = [dim] if not isinstance(dim, (list, tuple)) else list(dim)
    found = [check.integer(op, "dim", one) for one in given]
    for one in found:
        if not -count <= one < count:
            raise IndexOutOfRangeError(
                f"{op}: dim {one} of a tensor of {shown(count)} dims; it must lie in "
                f"[{-count}, {count - 1}]"
            )
    places = [one % count for one in found]
    if len({*places}) < len(places):
        raise ShapeError(f"{op}: dims {found}; each once is needed")
    return places


def _spacings(op: str, spacing: Any, count: int) -> list[_Spacing]:
    if not isinstance(spacing, (list, tuple)):
        return [1.0 if spacing is None else check.real(op, "spacing", spacing)] * count
    if len(spacing) != count:
        raise ShapeError(
            f"{op}: {len(spacing)} spacings for {shown(count)} dims; one each is needed"
        )
    return [one if isinstance(one, Tensor) else check.real(op, "spacing", one) for one in spacing]


def _along(op: str, values: Tensor, dim: int, step: _Spacing, order: int) -> Tensor:
    count = values.shape[dim]
    if count <= order:
        raise ShapeError(
            f"{op}: {shown(count)} places along dim {shown(dim)}; {order + 1} or more are needed "
            f"for an edge_order of {shown(order)}"
        )
    with _engine.DisposeScope(op) as scope:
        left, right = _steps(op, values, dim, step, count)

        def part(start: int, length: int) -> Tensor:
            return values.narrow(dim, start, length)

        parts = []
        if count > 2:
            a, b = left, right
            before, at, after = (part(start, count - 2) for start in range(3))
            if isinstance(step, Tensor):
                parts.append(
                    after * (a / (b * (a + b)))
                    + at * ((b - a) / (a * b))
                    - before * (b / (a * (a + b)))
                )
            else:
                parts.append((after - before) / 2)
        first, last = _edges(part, left, right, dim, count, order)
        found = _engine.cat([first, *parts, last], dim)
        return scope.move_to_outer(found if isinstance(step, Tensor) else found / step)


def _steps(op: str, values: Tensor, dim: int, step: _Spacing, count: int) -> tuple[Any, Any]:
    """The distances to the left and the right neighbour, of all places but both ends.

    Those of two places alone have one distance, the same for both; those that are all the same are
    1, and the slopes divided by what they are.
    """
    if not isinstance(step, Tensor):
        return 1.0, 1.0
    if step.ndim != 1 or step.shape[0] != count:
        raise ShapeError(
            f"{op}: places of sizes {[*step.shape]} for dim {shown(dim)}; [{shown(count)}] is "
            "needed"
        )
    apart = step.to(values.dtype).diff()
    apart = apart.view([-1 if at == dim else 1 for at in range(values.ndim)])
    if count == 2:
        return apart, apart
    return apart.narrow(dim, 0, count - 2), apart.narrow(dim, 1, count - 2)


def _edges(
    part: Any, left: Any, right: Any, dim: int, count: int, order: int
) -> tuple[Tensor, Tensor]:
    def at(steps: Any, place: int) -> Any:
        return steps.narrow(dim, place, 1) if isinstance(steps, Tensor) else steps

    last = max(count - 3, 0)
    if order == 1:
        first = (part(1, 1) - part(0, 1)) / at(left, 0)
        return first, (part(count - 1, 1) - part(count - 2, 1)) / at(right, last)
    a, b = at(left, 0), at(right, 0)
    first = (
        part(0, 1) * (-(2 * a + b) / (a * (a + b)))
        + part(1, 1) * ((a + b) / (a * b))
        - part(2, 1) * (a / (b * (a + b)))
    )
    a, b = at(left, last), at(right, last)
    end = (
        part(count - 3, 1) * (b / (a * (a + b)))
        - part(count - 2, 1) * ((a + b) / (a * b))
        + part(count - 1, 1) * ((2 * b + a) / (b * (a + b)))
    )
    return first, end


all_overridable(globals())
