"""Attention whose scores and masks are functions."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.nn.attention.flex_attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    noop_mask,
    or_masks,
)

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def causal(b, h, q_idx, kv_idx):
    return q_idx >= kv_idx


def qkv(batches=2, heads=4, kv_heads=4, length=20, dtype=gb.float64):
    gb.manual_seed(0)
    return (
        gb.randn(batches, heads, length, 8, dtype=dtype, requires_grad=True),
        gb.randn(batches, kv_heads, length, 8, dtype=dtype, requires_grad=True),
        gb.randn(batches, kv_heads, length, 6, dtype=dtype, requires_grad=True),
    )


def by_hand(q, k, v, change=lambda scores: scores):
    return change(q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1) @ v


class TestFlexAttention:
    def test_is_attention_where_nothing_is_changed(self):
        q, k, v = qkv()

        gb.testing.assert_close(flex_attention(q, k, v), by_hand(q, k, v))

    @pytest.mark.parametrize("size", [3, 8, 128])
    def test_sees_what_the_mask_lets_it_see(self, size):
        q, k, v = qkv()
        mask = create_block_mask(causal, None, None, 20, 20, BLOCK_SIZE=size)
        unseen = ~gb.ones(20, 20, dtype=gb.bool).tril()

        found = flex_attention(q, k, v, block_mask=mask)

        hidden = by_hand(q, k, v, lambda it: it.masked_fill(unseen, -float("inf")))
        gb.testing.assert_close(found, hidden)

    def test_changes_scores_by_a_function_of_places(self):
        q, k, v = qkv()
        slopes = gb.tensor([0.5, 0.25, 0.125, 0.0625], dtype=gb.float64)
        distance = gb.arange(20)[None, :] - gb.arange(20)[:, None]

        found = flex_attention(q, k, v, lambda s, b, h, i, j: s + slopes[h] * (j - i))

        wanted = by_hand(q, k, v, lambda it: it + slopes[:, None, None] * distance)
        gb.testing.assert_close(found, wanted)

    def test_gives_gradients_to_all_that_the_scores_are_made_of(self):
        q, k, v = qkv(1, 2, 1, 5)
        bias = gb.randn(2, 9, dtype=gb.float64, requires_grad=True)
        mask = create_block_mask(lambda b, h, i, j: i > j, None, None, 5, 5, BLOCK_SIZE=2)

        def mixed(q, k, v, bias):
            return flex_attention(
                q, k, v, lambda s, b, h, i, j: s.tanh() + bias[h, i - j + 4], mask, 0.5, True
            )

        assert gb.autograd.gradcheck(mixed, (q, k, v, bias))

    def test_gives_zeros_to_who_sees_nothing(self):
        q, k, v = qkv()
        nobody = create_block_mask(lambda b, h, i, j: i > j, None, None, 20, 20)

        for score_mod in (None, lambda s, b, h, i, j: s):
            found, lse = flex_attention(q, k, v, score_mod, nobody, return_lse=True)

            assert found[:, :, 0].abs().sum().item() == 0
            assert lse[0, 0, 0].item() == -float("inf")

    def test_lets_heads_of_keys_serve_several_of_queries(self):
        q, k, v = qkv(kv_heads=2)
        wide = by_hand(q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1))

        gb.testing.assert_close(flex_attention(q, k, v, enable_gqa=True), wide)
        changed = flex_attention(q, k, v, lambda s, b, h, i, j: s, enable_gqa=True)
        gb.testing.assert_close(changed, wide)

    def test_says_what_the_scores_add_up_to(self):
        q, k, v = qkv(dtype=gb.float32)
        scores = q @ k.transpose(-2, -1) * 8**-0.5

        found, aux = flex_attention(q, k, v, return_aux=AuxRequest(lse=True, max_scores=True))
        _, lse = flex_attention(q, k, v, return_lse=True)

        gb.testing.assert_close(aux.lse, scores.logsumexp(-1))
        gb.testing.assert_close(lse, aux.lse)
        gb.testing.assert_close(aux.max_scores, scores.amax(-1))
        gb.testing.assert_close(found, by_hand(q, k, v))

    def test_keeps_half_types(self):
        q, k, v = (it.bfloat16() for it in qkv())

        assert flex_attention(q, k, v, lambda s, b, h, i, j: s * 2).dtype == gb.bfloat16

    @pytest.mark.parametrize(
        ("change", "error", "match"),
        [
            (lambda: {"query": gb.ones(4, 20, 8)}, gb.ShapeError, r"query \[4, 20, 8\]"),
            (lambda: {"key": gb.ones(2, 4, 20, 7)}, gb.ShapeError, "as many features in keys"),
            (lambda: {"query": [1]}, TypeError, "query"),
            (lambda: {"query": gb.ones(2, 8, 20, 8)}, ValueError, "enable_gqa=True"),
            (lambda: {"score_mod": 3}, TypeError, "score_mod of type int"),
            (lambda: {"score_mod": lambda *_: 3}, gb.ShapeError, "score_mod gave int"),
            (
                lambda: {"score_mod": lambda s, *_: s[..., :3]},
                gb.ShapeError,
                r"gave a tensor \[2, 4, 20",
            ),
            (lambda: {"block_mask": gb.ones(20, 20)}, TypeError, "block_mask"),
            (
                lambda: {"block_mask": create_block_mask(causal, None, None, 21, 20)},
                ValueError,
                "a block_mask of 21 queries and 20 keys",
            ),
        ],
    )
    def test_refuses_what_does_not_fit(self, change, error, match):
        q, k, v = qkv(dtype=gb.float32)

        with pytest.raises(error, match=match):
            flex_attention(**{"query": q, "key": k, "value": v, **change()})


class TestABlockMask:
    def test_tells_whole_blocks_from_others(self):
        mask = create_block_mask(causal, None, 2, 5, 5, BLOCK_SIZE=2)

        assert mask.shape == (1, 2, 5, 5)
        assert mask.numel() == 50
        assert mask.kv_num_blocks[0, 0].tolist() == [1, 1, 3]
        assert mask.kv_indices[0, 0].tolist() == [[0, 1, 2], [1, 0, 2], [0, 1, 2]]
        assert mask.full_kv_num_blocks[0, 0].tolist() == [0, 1, 0]
        assert mask.to_dense()[0, 1].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
        assert "sparsity=33.33%" in repr(mask)
        assert mask.to("cpu").sparsity() == pytest.approx(100 / 3)

    def test_may_leave_whole_blocks_among_the_others(self):
        mask = create_block_mask(causal, 1, 1, 4, 4, BLOCK_SIZE=2, separate_full_blocks=False)

        assert mask.full_kv_num_blocks is None
        assert mask.to_dense()[0, 0].tolist() == [[1, 0], [1, 1]]

    def test_of_named_blocks_hides_the_others(self):
        q, k, v = qkv(1, 1, 1, 4)
        counts, which = gb.tensor([[[1, 1]]]), gb.tensor([[[[0, 1], [1, 0]]]])
        mask = BlockMask.from_kv_blocks(counts, which, BLOCK_SIZE=2)
        unseen = gb.tensor([[0, 0, 1, 1]] * 2 + [[1, 1, 0, 0]] * 2).bool()

        found = flex_attention(q, k, v, block_mask=mask)

        hidden = by_hand(q, k, v, lambda it: it.masked_fill(unseen, -float("inf")))
        gb.testing.assert_close(found, hidden)

    def test_gives_the_row_of_one_block_of_queries(self):
        q, k, v = qkv(1, 1, 1, 8)
        mask = create_block_mask(causal, None, None, 8, 8, BLOCK_SIZE=4)
        place = gb.tensor([5])

        row = mask[:, :, place // 4]
        row.mask_mod = lambda b, h, q_idx, kv_idx: q_idx + place >= kv_idx
        row.seq_lengths = (1, 8)

        found = flex_attention(q[:, :, 5:6], k, v, block_mask=row)
        gb.testing.assert_close(found, flex_attention(q, k, v, block_mask=mask)[:, :, 5:6])
        assert mask[0, 0, 1].shape == (1, 1, 4, 8)

    def test_refuses_what_does_not_fit(self):
        with pytest.raises(TypeError, match="a mask of type int"):
            create_block_mask(3, None, None, 4, 4)  # type: ignore[arg-type]
        with pytest.raises(gb.ShapeError, match="mask_mod gave str"):
            create_mask(lambda *_: "no", None, None, 4, 4)
        with pytest.raises(ValueError, match="Q_LEN"):
            create_mask(causal, None, None, -4, 4)
        with pytest.raises(ValueError, match="BLOCK_SIZE"):
            create_block_mask(causal, None, None, 4, 4, BLOCK_SIZE=0)
        with pytest.raises(ValueError, match="both, or neither"):
            BlockMask.from_kv_blocks(gb.ones(1), gb.ones(1, 1), gb.ones(1))
        with pytest.raises(gb.ShapeError, match=r"counts \[2\] and indices \[1, 1\]"):
            BlockMask.from_kv_blocks(gb.ones(2), gb.ones(1, 1))


class TestMasks:
    def test_are_put_together(self):
        near = and_masks(causal, lambda b, h, i, j: i - j < 2)
        first = or_masks(near, lambda b, h, i, j: j == 0)

        assert create_mask(near, None, None, 3, 3)[0, 0].int().sum().item() == 5
        assert create_mask(first, 2, 3, 3, 3).int().sum().item() == 6 * 6
        assert create_mask(noop_mask, None, None, 2, 2).all()
        with pytest.raises(TypeError, match="and_masks"):
            and_masks(causal, 3)  # type: ignore[arg-type]

    def test_of_scores_are_what_becomes_of_zeros(self):
        found = create_mask(lambda s, b, h, i, j: s + i - j, None, None, 2, 2)

        assert found[0, 0].tolist() == [[0, -1], [1, 0]]
