"""Adam by the rows that have a gradient."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest
from garboard import nn, optim

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

START = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]], np.float32)


def trained(maximize: bool = False) -> tuple[nn.Embedding, optim.SparseAdam]:
    table = nn.Embedding.from_pretrained(gb.tensor(START), freeze=False, sparse=True)
    optimizer = optim.SparseAdam(table.parameters(), lr=0.1, maximize=maximize)
    for rows in ([0, 1], [1, 1], [0, 0, 1], [1], [0]):
        optimizer.zero_grad()
        (table(gb.tensor(rows)) ** 2).sum().backward()
        optimizer.step()
    return table, optimizer


class TestSparseAdam:
    def test_steps_agree_with_pytorchs(self):
        table, optimizer = trained()

        # PyTorch 2.15 from START with the sparse gradients of the same rows.
        expected = [[0.2363127, -0.7362389], [1.616794, -0.0989719], [-0.75, 1.5]]
        np.testing.assert_allclose(table.weight.detach().numpy(), expected, atol=1e-6)
        assert optimizer.state[table.weight]["step"].item() == 5

    def test_a_row_without_gradient_and_its_state_stay_as_they_are(self):
        table, optimizer = trained()
        state = optimizer.state[table.weight]

        assert table.weight[2].tolist() == START[2].tolist()
        assert state["exp_avg"][2].tolist() == state["exp_avg_sq"][2].tolist() == [0.0, 0.0]

    def test_ascends_if_asked(self):
        table, _ = trained(maximize=True)

        assert (table.weight[:2].abs() > gb.tensor(START[:2]).abs()).all()

    def test_takes_vectors_numbers_and_gradients_that_are_all_zeros(self):
        vector, number = nn.Parameter(gb.ones(3)), nn.Parameter(gb.tensor(1.0))
        optimizer = optim.SparseAdam([vector, number], lr=0.5)
        vector.grad, number.grad = gb.tensor([0.0, 2.0, 0.0]), gb.tensor(0.0)

        optimizer.step()

        assert vector.tolist() == pytest.approx([1.0, 0.5, 1.0])
        assert number.item() == 1.0

    @pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (3, 2, 2)])
    def test_takes_empty_and_permuted_tables(self, sizes):
        start = gb.ones(sizes).mT
        table = nn.Parameter(start)
        table.grad = gb.ones(start.shape)

        optim.SparseAdam([table], lr=0.5).step()

        assert gb.allclose(table, gb.full(start.shape, 0.5))

    def test_goes_on_from_a_saved_state(self):
        table, optimizer = trained()
        again = optim.SparseAdam(table.parameters(), lr=9.0)

        again.load_state_dict(optimizer.state_dict())

        assert again.param_groups[0]["lr"] == 0.1
        assert gb.equal(
            again.state[table.weight]["exp_avg"], optimizer.state[table.weight]["exp_avg"]
        )
