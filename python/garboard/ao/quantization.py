"""Borders between floating numbers and quantized ones, which models mark before they are quantized.

Tensors of quantized numbers are not here, so a border passes on what it is given, as PyTorch's do
until a model is converted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._engine import Tensor
from garboard._names.missing import module_getattr
from garboard.nn import Module

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


class QuantStub(Module):
    """The place where numbers would be quantized: they pass.

    Args:
        qconfig: How they would be; kept.

    >>> gb.ao.quantization.QuantStub()(gb.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, qconfig: object = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class DeQuantStub(QuantStub):
    """The place where numbers would be floating again: they pass.

    Args:
        qconfig: How they would have been quantized; kept.

    >>> gb.ao.quantization.DeQuantStub()(gb.ones(2))
    tensor([1., 1.])
    """


class QuantWrapper(Module):
    """A module between both borders.

    Args:
        module: What is called.

    Raises:
        TypeError: `module` is no Module.

    >>> gb.ao.quantization.QuantWrapper(gb.nn.ReLU())(gb.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, module: Module) -> None:
        super().__init__()
        if not isinstance(module, Module):
            raise TypeError(
                f"QuantWrapper: module is of type {type(module).__name__}; a Module is needed"
            )
        qconfig = getattr(module, "qconfig", None)
        self.quant: QuantStub = QuantStub(qconfig)
        self.dequant: DeQuantStub = DeQuantStub(qconfig)
        self.module = module
        self.train(module.training)

    def forward(self, x: Tensor) -> Tensor:
        inside = self.module(self.quant(x))
        outside: Tensor = self.dequant(inside)
        return outside
