"""Recurrent layers and their cells as PyTorch's native functions take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn import GRU, LSTM, RNN, functional
from garboard.nn.utils.rnn import PackedSequence

__all__ = [
    "gru",
    "gru_cell",
    "lstm",
    "lstm_cell",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
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


class _Given:
    """A recurrent layer with weights that it is given, and none of its own drawn."""

    @property
    def all_weights(self) -> list[list[Tensor]]:
        found: list[list[Tensor]] = vars(self)["_given_weights"]
        return found

    def reset_parameters(self) -> None:
        pass


class _GivenLSTM(_Given, LSTM):  # type: ignore[misc]
    pass


class _GivenGRU(_Given, GRU):  # type: ignore[misc]
    pass


class _GivenRNN(_Given, RNN):  # type: ignore[misc]
    pass


def _layers(name: str, kind: Any, gates: int, **options: Any) -> Callable[..., Any]:
    """A function of padded sequences, or of packed rows and how many sequences each step has."""

    def run(input: Tensor, *given: Any) -> Any:
        is_packed = len(given) > 2 and isinstance(given[2], (list, tuple))
        rest = given[1:] if is_packed else given
        if len(rest) != 8 - is_packed:
            raise TypeError(f"{name}: {1 + len(given)} arguments; PyTorch's 9 are needed")
        hx, params, has_biases, count, dropout, train, is_double, *first = rest
        weights = [check.tensor(name, "a parameter", it) for it in params]
        size, state = weights[0].shape[0] // gates, weights[1].shape[1]
        projected = {"proj_size": state} if state != size else {}
        layer = kind(
            weights[0].shape[1],
            size,
            count,
            bias=has_biases,
            batch_first=bool(first and first[0]),
            dropout=dropout,
            bidirectional=is_double,
            device=input.device,
            dtype=input.dtype,
            **options,
            **projected,
        ).train(train)
        each = len(weights) // (count * (1 + is_double))
        groups = [weights[at : at + each] for at in range(0, len(weights), each)]
        vars(layer)["_given_weights"] = groups
        state_of = tuple(hx) if kind is _GivenLSTM else hx
        rows = PackedSequence(input, given[0]) if is_packed else input
        out, last = layer(rows, state_of)
        result = out.data if is_packed else out
        return (result, *last) if kind is _GivenLSTM else (result, last)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = "Return the states of the last layer at each step, and the last states of all."
    return run


gru: Callable[..., tuple[Tensor, Tensor]] = _layers("gru", _GivenGRU, 3)
lstm: Callable[..., tuple[Tensor, Tensor, Tensor]] = _layers("lstm", _GivenLSTM, 4)
rnn_relu: Callable[..., tuple[Tensor, Tensor]] = _layers(
    "rnn_relu", _GivenRNN, 1, nonlinearity="relu"
)
rnn_tanh: Callable[..., tuple[Tensor, Tensor]] = _layers("rnn_tanh", _GivenRNN, 1)
