"""Where PyTorch had `vmap` first: libraries take it from there, for a Jacobian's rows at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from garboard.func import vmap

__all__ = ["vmap"]


def _vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    allow_none_pass_through: bool = False,
) -> Callable[..., Any]:
    """Make a function of batches from one of samples, as `gb.func.vmap` does.

    Args:
        func: Takes and returns tensors without the batch's dim.
        in_dims: Which dim of each argument is the batch's.
        out_dims: Where it stands in the results.
        allow_none_pass_through: Whether a result may be None, as a gradient of what was not used
            is; it stays None.

    Returns:
        A function of batches.

    Raises:
        TypeError: A result is no tensor.

    >>> from garboard._vmap_internals import _vmap
    >>> _vmap(lambda x: (x * 2, None), allow_none_pass_through=True)(gb.ones(2))
    (tensor([2., 2.]), None)
    """
    if not allow_none_pass_through:
        return vmap(func, in_dims, out_dims)

    @wraps(func)
    def batched(*args: Any) -> Any:
        places: list[int | None] = []  # read once the function has returned, which fills it

        def listed(*samples: Any) -> list[Any]:
            given = func(*samples)
            parts = list(given) if isinstance(given, (tuple, list)) else [given]
            dims = out_dims if isinstance(out_dims, (tuple, list)) else [out_dims] * len(parts)
            for part, dim in zip(parts, dims, strict=True):
                places.append(None if part is None else dim)
            alone[:] = [part for part in parts if part is given]
            return parts

        alone: list[Any] = []
        results = vmap(listed, in_dims, places)(*args)
        return results[0] if alone else tuple(results)

    return batched
