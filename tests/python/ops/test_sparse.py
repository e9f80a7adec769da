"""Sparse tensors by coordinates: their elements, their arithmetic, and gradients through it."""

from __future__ import annotations

import io
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.sparse import SparseTensor

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# With a place that is told twice, and a row and a column of zeros.
PLACES = [[0, 3, 1, 0, 3], [2, 0, 1, 2, 4]]
VALUES = [1.5, -2.0, 3.0, 4.0, 0.5]
DENSE = np.zeros((4, 5))
np.add.at(DENSE, tuple(np.array(PLACES)), VALUES)


def told(dtype: Any = gb.float64, **options: Any) -> SparseTensor:
    return gb.sparse_coo_tensor(PLACES, VALUES, (4, 5), dtype=dtype, **options)


def drawn(*sizes: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal(sizes)


def test_places_may_be_whole_numbers_of_any_dtype():
    for dtype in (gb.float32, gb.float64, gb.int32, gb.uint8):
        x = gb.sparse_coo_tensor(gb.tensor([[0, 1], [1, 0]], dtype=dtype), gb.ones(2))

        assert x._indices().dtype == gb.int64
        assert x.to_dense().tolist() == [[0, 1], [1, 0]]


class TestMaking:
    def test_tells_what_it_is(self):
        x = told()

        assert (x.shape, x.size(1), x.dim(), x.numel()) == ((4, 5), 5, 2, 20)
        assert (x.sparse_dim(), x.dense_dim(), x._nnz(), len(x)) == (2, 0, 5, 4)
        assert (x.dtype, x.device.type, x.layout) == (gb.float64, "cpu", gb.sparse_coo)
        assert (x.is_sparse, x.is_coalesced(), x.requires_grad) == (True, False, False)
        assert gb.ones(1).is_sparse is False

    def test_is_turned_around_in_its_last_two_dims(self):
        x = gb.arange(12).reshape(2, 3, 2).to_sparse()

        assert x.mT.to_dense().tolist() == x.to_dense().mT.tolist()
        assert x.ndimension() == 3

    def test_moves_between_scopes_whole(self):
        @gb.dispose_scope
        def rows():
            return {"a": gb.eye(2).to_sparse_csr()}

        with gb.dispose_scope() as scope:
            kept, lost = gb.eye(2).to_sparse(), gb.eye(2).to_sparse()
            assert kept in scope
            assert scope.detach(kept) is kept

        assert kept.to_dense().tolist() == [[1, 0], [0, 1]]
        assert rows()["a"].values().tolist() == [1, 1]
        with pytest.raises(gb.DisposedError):
            lost.to_dense()

    def test_takes_arrays_of_any_order_and_a_dtype(self):
        edges = np.array(PLACES, dtype=np.int32).T.copy()

        x = gb.sparse_coo_tensor(edges.T, gb.ones(5), (4, 5), dtype=gb.int64)

        assert x.dtype == gb.int64
        assert x.to_dense().sum().item() == 5

    def test_finds_the_least_sizes_and_may_hold_nothing(self):
        assert gb.sparse_coo_tensor([[0, 3], [1, 0]], [1.0, 2.0]).shape == (4, 2)
        assert gb.sparse_coo_tensor((2, 3)).to_dense().tolist() == [[0.0] * 3] * 2
        assert gb.sparse.FloatTensor(2, 3).shape == (2, 3)

    def test_has_values_with_dims_of_their_own(self):
        x = gb.sparse_coo_tensor([[2, 0, 2]], gb.tensor([[1.0, 2], [3, 4], [5, 6]]), (3, 2))

        assert x.dense_dim() == 1
        assert x.to_dense().tolist() == [[3, 4], [0, 0], [6, 8]]
        assert x.coalesce().values().tolist() == [[3, 4], [6, 8]]

    def test_comes_of_a_dense_tensor(self):
        x = gb.tensor(DENSE)

        sparse = x.to_sparse()

        assert sparse.is_coalesced()
        assert sparse.indices().tolist() == [list(row) for row in np.nonzero(DENSE)]
        assert gb.equal(sparse.to_dense(), x)
        assert gb.equal(x.to_sparse(1).to_dense(), x)
        assert x.to_sparse(1)._values().shape == (3, 5)
        assert gb.equal(x.to_dense(), x)

    def test_is_of_a_type_that_older_programs_name(self):
        x = gb.sparse.FloatTensor(gb.tensor(PLACES), gb.tensor(VALUES), gb.Size([4, 5]))

        assert isinstance(x, gb.sparse.FloatTensor)
        assert not isinstance(x, gb.sparse.LongTensor)
        assert np.allclose(x.to_dense().numpy(), DENSE)

    @pytest.mark.parametrize(
        ("given", "error", "message"),
        [
            (([[0, 5], [0, 0]], [1.0, 2.0], (2, 2)), IndexError, r"place 5 in dim 0 of size 2"),
            (([[0, -1], [0, 0]], [1.0, 2.0], (2, 2)), IndexError, r"place -1 in dim 0 of size 2"),
            (([[0, 1], [0, 0]], [1.0], (2, 2)), gb.ShapeError, r"2 values and 1 values"),
            (([0, 1], [1.0, 2.0], (2,)), gb.ShapeError, r"indices of sizes \[2\]"),
            (([[0.5], [1.0]], [1.0], (2, 2)), gb.DTypeError, r"indices of dtype"),
            (([[0], [0]], [1.0], (2,)), gb.ShapeError, r"size \[2\] for 2 sparse dims"),
        ],
    )
    def test_refuses_what_does_not_fit(self, given, error, message):
        with pytest.raises(error, match=f"^sparse_coo_tensor: .*{message}"):
            gb.sparse_coo_tensor(*given)


class TestElements:
    def test_of_one_place_are_added_up_in_order(self):
        x = told().coalesce()

        assert x.is_coalesced()
        assert x.indices().tolist() == [[0, 1, 3, 3], [2, 1, 0, 4]]
        assert x.values().tolist() == [5.5, 3.0, -2.0, 0.5]
        assert x.coalesce() is x

    def test_are_not_told_before_that(self):
        with pytest.raises(RuntimeError, match=r"^indices: .* take coalesce\(\) first"):
            told().indices()
        with pytest.raises(RuntimeError, match=r"^values: .* take coalesce\(\) first"):
            told().values()
        assert told()._indices().tolist() == PLACES

    @pytest.mark.parametrize("op", ["relu", "sqrt", "abs", "sin", "tanh", "square"])
    def test_are_mapped_by_what_keeps_zero(self, op):
        x = told().abs() if op == "sqrt" else told()

        made = getattr(x, op)()

        assert gb.allclose(made.to_dense(), getattr(x.to_dense(), op)())
        assert gb.allclose(getattr(gb, op)(x).to_dense(), made.to_dense())

    def test_are_seen_when_it_is_shown(self):
        assert repr(gb.sparse_coo_tensor([[0], [1]], [3.0], (2, 2))) == (
            "tensor(indices=tensor([[0],\n"
            "                       [1]]),\n"
            "       values=tensor([3.]),\n"
            "       size=(2, 2), nnz=1, layout=garboard.sparse_coo)"
        )

    def test_say_their_dtype_once_and_their_sizes_where_there_are_none(self):
        assert repr(gb.zeros(2, 3, dtype=gb.float64).to_sparse()) == (
            "tensor(indices=tensor([], size=(2, 0)),\n"
            "       values=tensor([], size=(0,)),\n"
            "       size=(2, 3), nnz=0, dtype=garboard.float64, layout=garboard.sparse_coo)"
        )
        assert "values=tensor([3])," in repr(gb.sparse_coo_tensor([[0]], [3], (2,)))

    def test_change_their_dtype_and_are_copied(self):
        x = told()

        assert [it.dtype for it in (x.float(), x.to(gb.float16), x.long())] == [
            gb.float32,
            gb.float16,
            gb.int64,
        ]
        assert gb.equal(x.clone().to_dense(), x.to_dense())
        assert x.cpu().device.type == "cpu"

    def test_go_through_a_file(self):
        file = io.BytesIO()
        gb.save({"adjacency": told()}, file)
        file.seek(0)

        found = gb.load(file, weights_only=False)["adjacency"]

        assert np.allclose(found.to_dense().numpy(), DENSE)


class TestProducts:
    @pytest.mark.parametrize(
        "product",
        [
            lambda x, y: x @ y,
            gb.mm,
            gb.matmul,
            gb.spmm,
            gb.sparse.mm,
            lambda x, y: x.mm(y),
            lambda x, y: (y.t() @ x.t()).t(),
            lambda x, y: gb.mm(y.t(), x.t()).t(),
            lambda x, y: y.t().mm(x.t()).t(),
            lambda x, y: gb.addmm(gb.zeros(4, 3, dtype=gb.float64), x, y),
            lambda x, y: (x @ y.to_sparse()).to_dense(),
        ],
    )
    def test_with_a_matrix_are_numpys_and_pass_gradients(self, product):
        x, y = told(requires_grad=True), gb.tensor(drawn(5, 3), requires_grad=True)

        made = product(x, y)
        made.backward(gb.tensor(drawn(4, 3)))

        assert np.allclose(made.detach().numpy(), DENSE @ y.detach().numpy())
        assert np.allclose(y.grad.numpy(), DENSE.T @ drawn(4, 3))
        whole = drawn(4, 3) @ y.detach().numpy().T
        assert np.allclose(x.grad._values().numpy(), whole[tuple(np.array(PLACES))])

    def test_with_a_vector(self):
        v = gb.tensor(drawn(5))

        for made in (told() @ v, gb.matmul(told(), v), told().mv(v), v @ told().t()):
            assert np.allclose(made.numpy(), DENSE @ drawn(5))

    def test_of_sparse_matrices_are_sparse(self):
        made = told() @ told().t()

        assert made.is_coalesced()
        assert np.allclose(made.to_dense().numpy(), DENSE @ DENSE.T)

    def test_can_be_differentiated_twice(self):
        def scaled(values: gb.Tensor, y: gb.Tensor) -> gb.Tensor:
            return gb.sparse_coo_tensor(PLACES, values, (4, 5)) @ y

        values = gb.tensor(VALUES, dtype=gb.float64, requires_grad=True)
        y = gb.tensor(drawn(5, 2), requires_grad=True)

        assert gb.autograd.gradcheck(scaled, (values, y))
        assert gb.autograd.gradgradcheck(scaled, (values, y))

    @pytest.mark.parametrize(
        ("other", "error", "message"),
        [
            (gb.ones, gb.ShapeError, r"sizes \[4, 5\], sparse, and \[4, 2\]; the inner"),
            (lambda *_: gb.ones(5, 2, dtype=gb.float16), gb.DTypeError, "one dtype is needed"),
            (lambda *_: gb.ones(5, 2, 1), gb.ShapeError, "a matrix or a vector"),
            (lambda *_: 3.0, TypeError, r"a factor is 3\.0"),
        ],
    )
    def test_refuse_what_does_not_fit(self, other, error, message):
        with pytest.raises(error, match=f"^matmul: .*{message}"):
            told().matmul(other(4, 2))


class TestSums:
    def test_with_a_dense_tensor_are_dense(self):
        y = gb.tensor(drawn(4, 5))

        for made in (y + told(), told() + y, gb.add(y, told())):
            assert np.allclose(made.numpy(), DENSE + drawn(4, 5))
        assert np.allclose((y - told()).numpy(), drawn(4, 5) - DENSE)
        assert np.allclose((told() - y).numpy(), DENSE - drawn(4, 5))

    def test_with_a_sparse_one_are_sparse(self):
        other = gb.sparse_coo_tensor([[1, 2], [1, 3]], [1.0, 7.0], (4, 5), dtype=gb.float64)

        made = told() - other

        assert made._nnz() == 5
        assert np.allclose(made.to_dense().numpy(), DENSE - other.to_dense().numpy())

    @pytest.mark.parametrize("dim", [0, 1, -1, (0, 1), None])
    def test_over_dims_are_numpys(self, dim):
        for made in (told().sum(dim), gb.sparse.sum(told(), dim)):
            dense = made.to_dense() if isinstance(made, SparseTensor) else made
            assert np.allclose(dense.numpy(), DENSE.sum(dim))

    def test_scale_and_weigh(self):
        y = gb.tensor(drawn(4, 5))

        assert np.allclose((2 * told() / 4).to_dense().numpy(), DENSE / 2)
        assert np.allclose((-told() * y).to_dense().numpy(), -DENSE * drawn(4, 5))
        assert np.allclose((told() ** 2).to_dense().numpy(), DENSE**2)

    def test_of_exponentials_are_over_what_is_told(self):
        x = told().coalesce()

        made = gb.sparse.softmax(x, 1)

        assert gb.allclose(made.sum(1).to_dense(), gb.tensor([1.0, 1, 0, 1], dtype=gb.float64))
        assert gb.allclose(gb.sparse.log_softmax(x, 1).values().exp(), made.values())
        assert gb.allclose(gb.sparse.softmax(x.t(), 0).t().to_dense(), made.to_dense())

    def test_of_places_join(self):
        made = gb.cat([told(), told()], 1)

        assert np.allclose(made.to_dense().numpy(), np.concatenate([DENSE, DENSE], 1))


class TestWhatIsLeftToDenseTensors:
    def test_is_refused_with_the_way_out(self):
        with pytest.raises(
            TypeError, match=r"^sigmoid: a sparse tensor, .* take to_dense\(\) first"
        ):
            gb.sigmoid(told())
        with pytest.raises(AttributeError, match=r"'reshape'; take to_dense\(\) first"):
            told().reshape(5, 4)
        with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
            told().nothing  # noqa: B018
        with pytest.raises(RuntimeError, match="neither true nor false"):
            bool(told())


def test_a_graph_network_learns_and_leaves_nothing(no_leaks):
    del no_leaks
    weight = gb.nn.Parameter(gb.tensor(drawn(5, 2)).float())
    features = gb.tensor(drawn(4, 5)).float().to_sparse()
    adjacency = gb.eye(4).to_sparse()
    optimizer = gb.optim.Adam([weight], lr=0.1)

    losses = []
    for _ in range(3):
        with gb.dispose_scope():
            loss = gb.spmm(adjacency, gb.mm(features, weight)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    assert losses[2] < losses[0]


def test_places_that_no_number_counts_are_not_put_in_order():
    x = gb.sparse_coo_tensor([[0, 1], [1, 1]], [1.0, 2.0], (2**40, 2**40))

    with pytest.raises(gb.ShapeError, match="2\\^63"):
        x.coalesce()


@pytest.mark.parametrize("function", [gb.sparse.softmax, gb.sparse.log_softmax])
def test_a_dim_that_a_matrix_has_not_is_refused(function):
    with pytest.raises(gb.IndexOutOfRangeError, match="dim 2"):
        function(told(), 2)


def test_two_are_multiplied_where_both_tell():
    a = gb.sparse_coo_tensor([[0, 1, 1, 1], [2, 0, 2, 2]], [3.0, 4.0, 5.0, 1.0], (2, 3))
    b = gb.sparse_coo_tensor([[0, 1], [0, 2]], [2.0, 7.0], (2, 3))

    both = a * b

    assert both.to_dense().tolist() == [[0, 0, 0], [0, 0, 42]]
    assert both._nnz() == 1
    assert (a * gb.sparse_coo_tensor(gb.zeros(2, 0).long(), gb.zeros(0), (2, 3)))._nnz() == 0
    with pytest.raises(gb.ShapeError, match="the same are needed"):
        a.mul(b.t())


def test_a_part_of_a_dim_is_copied():
    values = gb.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    x = gb.sparse_coo_tensor([[0, 1, 2]], values, (4, 2))

    rows, columns = x.narrow_copy(0, 1, 2), x.narrow_copy(-1, -1, 1)
    rows.to_dense().sum().backward()

    assert rows.to_dense().tolist() == [[3, 4], [5, 6]]
    assert columns.to_dense().tolist() == [[2], [4], [6], [0]]
    assert values.grad is not None
    assert values.grad.tolist() == [[0, 0], [1, 1], [1, 1]]
    assert x.narrow_copy(0, 3, 1)._nnz() == 0
    for start, length in ((3, 2), (-5, 1), (0, 5)):
        with pytest.raises(gb.IndexOutOfRangeError, match="in dim 0 of size 4; a part of it"):
            x.narrow_copy(0, start, length)


def test_a_dense_tensor_is_taken_at_the_places_of_a_sparse_one():
    x = gb.arange(6.0).reshape(2, 3).requires_grad_()
    mask = gb.sparse_coo_tensor([[0, 1], [0, 2]], [7.0, 0.0], (2, 3))

    found = x.sparse_mask(mask)
    found.to_dense().sum().backward()

    assert found.coalesce().values().tolist() == [0, 5]
    assert x.grad is not None
    assert x.grad.tolist() == [[1, 0, 0], [0, 0, 1]]
    by_rows = x.sparse_mask(mask.to_sparse_csr())
    assert by_rows.layout is gb.sparse_csr
    assert by_rows.values().tolist() == [0, 5]
    with pytest.raises(gb.ShapeError, match="equal ones are needed"):
        x.t().sparse_mask(mask)
    with pytest.raises(TypeError, match="sparse_mask: mask is of type Tensor"):
        x.sparse_mask(x)


def test_a_layout_is_chosen_by_its_name():
    x = gb.eye(2)

    assert x.to_sparse(layout=gb.sparse_coo).layout is gb.sparse_coo
    assert x.to_sparse(layout=gb.sparse_csr).layout is gb.sparse_csr
    assert x.to_sparse(dense_dim=1).sparse_dim() == 1
    assert x.to_sparse(layout=gb.sparse_bsr, blocksize=(1, 1)).layout is gb.sparse_bsr
    with pytest.raises(NotImplementedError, match="to_sparse: layout of type _SparseLayout, block"):
        x.to_sparse(layout=gb.sparse_bsr)


def test_a_product_has_the_names_of_older_programs():
    x = gb.tensor([[0.0, 2.0], [1.0, 0.0]])

    for product in (gb.dsmm, gb.spmm, gb.sparse.mm):
        assert product(x.to_sparse(), gb.ones(2, 1)).tolist() == [[2], [1]]
