"""`func.vmap` of a batch without samples, as Poisson sampling draws it now and then."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import func, nn

pytestmark = pytest.mark.no_leaks


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        (lambda row: row * 2, (0, 3)),
        (lambda row: row.sum(), (0,)),
        (lambda row: gb.zeros(2), (0, 2)),
        (lambda row: gb.stack([row, row]), (0, 2, 3)),
        (lambda row: row.sort()[0], (0, 3)),
        (lambda row: nn.functional.linear(row.unsqueeze(0), gb.ones(4, 3)), (0, 1, 4)),
        (lambda row: gb.linalg.inv(gb.diag_embed(row + 1)), (0, 3, 3)),
        (lambda row: gb.linalg.cholesky(row.outer(row)), (0, 3, 3)),
        (lambda row: gb.arange(5)[row.long()], (0, 3)),
    ],
)
def test_results_have_the_sizes_of_a_sample_and_no_sample(function, sizes):
    assert func.vmap(function)(gb.zeros(0, 3)).shape == sizes
    assert func.vmap(function, chunk_size=2)(gb.zeros(0, 3)).shape == sizes


def test_gradients_of_each_sample_are_none():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    parameters = dict(model.named_parameters())

    def loss(parameters, x, y):
        out = func.functional_call(model, parameters, (x.unsqueeze(0),))
        return nn.functional.cross_entropy(out, y.unsqueeze(0))

    found = func.vmap(func.grad(loss), (None, 0, 0))(
        parameters, gb.zeros(0, 3), gb.zeros(0, dtype=gb.int64)
    )

    assert {name: it.shape for name, it in found.items()} == {
        name: (0, *it.shape) for name, it in parameters.items()
    }


def test_what_all_samples_share_has_a_gradient_of_zeros():
    weight = gb.ones(4, 3, requires_grad=True)

    func.vmap(lambda row: nn.functional.linear(row.unsqueeze(0), weight))(
        gb.zeros(0, 3)
    ).sum().backward()

    assert gb.equal(weight.grad, gb.zeros(4, 3))


def test_batches_stand_where_they_are_asked_for():
    x = gb.zeros(3, 0)

    assert func.vmap(lambda row: row.exp(), in_dims=1, out_dims=1)(x).shape == (3, 0)
    assert func.vmap(func.vmap(lambda it: it.sin()))(gb.zeros(2, 0, 3)).shape == (2, 0, 3)
