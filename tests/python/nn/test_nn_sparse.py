"""Tables of learned vectors."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestEmbedding:
    def test_takes_the_rows_and_learns_them_but_the_padding(self):
        layer = nn.Embedding(4, 3, padding_idx=-4)

        with gb.leaks.no_leaks():
            rows = layer(gb.tensor([[1, 0], [1, 3]]))
            assert rows.tolist() == [
                [layer.weight[i].tolist() for i in row] for row in ((1, 0), (1, 3))
            ]
            (rows * gb.ones(2, 2, 3)).sum().backward()
            assert layer.weight.grad is not None
            assert layer.weight.grad.tolist() == [[0] * 3, [2] * 3, [0] * 3, [1] * 3]
            del rows
            layer.zero_grad()

    def test_starts_with_zeros_for_the_padding(self):
        gb.manual_seed(3)
        layer = nn.Embedding(1000, 8, padding_idx=2)

        assert layer.weight[2].tolist() == [0] * 8
        assert abs(layer.weight.mean().item()) < 0.05
        assert abs(layer.weight.std().item() - 1) < 0.05

    def test_shows_its_sizes(self):
        assert repr(nn.Embedding(4, 3)) == "Embedding(4, 3)"
        assert repr(nn.Embedding(4, 3, padding_idx=-1)) == "Embedding(4, 3, padding_idx=3)"
        layer = nn.Embedding(
            4, 3, max_norm=1.0, norm_type=3.0, scale_grad_by_freq=True, sparse=True
        )
        told = "max_norm=1.0, norm_type=3.0, scale_grad_by_freq=True, sparse=True"
        assert repr(layer) == f"Embedding(4, 3, {told})"
        assert list(layer.state_dict()) == ["weight"]

    def test_of_a_table_that_is_there_shares_its_memory(self):
        table = gb.tensor([[1.0, 2.0], [3.0, 4.0]])

        layer = nn.Embedding.from_pretrained(table)
        table[1] = 5.0

        assert layer(gb.tensor(1)).tolist() == [5, 5]
        assert not layer.weight.requires_grad
        assert nn.Embedding.from_pretrained(table, freeze=False).weight.requires_grad
        assert layer.num_embeddings == 2

    def test_shortens_the_long_rows_that_it_looks_up(self):
        layer = nn.Embedding.from_pretrained(gb.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]))
        layer.max_norm = 1.0

        rows = layer(gb.tensor([0, 1, 0]))

        wanted = [[0.6, 0.8], [0.3, 0.4], [0.6, 0.8]]
        assert gb.allclose(rows, gb.tensor(wanted), rtol=1e-6)
        assert layer.weight[2].tolist() == [6.0, 8.0]

    def test_shares_a_rows_gradient_among_its_lookups(self):
        layer = nn.Embedding(3, 2, scale_grad_by_freq=True)

        with gb.leaks.no_leaks():
            rows = layer(gb.tensor([[0, 0], [0, 2]]))
            (rows * gb.tensor([[[3.0], [6.0]], [[9.0], [4.0]]])).sum().backward()
            del rows
            grad = layer.weight.grad
            assert grad is not None
            assert grad.tolist() == [[6, 6], [0, 0], [4, 4]]
            del grad
            layer.zero_grad()

    @pytest.mark.parametrize(
        ("call", "error", "message"),
        [
            (lambda: nn.Embedding(4, 3, 4), gb.IndexOutOfRangeError, "padding_idx 4 of 4 rows"),
            (lambda: nn.Embedding(-1, 3), gb.ShapeError, "num_embeddings -1; 0 or more"),
            (lambda: nn.Embedding("4", 3), TypeError, "num_embeddings is of type str"),
            (lambda: nn.Embedding(4, 3, max_norm=-1.0), ValueError, "max_norm -1"),
            (lambda: nn.Embedding(4, 3, sparse="no"), TypeError, "sparse is of type str"),
            (
                lambda: nn.Embedding.from_pretrained(gb.ones(3)),
                gb.ShapeError,
                r"embeddings of sizes \[3\]; 2 dims are needed",
            ),
            (lambda: nn.Embedding(4, 3)(gb.tensor([4])), gb.IndexOutOfRangeError, "embedding"),
            (lambda: nn.Embedding(4, 3)(gb.tensor([0.5])), gb.DTypeError, "embedding"),
        ],
    )
    def test_refuses_what_is_no_table_or_row(self, call, error, message):
        with pytest.raises(error, match=message):
            call()
