"""Masks of attention by the corner that their triangle begins at."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.nn import functional
from garboard.nn.attention.bias import (
    CausalBias,
    CausalVariant,
    causal_lower_right,
    causal_upper_left,
)

pytestmark = pytest.mark.no_leaks


def test_a_triangle_begins_at_the_first_or_ends_at_the_last():
    first, last = causal_upper_left(2, 3), causal_lower_right(2, 3)

    assert first.tolist() == [[True, False, False], [True, True, False]]
    assert last.tolist() == [[True, True, False], [True, True, True]]
    assert isinstance(last, CausalBias)
    assert (last.variant, last.seq_len_q, last.seq_len_kv) == (CausalVariant.LOWER_RIGHT, 2, 3)


def test_attention_takes_one_and_gives_a_tensor():
    x = gb.arange(12.0).reshape(1, 1, 3, 4) / 12

    made = functional.scaled_dot_product_attention(x, x, x, attn_mask=causal_lower_right(3, 3))

    assert type(made) is gb.Tensor
    assert gb.allclose(made, functional.scaled_dot_product_attention(x, x, x, is_causal=True))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: causal_lower_right(3), ValueError),
        (lambda: causal_upper_left(-1, 3), gb.ShapeError),
        (lambda: causal_upper_left(1, "a"), TypeError),
        (lambda: CausalBias(1, 2, 3), TypeError),
    ],
)
def test_what_are_no_two_counts_is_refused(call, error):
    with pytest.raises(error):
        call()
