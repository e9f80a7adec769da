"""L-BFGS: steps along directions that remember how the gradient has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Any, TypeVar

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import enable_grad, no_grad
from garboard._engine import Tensor, cat, view_as_real
from garboard.optim._formula import check_rate
from garboard.optim._line_search import Point, lowest_of_cubic, strong_wolfe
from garboard.optim.optimizer import Optimizer

__all__ = ["LBFGS"]

_T = TypeVar("_T")

_Group = dict[str, Any]


class LBFGS(Optimizer):
    """Follow directions made of the last changes of parameters and gradients.

    The limited-memory method of Liu and Nocedal ("On the limited memory BFGS method for large scale
    optimization", 1989). `step` calls its closure several times, so it needs one. One group of
    parameters alone. Kept until the end: the last `history_size` changes, twice the size of all
    parameters each, the gradient and the direction.

    Args:
        params: Tensors, or pairs of names and tensors.
        lr: How far along the direction; where lines are searched, the first try.
        max_iter: Directions a step.
        max_eval: Calls of the closure a step; 1.25 max_iter by default.
        tolerance_grad: A step ends where no element of the gradient exceeds it.
        tolerance_change: A step ends where parameters or loss change by less.
        history_size: How many changes are remembered.
        line_search_fn: 'strong_wolfe' looks for how far to go; None goes as far as `lr` says.
        maximize: Ascend instead of descending.

    Raises:
        ValueError: An option out of range, or several groups.
        TypeError: Something that is no Tensor, or no number.

    >>> x = gb.tensor([5.0, -3.0], requires_grad=True)
    >>> optimizer = gb.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((x - gb.tensor([1.0, 2.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item()
    41.0
    >>> x.detach().round()
    tensor([1., 2.])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        *,
        maximize: bool = False,
    ) -> None:
        most = check.count("LBFGS", "max_iter", max_iter)
        defaults = {
            "lr": lr,
            "max_iter": most,
            "max_eval": most * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def add_param_group(self, param_group: _Group) -> None:
        if self.param_groups:
            raise ValueError("LBFGS: several groups of parameters; one is needed")
        super().add_param_group(param_group)

    def _check_options(self, group: _Group) -> None:
        check_rate("LBFGS", "lr", group["lr"])
        for name in ("tolerance_grad", "tolerance_change"):
            if group[name] != inf:  # with which any step ends it
                check_rate("LBFGS", name, group[name])
        for name in ("max_iter", "max_eval", "history_size"):
            check.count("LBFGS", name, group[name])
        check.flag("LBFGS", "maximize", group.get("maximize", False))
        search = group["line_search_fn"]
        if search is not None and search != "strong_wolfe":
            raise ValueError(f"LBFGS: line_search_fn {shown(search)}; 'strong_wolfe' or None")

    @property
    def _parameters(self) -> list[Tensor]:
        found: list[Tensor] = self.param_groups[0]["params"]
        return found

    def _gradient(self) -> Tensor:
        """All gradients as one vector; zeros where there is none."""
        found = cat(
            [
                _reals(x.detach() * 0 if x.grad is None else x.grad).flatten()
                for x in self._parameters
            ]
        )
        return found.neg_() if self.param_groups[0].get("maximize", False) else found

    def _point(self, loss: Any) -> Point:
        """What goes down: the loss, or its negative where it is to grow."""
        sign = -1 if self.param_groups[0].get("maximize", False) else 1
        return Point(sign * float(loss), self._gradient())

    def _move(self, direction: Tensor, far: float) -> None:
        start = 0
        for x in map(_reals, self._parameters):
            x.add_(direction[start : start + x.numel()].reshape(x.shape), alpha=far)
            start += x.numel()

    @no_grad()
    def step(self, closure: Callable[[], _T] | None = None) -> _T:
        """Go along several directions.

        Args:
            closure: Clears the gradients, computes the loss, calls its backward() and returns it.

        Returns:
            The loss that the first call of `closure` returned.

        Raises:
            TypeError: `closure` cannot be called.
            DisposedError: The optimizer or one of its parameters has ended.

        >>> x = gb.tensor([1.0], requires_grad=True)
        >>> optimizer = gb.optim.LBFGS([x], lr=0.5, max_iter=1)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     (x * x).sum().backward()
        ...     return (x.detach() * x.detach()).sum()
        >>> optimizer.step(closure).item()
        1.0
        >>> x.item()
        0.5
        """
        given = check.function(
            "LBFGS.step", "closure", closure, "a function that computes the loss"
        )
        evaluate: Callable[[], Any] = enable_grad()(given)
        group, kept = self.param_groups[0], self.state[self._parameters[0]]
        kept.setdefault("func_evals", 0)
        kept.setdefault("n_iter", 0)
        loss = evaluate()
        first_loss: _T = loss
        at = self._point(loss)
        evals = 1
        kept["func_evals"] += 1
        if _largest(at.gradient) <= group["tolerance_grad"]:
            return first_loss
        iterations = 0
        while iterations < group["max_iter"]:
            iterations += 1
            kept["n_iter"] += 1
            direction = self._direction(kept, at.gradient, group["history_size"])
            kept["d"], kept["prev_flat_grad"], kept["prev_loss"] = direction, at.gradient, at.loss
            far = float(group["lr"])
            if kept["n_iter"] == 1:
                far *= min(1.0, 1.0 / float(at.gradient.abs().sum()))
            kept["t"] = far
            slope = float(at.gradient @ direction)
            if slope > -group["tolerance_change"]:
                break
            before, count = at, 0
            if group["line_search_fn"] is not None:
                most = group["max_eval"] - evals
                at, far, count = self._search(evaluate, direction, far, at, slope, most)
                self._move(direction, far)
            else:
                self._move(direction, far)
                if iterations != group["max_iter"]:
                    at, count = self._point(evaluate()), 1
            kept["t"] = far
            evals += count
            kept["func_evals"] += count
            if evals >= group["max_eval"] or _largest(at.gradient) <= group["tolerance_grad"]:
                break
            is_short = _largest(direction) * abs(far) <= group["tolerance_change"]
            if is_short or abs(at.loss - before.loss) < group["tolerance_change"]:
                break
        return first_loss

    def _direction(self, kept: _Group, gradient: Tensor, most: int) -> Tensor:
        """The gradient, turned by what is remembered of the curvature: two loops over it."""
        if kept["n_iter"] == 1 or "d" not in kept:
            kept["old_dirs"], kept["old_stps"], kept["H_diag"] = [], [], 1.0
            return -gradient
        change = gradient - kept["prev_flat_grad"]
        step = kept["d"] * kept["t"]
        curvature = float(change @ step)
        if curvature > 1e-10:
            if most and len(kept["old_dirs"]) == most:
                del kept["old_dirs"][0], kept["old_stps"][0]
            if most:
                kept["old_dirs"].append(change)
                kept["old_stps"].append(step)
            kept["H_diag"] = curvature / float(change @ change)
        pairs = list(zip(kept["old_dirs"], kept["old_stps"], strict=True))
        rates = [1.0 / float(change @ step) for change, step in pairs]
        shares: list[float] = []
        turned: Tensor = -gradient
        for (change, step), rate in zip(reversed(pairs), reversed(rates), strict=True):
            shares.append(float(step @ turned) * rate)
            turned = turned - change * shares[-1]
        turned = turned * kept["H_diag"]
        for (change, step), rate, share in zip(pairs, rates, reversed(shares), strict=True):
            turned = turned + step * (share - float(change @ turned) * rate)
        return turned

    def _search(
        self,
        evaluate: Callable[[], Any],
        direction: Tensor,
        far: float,
        at: Point,
        slope: float,
        most_looks: int,
    ) -> tuple[Point, float, int]:
        """Where along the direction to go; the parameters are left where they were."""
        saved = [x.detach().clone() for x in self._parameters]

        def look(distance: float) -> Point:
            self._move(direction, distance)
            found = self._point(evaluate())
            for x, before in zip(self._parameters, saved, strict=True):
                x.copy_(before)
            return found

        return strong_wolfe(look, direction, far, at, slope, most_looks=most_looks)


def _strong_wolfe(
    obj_func: Callable[[Any, float, Tensor], tuple[Any, Tensor]],
    x: Any,
    t: float,
    d: Tensor,
    f: Any,
    g: Tensor,
    gtd: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Tensor, float, int]:
    """The search under the name and the arguments by which PyTorch's users call it."""

    def look(distance: float) -> Point:
        loss, gradient = obj_func(x, distance, d)
        return Point(float(loss), gradient)

    start = Point(float(f), g)
    at, far, looks = strong_wolfe(
        look, d, float(t), start, float(gtd), tolerance_change, max_ls, c1, c2
    )
    return at.loss, at.gradient, far, looks


def _cubic_interpolate(
    x1: Any,
    f1: Any,
    g1: Any,
    x2: Any,
    f2: Any,
    g2: Any,
    bounds: tuple[Any, Any] | None = None,
) -> float:
    """Where a cubic is lowest, under the name and the arguments by which libraries ask for it.

    Args:
        x1: How far away one point is.
        f1: The loss there.
        g1: The slope there.
        x2: How far away another is.
        f2: The loss there.
        g2: The slope there.
        bounds: Within which it is asked; the two points by default.
    """
    low, high = (min(x1, x2), max(x1, x2)) if bounds is None else bounds
    ends = [(float(x), float(f), float(g)) for x, f, g in ((x1, f1, g1), (x2, f2, g2))]
    return lowest_of_cubic(ends[0], ends[1], float(low), float(high))


def _reals(x: Tensor) -> Tensor:
    """Complex numbers as pairs of real ones."""
    return view_as_real(x) if x.dtype.is_complex else x


def _largest(x: Tensor) -> float:
    return float(x.abs().amax()) if x.numel() else 0.0
