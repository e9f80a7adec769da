"""Recurrent layers of packed sequences, in half types and projected, and single cells."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.nn.utils.rnn import PackedSequence, pack_sequence, unpack_sequence

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

KINDS = ["RNN", "LSTM", "GRU"]
LENGTHS = [2, 5, 1, 3]


def drawn(*sizes: int, seed: int = 7) -> gb.Tensor:
    return gb.tensor(np.random.default_rng(seed).standard_normal(sizes))


def flat(out: Any) -> list[Any]:
    """The output, then the last states of each kind."""
    return [out[0], *(out[1] if isinstance(out[1], tuple) else [out[1]])]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def state_for(kind: str, states: list[gb.Tensor]) -> Any:
    return tuple(states) if kind == "LSTM" else states[0]


@pytest.mark.parametrize("kind", [*KINDS, "projected LSTM"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_packed_batch_gives_what_each_sequence_gives_alone(kind, bidirectional):
    options: dict[str, Any] = {"bidirectional": bidirectional, "dtype": gb.float64}
    if kind == "projected LSTM":
        kind, options["proj_size"] = "LSTM", 2
    with gb.dispose_scope():
        layer = getattr(gb.nn, kind)(3, 4, num_layers=2, **options)
        xs = [drawn(n, 3, seed=n).requires_grad_() for n in LENGTHS]
        sides = 2 * (1 + bidirectional)
        states = [drawn(sides, 4, options.get("proj_size", 4)), drawn(sides, 4, 4, seed=8)]

        out, *last = flat(layer(pack_sequence(xs, enforce_sorted=False), state_for(kind, states)))

        assert isinstance(out, PackedSequence)
        assert out.sorted_indices.tolist() == [1, 3, 0, 2]
        (out.data.square().sum() + sum(x.sum() for x in last)).backward()
        parameters = [*xs, *layer.parameters()]
        packed_grads = [x.grad.clone() for x in parameters]
        for x in parameters:
            x.grad = None
        for i, (x, y) in enumerate(zip(xs, unpack_sequence(out), strict=True)):
            alone, *ends = flat(layer(x, state_for(kind, [s[:, i] for s in states])))
            np.testing.assert_allclose(y.detach(), alone.detach(), atol=1e-12)
            for kept, end in zip(last, ends, strict=True):
                np.testing.assert_allclose(kept[:, i].detach(), end.detach(), atol=1e-12)
            (alone.square().sum() + sum(end.sum() for end in ends)).backward()
        for grad, x in zip(packed_grads, parameters, strict=True):
            np.testing.assert_allclose(grad, x.grad, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_packed_output_ends_with_its_scope_and_leaves_the_input(kind):
    layer = getattr(gb.nn, kind)(3, 4)
    packed = pack_sequence([gb.ones(3, 3), gb.ones(2, 3)])

    with gb.leaks.no_leaks(), gb.dispose_scope() as scope:
        out, _ = layer(packed)
        assert out in scope
        flat(layer(out._replace(data=packed.data)))[0].data.sum().backward()

    assert out.batch_sizes.is_disposed
    assert packed.batch_sizes.tolist() == [2, 2, 1]


@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_projected_lstm_is_its_formula(bidirectional):
    layer = gb.nn.LSTM(3, 4, proj_size=2, bidirectional=bidirectional, dtype=gb.float64)
    x = drawn(5, 2, 3)

    out, (h, c) = layer(x)

    assert repr(layer).startswith("LSTM(3, 4, proj_size=2")
    sides = []
    for side, weights in enumerate(layer.all_weights):
        w_ih, w_hh, b_ih, b_hh, w_hr = (w.detach().numpy() for w in weights)
        state, cell, rows = np.zeros((2, 2)), np.zeros((2, 4)), []
        order = slice(None, None, -1 if side else 1)
        for row in x.numpy()[order]:
            gates = row @ w_ih.T + b_ih + state @ w_hh.T + b_hh
            i, f, g, o = np.split(gates, 4, -1)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            state = (sigmoid(o) * np.tanh(cell)) @ w_hr.T
            rows.append(state)
        np.testing.assert_allclose(h[side].detach(), state, atol=1e-12)
        np.testing.assert_allclose(c[side].detach(), cell, atol=1e-12)
        sides.append(np.stack(rows)[order])
    np.testing.assert_allclose(out.detach(), np.concatenate(sides, -1), atol=1e-12)


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16])
@pytest.mark.parametrize("kind", KINDS)
def test_half_types_are_rounded_once_a_layer(kind, dtype):
    layer = getattr(gb.nn, kind)(3, 4).to(dtype)
    wide = getattr(gb.nn, kind)(3, 4)
    wide.load_state_dict({name: x.float() for name, x in layer.state_dict().items()})
    x = drawn(6, 2, 3).to(dtype)

    out, *last = flat(layer(x))

    wanted = flat(wide(x.float()))
    for made, it in zip([out, *last], wanted, strict=True):
        assert made.dtype == dtype
        assert made.tolist() == it.to(dtype).tolist()
    out.float().sum().backward()
    wanted[0].sum().backward()
    assert layer.weight_hh_l0.grad.tolist() == wide.weight_hh_l0.grad.to(dtype).tolist()


class TestCells:
    @pytest.mark.parametrize("bias", [False, True])
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_loop_over_a_cell_is_the_layer(self, kind, bias):
        cell = getattr(gb.nn, f"{kind}Cell")(3, 4, bias=bias, dtype=gb.float64)
        layer = getattr(gb.nn, kind)(3, 4, bias=bias, dtype=gb.float64)
        layer.load_state_dict({f"{name}_l0": x for name, x in cell.state_dict().items()})
        x = drawn(5, 2, 3)

        state = None
        for row in x:
            state = cell(row, state)

        _, *wanted = flat(layer(x))
        made = state if isinstance(state, tuple) else (state,)
        for it, end in zip(made, wanted, strict=True):
            np.testing.assert_allclose(it.detach(), end[0].detach(), atol=1e-12)

    @pytest.mark.parametrize("kind", KINDS)
    def test_has_gradients_of_any_order(self, kind):
        cell = getattr(gb.nn, f"{kind}Cell")(2, 3, dtype=gb.float64)
        inputs = [drawn(2, 2).requires_grad_(), drawn(2, 3, seed=8).requires_grad_()]
        if kind == "LSTM":
            inputs.append(drawn(2, 3, seed=9).requires_grad_())

        def run(x, *states):
            return cell(x, state_for(kind, states))

        assert gb.autograd.gradcheck(run, inputs)
        assert gb.autograd.gradgradcheck(run, inputs)

    @pytest.mark.parametrize("kind", KINDS)
    def test_takes_one_sequence_and_half_types(self, kind):
        cell = getattr(gb.nn, f"{kind}Cell")(2, 3).bfloat16()

        made = cell(gb.ones(2, dtype=gb.bfloat16))

        state = made[0] if kind == "LSTM" else made
        assert (state.shape, state.dtype) == ((3,), gb.bfloat16)

    def test_relu_and_texts(self):
        cell = gb.nn.RNNCell(1, 1, bias=False, nonlinearity="relu")
        gb.nn.init.constant_(cell.weight_ih, -1.0)

        assert cell(gb.ones(1, 1)).tolist() == [[0]]
        assert repr(cell) == "RNNCell(1, 1, bias=False, nonlinearity=relu)"
        assert repr(gb.nn.LSTMCell(2, 3)) == "LSTMCell(2, 3)"
        assert cell.bias_ih is None


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gb.nn.LSTM(2, 3, proj_size=3), ValueError, "less is needed"),
        (lambda: gb.nn.LSTM(2, 3, proj_size=-1), ValueError, "0 or more"),
        (lambda: gb.nn.RNNCell(2, 3, nonlinearity="gelu"), ValueError, "'tanh' or 'relu'"),
        (lambda: gb.nn.GRUCell(2, 3)(gb.ones(1, 1, 2)), gb.ShapeError, "one or two dims"),
        (lambda: gb.nn.GRUCell(2, 3)(gb.ones(4, 2), gb.ones(3)), gb.ShapeError, "hx of sizes"),
        (lambda: gb.nn.LSTMCell(2, 3)(gb.ones(2), gb.ones(3)), TypeError, "a pair"),
        (lambda: gb.nn.GRU(2, 3)(pack_sequence([gb.ones(2, 3)])), gb.ShapeError, "of size 2"),
        (
            lambda: gb.nn.GRU(2, 3)(pack_sequence([gb.ones(2, 2)]), gb.ones(1, 2, 3)),
            gb.ShapeError,
            r"\(1, 1, 3\) are needed",
        ),
        (
            lambda: gb.nn.GRU(2, 3)(pack_sequence([gb.ones(2, 2)]).long()),
            gb.DTypeError,
            "floating",
        ),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with gb.leaks.no_leaks(), pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("hidden", [{}, None, gb.float32, (1,)])
def test_first_states_of_an_lstm_that_are_no_pair_are_refused_by_name(hidden):
    with pytest.raises(TypeError, match="LSTM: hidden of type"):
        gb.nn.LSTM(1, 2).check_forward_args(gb.ones(4, 1, 1), hidden, None)


def test_no_sizes_of_states_are_a_range():
    with pytest.raises(TypeError, match="check_hidden_size: expected_hidden_size is of type range"):
        gb.nn.GRU(2, 3).check_hidden_size(gb.ones(1, 4, 3), range(2**62))
