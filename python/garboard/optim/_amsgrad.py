"""Adam that scales by the greatest mean of squares so far, as a state like the engine's own."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, maximum, view_as_real, zeros_like

__all__ = ["AmsgradState"]

_Tensors = list[Tensor | None]


def _owned(tensor: Tensor | None) -> Tensor | None:
    if tensor is not None:
        tensor._mark_optimizer_owned()
    return tensor


class AmsgradState:
    """The means, the squares and the greatest squares of one parameter group."""

    def __init__(self) -> None:
        self._means: _Tensors = []
        self._squares: _Tensors = []
        self._maxima: _Tensors = []
        self.steps: list[int] = []

    @property
    def means(self) -> _Tensors:
        return self._means

    @means.setter
    def means(self, given: _Tensors) -> None:
        self._means = [*map(_owned, given)]

    @property
    def squares(self) -> _Tensors:
        return self._squares

    @squares.setter
    def squares(self, given: _Tensors) -> None:
        self._squares = [*map(_owned, given)]

    @property
    def maxima(self) -> _Tensors:
        return self._maxima

    @maxima.setter
    def maxima(self, given: _Tensors) -> None:
        self._maxima = [*map(_owned, given)]

    def step(
        self,
        parameters: Sequence[Tensor],
        *,
        lr: float,
        beta1: float,
        beta2: float,
        eps: float,
        weight_decay: float,
        decoupled: bool,
        maximize: bool = False,
        capturable: bool = False,
    ) -> None:
        for lists in (self._means, self._squares, self._maxima):
            lists += [None] * (len(parameters) - len(lists))
        self.steps += [0] * (len(parameters) - len(self.steps))
        with no_grad():
            for place, parameter in enumerate(parameters):
                gradient = parameter.grad
                if gradient is None:
                    continue
                values = parameter
                mean, square, most = self._at(place, parameter)
                if parameter.is_complex():  # twice as many real numbers
                    values, gradient = view_as_real(parameter), view_as_real(gradient)
                    mean, square, most = map(view_as_real, (mean, square, most))
                gradient = -gradient if maximize else gradient
                if weight_decay and decoupled:
                    values.mul_(1 - lr * weight_decay)
                elif weight_decay:
                    gradient = gradient.add(values, alpha=weight_decay)
                self.steps[place] += 1
                step = self.steps[place]
                mean.lerp_(gradient, 1 - beta1)
                square.mul_(beta2).add_(gradient * gradient, alpha=1 - beta2)
                most.copy_(maximum(most, square))
                scale = most.sqrt().div_(sqrt(1 - beta2**step)).add_(eps)
                values.add_(mean / scale, alpha=-lr / (1 - beta1**step))

    def _at(self, place: int, parameter: Tensor) -> list[Tensor]:
        """The three tensors of a parameter, made where they are missing."""
        found = []
        for tensors in (self._means, self._squares, self._maxima):
            tensor = tensors[place]
            if tensor is None:
                tensor = tensors[place] = zeros_like(parameter)
                tensor._mark_optimizer_owned()
            found.append(tensor)
        return found

    def clear(self) -> None:
        """Let go of every tensor."""
        self._means, self._squares, self._maxima, self.steps = [], [], [], []
