"""Optimizers, functions and hooks of one's own, with the parameters that they need."""

from __future__ import annotations

from typing import Any, assert_type

import garboard as gb
from garboard import nn
from garboard.autograd.function import FunctionCtx


class Halving(gb.optim.Optimizer):
    """Takes no closure."""

    def __init__(self, params: list[gb.Tensor]) -> None:
        super().__init__(params, {})

    @gb.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.mul_(0.5)


class Scale(gb.autograd.Function):
    """Remembers in forward what backward needs."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: gb.Tensor, factor: gb.Tensor) -> gb.Tensor:
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: gb.Tensor) -> tuple[gb.Tensor, gb.Tensor]:
        x, factor = ctx.saved_tensors
        return gradient * factor, gradient * x


class Square(gb.autograd.Function):
    """Leaves that to `setup_context`."""

    @staticmethod
    def forward(x: gb.Tensor) -> gb.Tensor:
        return x * x

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[gb.Tensor], outputs: gb.Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: FunctionCtx, of_square: gb.Tensor) -> gb.Tensor:
        return 2 * ctx.saved_tensors[0] * of_square


x = gb.ones(2, requires_grad=True)
(gradient,) = gb.autograd.grad(Square.apply(Scale.apply(x, x)).sum(), x)
gradient.tolist()
Halving([x]).step()
assert_type(gb.optim.SGD([x]).step(), None)


def by_place(module: nn.Module, args: tuple[Any, ...], output: Any) -> None: ...
def named(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
) -> None: ...
def before(module: nn.GRU, args: tuple[Any, ...]) -> tuple[Any, ...]:
    return args


layer = nn.GRU(2, 3)
assert_type(layer.weight_hh_l0, nn.Parameter)
layer.register_forward_hook(by_place)
layer.register_forward_hook(named, with_kwargs=True, prepend=True)
layer.register_forward_hook(lambda module, args, output: output)
layer.register_forward_pre_hook(before)
layer.register_forward_hook(named)  # wrong
layer.register_forward_hook(by_place, with_kwargs=True)  # wrong
nn.ReLU().register_forward_pre_hook(before)  # wrong

heads = nn.ModuleDict({"first": nn.BatchNorm1d(2)})
assert_type([(name, len(name)) for name in heads.keys() & {"first"}], list[tuple[str, int]])
assert_type(len(heads.values()), int)
assert_type(dict(heads.items()), dict[str, nn.Module])
nn.init.zeros_(nn.BatchNorm1d(2).weight)
nn.init.zeros_(nn.Linear(2, 2).bias)
nn.Linear(2, 2).bias.wieght  # wrong
gb.optim.lr_scheduler.ReduceLROnPlateau(Halving([x])).step(x.sum())
