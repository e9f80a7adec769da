"""Outputs that the forward of a `Function` set as attributes, with their history for backward.

In PyTorch such an attribute is the output itself, which holds the graph that holds the attribute.
Here a second node after the call's has the output, and keeps it; the context knows that node's
place alone. The call's own node is given a stand-in of one element in the output's sizes: the two
results would share their memory otherwise, and could not be written in place.
"""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments.layouts import is_really
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import GradientError, Tensor, VersionError, is_grad_enabled

__all__ = ["ClaimedOutput", "claim", "echoed", "stand_ins"]


class _Echo:
    """The context of the second node, which passes gradients, and shows the call's attributes."""

    def __init__(self, ctx: Any) -> None:
        self._call = ctx

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_call"], name)

    def _backward(self, gradient: Tensor | None) -> Any:
        return gradient


class ClaimedOutput:
    """An attribute that is an output.

    Args:
        plain: It, as forward made it.
        place: Which output it is.

    >>> from garboard.autograd._function_outputs import ClaimedOutput
    >>> ClaimedOutput(gb.ones(1), 0).read("Exp")
    tensor([1.])
    """

    def __init__(self, plain: Tensor, place: int) -> None:
        self.plain, self.place = plain, place
        self._saved: Any = None

    def keep(self, saved: object) -> None:
        """Know where the second node keeps it; None of what is not recorded.

        Args:
            saved: What the engine gave.

        >>> from garboard.autograd._function_outputs import ClaimedOutput
        >>> ClaimedOutput(gb.ones(1), 0).keep(None)
        """
        self._saved = saved

    def read(self, name: str) -> Tensor:
        """Return it with its history, or asking for gradients where its graph was freed.

        Args:
            name: Of the function, in messages.

        Raises:
            VersionError: It was written since, where gradients of gradients are asked for.

        >>> from garboard.autograd._function_outputs import ClaimedOutput
        >>> ClaimedOutput(gb.ones(1), 0).read("Exp")
        tensor([1.])
        """
        if self._saved is None:
            return self.plain
        try:
            with enable_grad():
                (found,) = _engine._saved_tensors(self._saved, name)
        except GradientError:
            return self.plain.detach().requires_grad_()
        except VersionError:
            if is_grad_enabled():
                raise
            return self.plain.detach()
        assert found is not None
        return found


def _storages(tensors: tuple[Any, ...]) -> list[int]:
    return [
        it.untyped_storage().serial for it in tensors if is_really(it, Tensor) and not it.is_meta
    ]


def claim(ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> dict[str, ClaimedOutput]:
    """Take outputs out of the attributes of a context; arguments and constants stay.

    What shares its memory with others stays too, and what is saved for backward besides.

    Args:
        ctx: The context, after forward.
        args: What forward was given.
        outputs: What it returned.

    Returns:
        The outputs by the names of the attributes.

    >>> from garboard.autograd._function_outputs import claim
    >>> from types import SimpleNamespace
    >>> y = gb.ones(1)
    >>> ctx = SimpleNamespace(y=y, _dirty=(), _saving=(), _without_gradient=())
    >>> list(claim(ctx, (), (y,)))
    ['y']
    """
    found: dict[str, ClaimedOutput] = {}
    for name, it in list(vars(ctx).items()):
        if name.startswith("_") or not is_really(it, Tensor):
            continue
        places = [place for place, one in enumerate(outputs) if one is it]
        if len(places) != 1 or it.is_meta or not (it.is_floating_point() or it.is_complex()):
            continue
        others = (*args, *ctx._dirty, *ctx._saving, *ctx._without_gradient)
        others += (*outputs[: places[0]], *outputs[places[0] + 1 :])
        if it.untyped_storage().serial not in _storages(others):
            found[name] = ClaimedOutput(it, places[0])
    for name in found:
        del vars(ctx)[name]
    return found


def stand_ins(outputs: tuple[Any, ...], claimed: dict[str, ClaimedOutput]) -> tuple[Any, ...]:
    """Return the outputs, with tensors of one element in the sizes of those that are claimed.

    Args:
        outputs: What forward returned.
        claimed: What `claim` found.

    >>> from garboard.autograd._function_outputs import ClaimedOutput, stand_ins
    >>> y = gb.ones(2)
    >>> stand_ins((y,), {"y": ClaimedOutput(y, 0)})[0].stride()
    (0,)
    """
    made = list(outputs)
    for it in claimed.values():
        made[it.place] = it.plain.new_zeros(()).expand(it.plain.shape)
    return tuple(made)


def echoed(
    ctx: Any, name: str, results: tuple[Any, ...], claimed: dict[str, ClaimedOutput]
) -> tuple[Any, ...]:
    """Return the results of a call, with those that are claimed in the places of stand-ins.

    Args:
        ctx: The context of the call.
        name: The function's.
        results: What the call's node gives.
        claimed: What `claim` found.

    >>> from garboard.autograd._function_outputs import echoed
    >>> echoed(None, "Exp", (3,), {})
    (3,)
    """
    made = list(results)
    for place in {it.place for it in claimed.values()}:
        names = [one for one, it in claimed.items() if it.place == place]
        value = (claimed[names[0]].plain,)
        (made[place],), saved = _engine._record_function(
            _Echo(ctx), name, (results[place],), value, value, (), (), False, True
        )
        for one in names:
            claimed[one].keep(saved)
    return tuple(made)
