"""Cells: one step of a recurrent network, for loops of one's own."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.texts import settings, told
from garboard._engine import ShapeError, Tensor, empty, linear, zeros
from garboard.nn import init
from garboard.nn._sequences._steps import gru_step, lstm_step
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _Cell(Module):
    """The parameters of a cell, and what it is given."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size: int = check.size(name, "input_size", input_size)
        self.hidden_size: int = check.size(name, "hidden_size", hidden_size)
        check.flag(name, "bias", bias)
        self.bias: bool = bias  # as given: a program that says 1 reads 1
        width = check.count(name, "num_chunks", num_chunks) * self.hidden_size
        shapes = {"ih": (width, self.input_size), "hh": (width, self.hidden_size)}
        for end, shape in shapes.items():
            made = Parameter(empty(*shape, dtype=dtype, device=device))
            self.register_parameter(f"weight_{end}", made)
        for end in shapes:
            bias_made = Parameter(empty(width, dtype=dtype, device=device)) if self.bias else None
            self.register_parameter(f"bias_{end}", bias_made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew, within 1 / sqrt(hidden_size) of zero.

        >>> cell = gb.nn.GRUCell(2, 4)
        >>> cell.reset_parameters()
        >>> cell.weight_hh.abs().amax().item() <= 0.5
        True
        """
        bound = 1 / sqrt(self.hidden_size) if self.hidden_size else 0.0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _input(self, input: Any) -> Tensor:
        name = type(self).__name__
        given = check.tensor(name, "input", input)
        if given.ndim not in (1, 2) or given.shape[-1] != self.input_size:
            raise ShapeError(
                f"{name}: input of sizes {tuple(given.shape)}; one or two dims are needed, the "
                f"last of size {self.input_size}"
            )
        return given

    def _state(self, name: str, given: Any, input: Tensor) -> Tensor:
        sizes = (*input.shape[:-1], self.hidden_size)
        if given is None:
            return zeros(sizes, dtype=input.dtype, device=input.device)
        state = check.tensor(type(self).__name__, name, given)
        if state.shape != sizes:
            raise ShapeError(
                f"{type(self).__name__}: {name} of sizes {tuple(state.shape)}; {sizes} are needed"
            )
        return state

    def _given_and_kept(self, input: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """What the input and the state give to the gates."""
        return (
            linear(input, self.weight_ih, self.bias_ih),
            linear(state, self.weight_hh, self.bias_hh),
        )

    def extra_repr(self) -> str:
        texts = [told(self.input_size), told(self.hidden_size)]
        if self.bias is not True:
            texts.append(settings(bias=self.bias))
        return ", ".join(texts)


class RNNCell(_Cell):
    """Take one step of tanh or relu of what is new and what was.

    h' = tanh(W_ih x + b_ih + W_hh h + b_hh). Called with an input [sequences, features] or
    [features], and hx, the states before, or zeros. Made of ops: gradients of any order.

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        bias: Add learned biases.
        nonlinearity: 'tanh' or 'relu'.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: Another nonlinearity.

    >>> gb.nn.RNNCell(3, 5)(gb.ones(2, 3)).shape
    (2, 5)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        chosen = check.choice("RNNCell", "nonlinearity", nonlinearity, "tanh", "relu")
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity: str = chosen

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        x = self._input(input)
        given, kept = self._given_and_kept(x, self._state("hx", hx, x))
        total = given + kept
        return total.tanh() if self.nonlinearity == "tanh" else total.relu()

    def extra_repr(self) -> str:
        is_usual = self.nonlinearity == "tanh"
        more = "" if is_usual else f", nonlinearity={told(self.nonlinearity)}"
        return super().extra_repr() + more

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, hx: Tensor | None = None) -> Tensor: ...


class LSTMCell(_Cell):
    """Take one step of long short-term memory.

    i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of W_ih x + b_ih + W_hh h + b_hh; c' = f c + i g;
    h' = o tanh(c'). Called with an input [sequences, features] or [features], and hx, the pair of
    states and cells before, or zeros, it returns the pair of them after. Made of ops: gradients of
    any order.

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        bias: Add learned biases.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, sizes that do not fit.
        TypeError: A number that is no integer; when called, hx that is no pair.

    >>> state, cell = gb.nn.LSTMCell(3, 5)(gb.ones(2, 3))
    >>> state.shape, cell.shape
    ((2, 5), (2, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        x = self._input(input)
        pair: list[Any] = [None, None]
        if hx is not None:
            pair = items_of(hx) if isinstance(hx, (list, tuple)) else []
            if len(pair) != 2:
                raise TypeError(
                    f"LSTMCell: hx of type {type(hx).__name__}; a pair (h_0, c_0) is needed"
                )
        state, cell = (
            self._state(said, one, x) for said, one in zip(("hx", "cx"), pair, strict=True)
        )
        given, kept = self._given_and_kept(x, state)
        return lstm_step(given + kept, cell)

    if TYPE_CHECKING:

        def __call__(
            self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
        ) -> tuple[Tensor, Tensor]: ...


class GRUCell(_Cell):
    """Take one step of gated recurrent units.

    r, z = sigmoid of W_ih x + b_ih + W_hh h + b_hh; n = tanh(W_in x + b_in + r (W_hn h + b_hn)); h'
    = (1 - z) n + z h. Called with an input [sequences, features] or [features], and hx, the states
    before, or zeros. Made of ops: gradients of any order.

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        bias: Add learned biases.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.GRUCell(3, 5)(gb.ones(3)).shape
    (5,)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        x = self._input(input)
        state = self._state("hx", hx, x)
        return gru_step(*self._given_and_kept(x, state), state)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, hx: Tensor | None = None) -> Tensor: ...
