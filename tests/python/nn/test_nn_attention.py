"""Attention with several heads as a function, beside the layer that it belongs to."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

attend = gb.nn.functional.multi_head_attention_forward


def common(layer: Any) -> dict[str, Any]:
    return {
        "embed_dim_to_check": layer.embed_dim,
        "num_heads": layer.num_heads,
        "in_proj_weight": layer.in_proj_weight,
        "in_proj_bias": layer.in_proj_bias,
        "bias_k": layer.bias_k,
        "bias_v": layer.bias_v,
        "add_zero_attn": layer.add_zero_attn,
        "dropout_p": 0.0,
        "out_proj_weight": layer.out_proj.weight,
        "out_proj_bias": layer.out_proj.bias,
    }


@pytest.mark.parametrize("settings", [{}, {"bias": False}, {"add_bias_kv": True}])
@pytest.mark.parametrize("averages", [True, False])
def test_it_gives_what_the_layer_gives(settings, averages):
    gb.manual_seed(0)
    layer = gb.nn.MultiheadAttention(8, 2, **settings)
    q, kv = gb.randn(3, 2, 8), gb.randn(5, 2, 8)
    masks = {"attn_mask": gb.randn(3, 5), "key_padding_mask": gb.zeros(2, 5).bool()}
    masks["key_padding_mask"][0, 4] = True

    with gb.leaks.no_leaks():
        expected = layer(q, kv, kv, average_attn_weights=averages, **masks)
        found = attend(q, kv, kv, **common(layer), average_attn_weights=averages, **masks)
        assert all(gb.equal(a, b) for a, b in zip(found, expected, strict=True))
        del expected, found


def test_weights_may_stand_apart():
    gb.manual_seed(0)
    layer = gb.nn.MultiheadAttention(8, 2, kdim=6, vdim=7)
    q, k, v = gb.randn(3, 2, 8), gb.randn(5, 2, 6), gb.randn(5, 2, 7)
    apart = {
        name: getattr(layer, name) for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight")
    }

    found, none = attend(
        q, k, v, **common(layer), need_weights=False, use_separate_proj_weight=True, **apart
    )

    assert gb.equal(found, layer(q, k, v, need_weights=False)[0])
    assert none is None


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"num_heads": 3}, gb.ShapeError, "8 features in 3 heads"),
        ({"static_k": 1}, ValueError, "static_k"),
        ({"in_proj_weight": None}, TypeError, "in_proj_weight"),
        ({"use_separate_proj_weight": True}, TypeError, "q_proj_weight"),
        ({"dropout_p": 2.0}, ValueError, "dropout_p"),
        ({"is_causal": True}, ValueError, "is_causal without attn_mask"),
        ({"embed_dim_to_check": 4, "num_heads": 2}, gb.ShapeError, "query of sizes"),
    ],
)
def test_what_does_not_fit_is_refused(changes, error, match):
    layer, x = gb.nn.MultiheadAttention(8, 2), gb.ones(3, 2, 8)

    with pytest.raises(error, match=match):
        attend(x, x, x, **(common(layer) | changes))


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.bfloat16])
@pytest.mark.parametrize("is_causal", [False, True])
def test_results_lie_by_positions_where_the_query_does(dtype, is_causal):
    gb.manual_seed(0)
    x = gb.randn(2, 5, 3 * 24, dtype=gb.float64).to(dtype).requires_grad_()
    attend = gb.nn.functional.scaled_dot_product_attention

    def heads(rows: gb.Tensor) -> list[gb.Tensor]:
        return [it.view(2, 5, 3, 8).transpose(1, 2) for it in rows.split(24, 2)]

    y = attend(*heads(x), is_causal=is_causal)
    joined = y.transpose(1, 2).view(2, 5, 24)
    (gradient,) = gb.autograd.grad((joined * joined).sum(), x)
    dense = attend(*[it.contiguous() for it in heads(x)], is_causal=is_causal)
    (expected,) = gb.autograd.grad((dense * dense).sum(), x)

    assert y.stride() == (120, 8, 24, 1)
    assert dense.stride() == (120, 40, 8, 1)
    gb.testing.assert_close(y, dense)
    gb.testing.assert_close(gradient, expected)


@pytest.mark.parametrize("need_weights", [False, True])
def test_of_several_heads_gives_what_lies_dense_and_calls_no_hook_of_its_last_map(need_weights):
    layer, calls = gb.nn.MultiheadAttention(8, 2), []
    layer.out_proj.register_forward_hook(lambda *_: calls.append(1))

    result, _ = layer(*[gb.randn(7, 4, 8)] * 3, need_weights=need_weights)

    assert result.is_contiguous()
    assert calls == []


def test_layers_have_the_activation_of_functional():
    layer = gb.nn.TransformerEncoderLayer(8, 2, 16)

    assert layer.activation is gb.nn.functional.relu
    assert gb.nn.TransformerDecoderLayer(8, 2, activation="relu").activation is layer.activation
    stacks = gb.nn.Transformer(8, 2, 1, 1, 16)
    assert stacks.encoder.layers[0].activation is layer.activation
    assert stacks.decoder.layers[0].activation is layer.activation
