"""Attention, transformers and recurrent layers."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest

functional = gb.nn.functional


def drawn(*sizes: int, seed: int = 7) -> gb.Tensor:
    return gb.tensor(np.random.default_rng(seed).standard_normal(sizes))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def stepped(kind: str, x: np.ndarray, h: np.ndarray, c: Any, weights: list[np.ndarray]) -> Any:
    """One layer in one direction, by the formula."""
    w_ih, w_hh, b_ih, b_hh = weights
    out = []
    for row in x:
        given, kept = row @ w_ih.T + b_ih, h @ w_hh.T + b_hh
        if kind == "LSTM":
            i, f, g, o = np.split(given + kept, 4, -1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        elif kind == "GRU":
            (r, z, n), (kr, kz, kn) = np.split(given, 3, -1), np.split(kept, 3, -1)
            r, z = sigmoid(r + kr), sigmoid(z + kz)
            h = (1 - z) * np.tanh(n + r * kn) + z * h
        else:
            h = np.tanh(given + kept)
        out.append(h)
    return np.stack(out), h, c


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_a_recurrent_layer_is_its_formula_in_both_directions(kind):
    with gb.dispose_scope():
        layer = getattr(gb.nn, kind)(3, 5, num_layers=2, bidirectional=True, dtype=gb.float64)
        x = drawn(6, 4, 3)

        out, last = layer(x)

        h, cells = last if kind == "LSTM" else (last, None)
        rows, zeros = x.numpy(), np.zeros((4, 5))
        for number in range(2):
            sides = []
            for direction in range(2):
                place = 2 * number + direction
                weights = [p.detach().numpy() for p in layer.all_weights[place]]
                order = slice(None, None, -1 if direction else 1)
                made, state, cell = stepped(kind, rows[order], zeros, zeros, weights)
                sides.append(made[order])
                np.testing.assert_allclose(h[place].detach(), state, atol=1e-12)
                if cells is not None:
                    np.testing.assert_allclose(cells[place].detach(), cell, atol=1e-12)
            rows = np.concatenate(sides, -1)
        np.testing.assert_allclose(out.detach(), rows, atol=1e-12)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_the_gradients_of_a_recurrent_layer_are_its_slopes(kind):
    layer = getattr(gb.nn, kind)(2, 3, bidirectional=True, batch_first=True, dtype=gb.float64)
    x, states = drawn(2, 4, 2), [drawn(2, 2, 3, seed=s) for s in (8, 9)]

    def loss() -> gb.Tensor:
        out, last = layer(x, tuple(states) if kind == "LSTM" else states[0])
        lasts = last if kind == "LSTM" else (last,)
        return (out * out).sum() + sum((n + 1) * t.sin().sum() for n, t in enumerate(lasts))

    leaves = [x, *states[: 1 + (kind == "LSTM")], *layer.parameters()]
    for leaf in leaves:
        leaf.requires_grad_()
    slopes = gb.autograd.grad(loss(), leaves)

    rng = np.random.default_rng(3)
    with gb.no_grad():
        for leaf, slope in zip(leaves, slopes, strict=True):
            place = tuple(rng.integers(0, leaf.shape))
            found, step = leaf[place].item(), 1e-6
            ends = []
            for at in (found + step, found - step):
                leaf[place] = at
                ends.append(loss().item())
            leaf[place] = found
            np.testing.assert_allclose(slope[place].item(), (ends[0] - ends[1]) / (2 * step), 1e-5)
    layer.dispose()


def test_threads_do_not_change_a_recurrent_layer():
    before = gb.get_num_threads()
    made = []
    with gb.nn.LSTM(7, 33) as layer:
        try:
            for threads in (1, 3):
                gb.set_num_threads(threads)
                with gb.dispose_scope():
                    out, _ = layer(drawn(5, 70, 7).float())
                    made.append(out.detach().numpy().copy())
        finally:
            gb.set_num_threads(before)

    np.testing.assert_array_equal(*made)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_a_recurrent_step_leaves_nothing_behind(kind):
    with gb.leaks.no_leaks(), getattr(gb.nn, kind)(3, 4, 2, dropout=0.2) as layer:
        with gb.dispose_scope():
            out, _ = layer(gb.ones(5, 2, 3))
            out.sum().backward()

        assert all(p.grad is not None for p in layer.parameters())


def test_a_layer_without_a_batch_is_one_of_a_batch_of_one():
    with gb.dispose_scope():
        layer = gb.nn.GRU(3, 4, dtype=gb.float64)
        x = drawn(5, 3)

        out, last = layer(x, drawn(1, 4))
        many, lasts = layer(x.unsqueeze(1), drawn(1, 1, 4))

        np.testing.assert_array_equal(out.detach(), many.squeeze(1).detach())
        np.testing.assert_array_equal(last.detach(), lasts.squeeze(1).detach())


def test_recurrent_layers_say_what_they_are():
    with gb.nn.LSTM(3, 4, 2, bias=False, batch_first=True, bidirectional=True) as layer:
        text = "LSTM(3, 4, num_layers=2, bias=False, batch_first=True, bidirectional=True)"
        names = [name for name, _ in layer.named_parameters()]

        assert repr(layer) == text
        assert names[:4] == [
            "weight_ih_l0",
            "weight_hh_l0",
            "weight_ih_l0_reverse",
            "weight_hh_l0_reverse",
        ]


def test_what_a_recurrent_layer_cannot_take_is_refused():
    with gb.nn.LSTM(3, 4) as layer, gb.dispose_scope():
        wrong: list[tuple[Any, type[Exception], str]] = [
            (lambda: layer(gb.ones(5, 2, 2)), gb.ShapeError, "the last of size 3"),
            (lambda: layer(gb.ones(0, 2, 3)), gb.ShapeError, "no steps"),
            (lambda: layer(gb.ones(5, 2, 3), gb.ones(1, 2, 4)), TypeError, "a pair"),
            (
                lambda: layer(gb.ones(5, 2, 3), (gb.ones(1, 3, 4), gb.ones(1, 2, 4))),
                gb.ShapeError,
                r"hx of sizes \(1, 3, 4\)",
            ),
            (lambda: layer(gb.ones(5, 2, 3).long()), gb.DTypeError, "int64"),
            (lambda: gb.nn.LSTM(3, 4, proj_size=4), ValueError, "less is needed"),
            (lambda: gb.nn.GRU(3, 0), ValueError, "hidden_size 0"),
        ]
        for call, error, told in wrong:
            with pytest.raises(error, match=told):
                call()


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("kind", ["RNN", "relu", "LSTM", "GRU"])
def test_the_gradient_of_a_recurrent_layer_has_its_gradient(kind, is_packed):
    options: dict[str, Any] = {"bidirectional": True, "dtype": gb.float64}
    with gb.leaks.no_leaks(), gb.dispose_scope():
        if kind == "relu":
            layer = gb.nn.RNN(2, 3, nonlinearity="relu", **options)
        else:
            layer = getattr(gb.nn, kind)(2, 3, **options)
        names, weights = zip(*layer.named_parameters(), strict=True)
        lengths = gb.tensor([4, 3, 1])
        inputs = (drawn(4, 3, 2).requires_grad_(), drawn(2, 3, 3, seed=8).requires_grad_())

        def run(x: gb.Tensor, first: gb.Tensor, *given: gb.Tensor) -> tuple[gb.Tensor, ...]:
            rows = gb.nn.utils.rnn.pack_padded_sequence(x, lengths) if is_packed else x
            hx = (first, first * 0.5) if kind == "LSTM" else first
            replaced = dict(zip(names, given, strict=True))
            out, last = gb.func.functional_call(layer, replaced, (rows, hx))
            kept = [last] if isinstance(last, gb.Tensor) else list(last)
            return (out.data if is_packed else out, *kept)

        drawn_weights = [drawn(*w.shape, seed=i).requires_grad_() for i, w in enumerate(weights)]
        assert gb.autograd.gradcheck(run, (*inputs, *drawn_weights))
        assert gb.autograd.gradgradcheck(run, (*inputs, *drawn_weights))
        plain = gb.autograd.grad(run(*inputs, *drawn_weights)[0].sum(), inputs)
        recorded = gb.autograd.grad(
            run(*inputs, *drawn_weights)[0].sum(), inputs, create_graph=True
        )
        for one, other in zip(plain, recorded, strict=True):
            gb.testing.assert_close(one, other.detach())


def test_attention_in_blocks_is_softmax_of_all_scores():
    with gb.leaks.no_leaks(), gb.dispose_scope():
        q, k, v = drawn(2, 4, 150, 8), drawn(2, 2, 300, 8, seed=8), drawn(2, 2, 300, 5, seed=9)
        seen = gb.tensor(np.random.default_rng(1).random((2, 1, 150, 300)) > 0.4)
        leaves = [t.requires_grad_() for t in (q, k, v)]

        out = functional.scaled_dot_product_attention(*leaves, seen, enable_gqa=True)
        slopes = gb.autograd.grad((out * out).sum(), leaves)

        wide = [k.unsqueeze(2).expand(2, 2, 2, 300, 8).reshape(2, 4, 300, 8)]
        wide.append(v.unsqueeze(2).expand(2, 2, 2, 300, 5).reshape(2, 4, 300, 5))
        scores = gb.where(seen, q @ wide[0].transpose(-2, -1) / np.sqrt(8), -np.inf)
        whole = gb.softmax(scores, -1) @ wide[1]
        expected = gb.autograd.grad((whole * whole).sum(), leaves)
        np.testing.assert_allclose(out.detach(), whole.detach(), atol=1e-12)
        for one, other in zip(slopes, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-11)


def test_a_row_that_sees_nothing_is_zero_and_has_no_slope():
    with gb.dispose_scope():
        q, k, v = (drawn(1, 3, 4, seed=s).requires_grad_() for s in (1, 2, 3))
        seen = gb.tensor([[True, False, True], [False, False, False], [True, True, True]])

        out = functional.scaled_dot_product_attention(q, k, v, seen)
        slope = gb.autograd.grad(out.sum(), q)[0]

        assert out[0, 1].tolist() == [0.0] * 4
        assert slope[0, 1].tolist() == [0.0] * 4
        assert np.isfinite(slope.numpy()).all()


@pytest.mark.parametrize(("keys", "values"), [(2, 6), (6, 1), (2, 3)])
def test_keys_and_values_may_have_different_numbers_of_heads(keys, values, no_leaks):
    q, k, v = (drawn(2, n, 5, 4, seed=n).requires_grad_() for n in (6, keys, values))

    out = functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    spread = (k.repeat_interleave(6 // keys, 1), v.repeat_interleave(6 // values, 1))
    expected = functional.scaled_dot_product_attention(q, *spread)
    gb.testing.assert_close(out, expected)
    slopes = (gb.autograd.grad((it * it).sum(), (q, k, v)) for it in (out, expected))
    for found, right in zip(*slopes, strict=True):
        gb.testing.assert_close(found, right)


def test_heads_that_do_not_divide_those_of_the_query_are_refused():
    with pytest.raises(gb.ShapeError, match="heads of key and value must divide"):
        functional.scaled_dot_product_attention(
            gb.ones(2, 6, 5, 4), gb.ones(2, 4, 5, 4), gb.ones(2, 2, 5, 4), enable_gqa=True
        )


def test_attention_keeps_a_share_of_its_elements_and_their_slopes():
    with gb.dispose_scope():
        gb.manual_seed(3)
        q, k = gb.zeros(1, 200, 4), gb.zeros(1, 300, 4)
        v = gb.eye(300).unsqueeze(0).requires_grad_()

        kept = functional.scaled_dot_product_attention(q, k, v, dropout_p=0.25)
        slope = gb.autograd.grad(kept.sum(), v)[0]

        shares = kept.detach().numpy() * 300 * 0.75
        assert set(np.unique(shares.round(3))) == {0.0, 1.0}
        assert abs(shares.mean() - 0.75) < 0.01
        np.testing.assert_allclose(slope[0, :, 0], kept.detach().numpy()[0].sum(0), rtol=1e-5)


def test_attention_of_a_long_sequence_needs_no_room_for_its_scores():
    with gb.dispose_scope():
        q = gb.ones(1, 1, 2048, 16).requires_grad_()
        gb.memory.reset_peak_memory_stats()
        before = gb.memory.memory_allocated()

        functional.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()

        assert gb.memory.max_memory_allocated() - before < 12 * q.nbytes


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("batch_first", [True, False])
def test_multihead_attention_is_its_formula(need_weights, batch_first):
    with gb.dispose_scope():
        layer = gb.nn.MultiheadAttention(6, 2, batch_first=batch_first, dtype=gb.float64)
        x, y = drawn(3, 4, 6), drawn(3, 5, 6, seed=8)
        away = gb.tensor([[False] * 5, [False, True, False, False, True], [False] * 5])
        causal = gb.nn.Transformer.generate_square_subsequent_mask(5)[:4].double()
        given = (x, y, y) if batch_first else tuple(t.transpose(0, 1) for t in (x, y, y))

        out, weights = layer(*given, away, need_weights, causal)

        w, b = layer.in_proj_weight.detach().numpy(), layer.in_proj_bias.detach().numpy()
        parts = zip(given_rows := (x.numpy(), y.numpy(), y.numpy()), np.split(w, 3), strict=True)
        q, k, v = (
            (rows @ part.T + bias).reshape(3, -1, 2, 3).swapaxes(1, 2)
            for (rows, part), bias in zip(parts, np.split(b, 3), strict=True)
        )
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(3) + causal.numpy()
        scores = np.where(away.numpy()[:, None, None], -np.inf, scores)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ v).swapaxes(1, 2).reshape(3, 4, 6)
        expected = mixed @ layer.out_proj.weight.detach().numpy().T
        assert len(given_rows) == 3
        np.testing.assert_allclose(
            (out if batch_first else out.transpose(0, 1)).detach(), expected, atol=1e-12
        )
        if need_weights:
            np.testing.assert_allclose(weights.detach(), shares.mean(1), atol=1e-12)
        else:
            assert weights is None


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_transformer_learns_and_leaves_nothing_behind(norm_first):
    with (
        gb.leaks.no_leaks(),
        gb.nn.Transformer(8, 2, 1, 2, 16, 0.1, "gelu", norm_first=norm_first) as model,
        gb.dispose_scope(),
    ):
        mask = model.generate_square_subsequent_mask(4)

        out = model(drawn(5, 3, 8).float(), drawn(4, 3, 8).float(), tgt_mask=mask)
        out.sum().backward()

        assert out.shape == (4, 3, 8)
        assert all(p.grad is not None for p in model.parameters())
        names = dict(model.named_parameters())
        assert "encoder.layers.0.self_attn.in_proj_weight" in names
        assert "decoder.layers.1.multihead_attn.out_proj.bias" in names


def test_attention_to_keys_without_elements_is_even():
    queries, keys = gb.zeros(1, 2, 0), gb.zeros(1, 4, 0)
    values = gb.arange(4.0).reshape(1, 4, 1)

    made = gb.nn.functional.scaled_dot_product_attention(queries, keys, values)

    assert made.tolist() == [[[1.5], [1.5]]]
