"""Recurrent layers and their cells as PyTorch's native functions take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from garboard._engine import Tensor
from garboard.nn import functional

__all__ = [
    "gru_cell",
    "lstm_cell",
    "rnn_relu_cell",
    "rnn_tanh_cell",
]


def _gates(input: Tensor, weight: Tensor, bias: Tensor | None, count: int) -> tuple[Tensor, ...]:
    return functional.linear(input, weight, bias).chunk(count, -1)


def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the hidden and the cell state after one step of an LSTM."""
    hidden, cell = hx
    sides = zip(_gates(input, w_ih, b_ih, 4), _gates(hidden, w_hh, b_hh, 4), strict=True)
    enter, forget, new, leave = (a + b for a, b in sides)
    after = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
    return leave.sigmoid() * after.tanh(), after


def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """Return the hidden state after one step of a GRU."""
    inner, outer = _gates(input, w_ih, b_ih, 3), _gates(hx, w_hh, b_hh, 3)
    reset, update = ((inner[it] + outer[it]).sigmoid() for it in (0, 1))
    new = (inner[2] + reset * outer[2]).tanh()
    return new + update * (hx - new)


def _plain(act: Callable[[Tensor], Tensor], name: str) -> Callable[..., Tensor]:
    def cell(
        input: Tensor,
        hx: Tensor,
        w_ih: Tensor,
        w_hh: Tensor,
        b_ih: Tensor | None = None,
        b_hh: Tensor | None = None,
    ) -> Tensor:
        return act(functional.linear(input, w_ih, b_ih) + functional.linear(hx, w_hh, b_hh))

    cell.__name__ = cell.__qualname__ = name
    cell.__doc__ = "Return the hidden state after one step of a plain recurrent layer."
    return cell


rnn_tanh_cell: Callable[..., Tensor] = _plain(Tensor.tanh, "rnn_tanh_cell")
rnn_relu_cell: Callable[..., Tensor] = _plain(Tensor.relu, "rnn_relu_cell")
