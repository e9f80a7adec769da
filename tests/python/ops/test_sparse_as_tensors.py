"""Sparse tensors as tensors: parts of them, what is asked of every tensor, writing in place."""

from __future__ import annotations

import copy
from functools import partial

import garboard as gb
import numpy as np
import pytest
from garboard.sparse import SparseTensor

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# A place is told twice.
PLACES, VALUES = [[0, 1, 0, 1], [1, 0, 1, 2]], [1.0, 3.0, 1.0, 4.0]
DENSE = [[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]]


def told() -> SparseTensor:
    return gb.sparse_coo_tensor(PLACES, VALUES, (2, 3))


def cube() -> SparseTensor:
    return gb.arange(12.0).reshape(2, 3, 2).to_sparse()


class TestWhatItIs:
    def test_is_a_tensor_to_isinstance_and_no_parameter(self):
        for x in (told(), told().to_sparse_csr(), gb.zeros(2, 2, layout=gb.sparse_coo)):
            assert isinstance(x, gb.Tensor)
            assert isinstance(x, SparseTensor)
            assert gb.is_tensor(x)
            assert not isinstance(x, gb.nn.Parameter)
            assert type(x) is not gb.Tensor
        assert not isinstance(gb.ones(1), SparseTensor)

    def test_answers_what_is_asked_of_tensors(self):
        x = told()

        assert (x.element_size(), x.itemsize, x.get_device()) == (4, 4, -1)
        assert (x.is_leaf, x.grad_fn, x.is_cpu, x.is_quantized) == (True, None, True, False)
        assert (x.stride(), x.stride(0), x.storage_offset()) == ((0, 0), 0, 0)
        assert (x.is_contiguous(), x.is_signed(), x.is_same_size(gb.ones(2, 3))) == (
            False,
            True,
            True,
        )
        assert x.data.to_dense().tolist() == DENSE
        assert x.norm().item() == pytest.approx(29**0.5)
        assert x.any().item() is True
        assert x.new_tensor([1]).layout is gb.strided

    def test_has_a_number_where_it_has_one_element(self):
        x = gb.tensor([2.5]).to_sparse()

        assert (x.item(), float(x), int(x), bool(x)) == (2.5, 2.5, 2, True)
        assert not gb.zeros(1).to_sparse()
        for act in (bool, float, int, SparseTensor.item):
            with pytest.raises(gb.ShapeError, match="sparse tensor of sizes"):
                act(told())

    def test_is_compared_with_no_tensor_and_no_number(self):
        x = told()

        for act in (lambda: x == 0, lambda: x != x, lambda: x == gb.ones(2, 3)):
            with pytest.raises(TypeError, match=r"a sparse tensor, .* take to_dense\(\) first"):
                act()
        assert x != "text"
        assert x is not None
        assert len({x, x}) == 1

    @pytest.mark.parametrize(
        "call",
        [
            lambda x: gb.einsum("ij->i", x),
            lambda x: gb.nn.functional.silu(x),
            lambda x: gb.linalg.norm(x),
            lambda x: gb.sigmoid(x),
            lambda x: gb.ones(2, 3)[x],
            lambda x: gb.autograd.grad(x, x),
            lambda x: gb.nn.Parameter(x),
            lambda x: gb.optim.SGD([x], lr=0.1),
            lambda x: gb.autograd.backward(x),
            lambda x: gb.func.grad(lambda y: y)(x),
            lambda x: gb.nn.utils.clip_grad_norm_(x, 1.0),
            lambda x: gb.nn.Conv1d(1, 1, 1)(x),
            lambda x: x.numpy(),
        ],
    )
    def test_is_refused_by_what_takes_dense_tensors(self, call):
        with pytest.raises((TypeError, AttributeError), match=r"(?i)sparse"):
            call(told())

    def test_goes_through_loaders_checkpoints_and_copies(self):
        x = told().requires_grad_()

        found = gb.utils.checkpoint.checkpoint(lambda a, b: a @ b, x, gb.ones(3, 1))
        assert found.tolist() == [[2.0], [7.0]]
        batch = next(iter(gb.utils.data.DataLoader([x], batch_size=None)))
        assert batch is x
        assert copy.deepcopy(x).to_dense().tolist() == DENSE


class TestParts:
    @pytest.mark.parametrize(
        "index",
        [
            *(0, -1, (1, 2), (0, 0), (slice(None), 1), (..., 1), None, slice(1), slice(1, None)),
            *((slice(None), slice(0, 3, 2)), (slice(1, 1),), [1, 0], (slice(None), [2, 1]), ...),
            *((0, None), (None, 1), (0, ..., None), ()),
        ],
        ids=str,
    )
    def test_are_those_of_the_dense_tensor(self, index):
        for x in (told(), told().to_sparse_csr()):
            found = x[index]
            dense = found.to_dense() if found.layout is not gb.strided else found

            assert dense.tolist() == gb.tensor(DENSE)[index].tolist()

    @pytest.mark.parametrize("index", [(0, 1, 1), 1, (slice(None), 2), (0, slice(1, 3), 0)])
    def test_of_three_dims_and_of_dense_ones(self, index):
        wanted = cube().to_dense()[index]

        for x in (cube(), cube().to_dense().to_sparse(1), cube().to_dense().to_sparse(2)):
            found = x[index]
            assert gb.equal(found.to_dense(), wanted)

    def test_come_one_by_one(self):
        rows = [row.to_dense().tolist() for row in told()]

        assert rows == DENSE
        assert len(told()) == 2
        assert [it.to_dense().tolist() for it in told().unbind(1)] == [[0, 3], [2, 0], [0, 4]]
        first, second = gb.unbind(told())
        assert first.layout is second.layout is gb.sparse_coo
        assert gb.select(told(), 0, 0).is_coalesced() is False

    def test_pass_gradients_on(self):
        x = gb.tensor(DENSE).requires_grad_()

        (x.to_sparse()[1].to_dense() * gb.tensor([1.0, 2.0, 3.0])).sum().backward()

        assert x.grad.tolist() == [[0, 0, 0], [1, 0, 3]]

    def test_are_in_another_order_or_in_a_dim_more(self):
        x = cube()

        assert gb.equal(x.permute(2, 0, 1).to_dense(), x.to_dense().permute(2, 0, 1))
        assert gb.equal(x.unsqueeze(-1).to_dense(), x.to_dense().unsqueeze(-1))
        hybrid = x.to_dense().to_sparse(1)
        assert gb.equal(hybrid.permute(0, 2, 1).to_dense(), x.to_dense().permute(0, 2, 1))
        assert gb.equal(hybrid.unsqueeze(2).to_dense(), x.to_dense().unsqueeze(2))
        assert gb.stack([told(), told()], 1).to_dense().shape == (2, 2, 3)
        assert gb.hstack([told(), told()]).shape == (2, 6)
        assert gb.vstack([told(), told()]).shape == (4, 3)

    @pytest.mark.parametrize(
        ("call", "error"),
        [
            (lambda x: x[2], IndexError),
            (lambda x: x[0, 0, 0], IndexError),
            (lambda x: x["a"], TypeError),
            (lambda x: x[True], TypeError),
            (lambda x: x[..., ...], TypeError),
            (lambda x: x[gb.ones(2, 3) > 0], IndexError),
            (lambda x: x.select(2, 0), IndexError),
            (lambda x: x.permute(0, 0), gb.ShapeError),
            (lambda x: x.unsqueeze(4), IndexError),
            (lambda x: gb.stack([x, gb.ones(2, 3)]), TypeError),
        ],
    )
    def test_that_are_not_there_are_refused(self, call, error):
        with pytest.raises(error):
            call(told())


class TestArithmetic:
    @pytest.mark.parametrize("sizes", [(2, 3), (3,), (1, 3), (2, 1), (1, 1), ()])
    def test_expands_the_dense_factor(self, sizes):
        by = gb.arange(6.0)[: int(np.prod(sizes))].reshape(sizes).requires_grad_()

        made = told() * by
        made.to_dense().sum().backward()

        assert gb.equal(made.to_dense(), gb.tensor(DENSE) * by.detach())
        other = by.detach().requires_grad_()
        (gb.tensor(DENSE) * other).sum().backward()
        assert gb.equal(by.grad, other.grad)

    def test_refuses_a_factor_of_other_sizes(self):
        with pytest.raises(gb.ShapeError, match="mul: sizes"):
            told() * gb.ones(2, 2)
        with pytest.raises(gb.ShapeError, match="mul: sizes"):
            told() * gb.ones(1, 2, 3)

    def test_divides_rounds_and_sums(self):
        x = told()

        assert (x // 2).to_dense().tolist() == [[0, 1, 0], [1, 0, 2]]
        assert x.sum(1, keepdim=True).to_dense().tolist() == [[2.0], [7.0]]
        assert x.sum(dtype=gb.float64).dtype == gb.float64
        assert x.isnan().dtype == gb.bool
        csr = x.to_sparse_csr()
        assert csr.sum(1, keepdim=True).layout is gb.sparse_csr
        layer = gb.nn.Linear(3, 2)
        assert gb.allclose(layer(x), layer(x.to_dense()))

    def test_multiplies_matrices_of_a_batch(self):
        x, y = gb.arange(12.0).reshape(2, 2, 3), gb.arange(6.0).reshape(2, 3, 1)

        assert gb.equal(gb.bmm(x.to_sparse(), y), x @ y)


class TestWriting:
    def test_changes_what_the_tensor_tells(self):
        for x in (told(), told().to_sparse_csr()):
            dense = x.to_dense()
            kind = x.layout
            x += x
            x *= 3
            x.sub_(x / 2).neg_().abs_().div_(3)

            assert x.layout is kind
            assert gb.allclose(x.to_dense(), dense)
            assert x.copy_(x.neg()).to_dense().tolist() == (-dense).tolist()
            assert x.zero_()._nnz() == 0
            assert x.to_dense().tolist() == [[0.0] * 3] * 2

    def test_is_refused_of_leaves_and_of_other_kinds(self):
        x = told().requires_grad_()

        for write in (lambda: x.mul_(2), x.zero_, lambda: x.copy_(told())):
            with pytest.raises(gb.GradientError, match="a leaf that requires grad"):
                write()
        with gb.no_grad():
            x.mul_(2)
        with pytest.raises(gb.DTypeError, match="div_"):
            told().int().div_(2)
        with pytest.raises(gb.ShapeError, match="add_"):
            told().add_(gb.ones(2, 3))
        with pytest.raises(TypeError, match="copy_: src"):
            told().copy_(gb.ones(2, 3))

    def test_drops_a_gradient(self):
        x = told().requires_grad_()
        x.to_dense().sum().backward()
        assert x.grad.layout is gb.sparse_coo

        x.grad = None

        assert x.grad is None


class TestADenseTensor:
    @pytest.mark.parametrize("kind", ["to_sparse", "to_sparse_csr"])
    def test_is_added_to_as_often_as_alpha_says(self, kind):
        x, dense = getattr(gb.eye(2), kind)(), gb.ones(2, 2)

        assert dense.add(x, alpha=3).tolist() == [[4, 1], [1, 4]]
        assert gb.add(dense, x, alpha=-2).tolist() == [[-1, 1], [1, -1]]
        assert dense.sub(x, alpha=2).tolist() == [[-1, 1], [1, -1]]
        assert gb.sub(dense, x).tolist() == [[0, 1], [1, 0]]

    @pytest.mark.parametrize("kind", ["to_sparse", "to_sparse_csr"])
    def test_is_written_by_what_has_a_sparse_argument(self, kind):
        x, dense = getattr(gb.eye(2), kind)(), gb.ones(2, 2)
        view, out = dense[:], gb.zeros(2, 2)

        assert dense.add_(x, alpha=3) is dense
        dense.sub_(x)
        assert view.tolist() == [[3, 1], [1, 3]]
        dense.addmm_(x, gb.ones(2, 2), beta=2)
        assert view.tolist() == [[7, 3], [3, 7]]
        dense.mul_(x)
        assert view.tolist() == [[7, 0], [0, 7]]
        assert gb.add(gb.ones(2, 2), x, out=out) is out
        assert out.tolist() == [[2, 1], [1, 2]]
        assert gb.mm(x, dense, out=out).tolist() == [[7, 0], [0, 7]]

    def test_is_not_written_where_the_result_does_not_fit(self):
        x = gb.eye(2).to_sparse()

        with pytest.raises(gb.DTypeError, match=r"add_: a result of garboard.float32"):
            gb.ones(2, 2, dtype=gb.int64).add_(x)
        with pytest.raises(gb.ShapeError, match=r"add_: a result of sizes \[2, 2\] for \[2\]"):
            gb.ones(2).add_(x)
        with pytest.raises(gb.GradientError):
            gb.ones(2, 2, requires_grad=True).add_(x)
        with pytest.raises(TypeError, match="mul: out of a sparse result"):
            gb.mul(gb.ones(2, 2), x, out=gb.zeros(2, 2))

    def test_hands_gradients_to_both_when_it_is_written(self):
        start, values = gb.ones(2, 2, requires_grad=True), gb.ones(2, requires_grad=True)
        dense = start * 1

        dense.add_(gb.sparse_coo_tensor([[0, 1], [0, 1]], values, (2, 2)), alpha=2)
        (dense * gb.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()

        assert start.grad.tolist() == [[1, 2], [3, 4]]
        assert values.grad.tolist() == [2, 8]


def test_elements_are_written_in_place_and_history_is_left():
    x = gb.sparse_coo_tensor([[0, 1], [0, 1]], gb.tensor([4.0, 9.0]), (2, 2))
    y = (gb.eye(2, requires_grad=True) * 2).to_sparse()

    assert x.sqrt_() is x
    assert x.to_dense().tolist() == [[2, 0], [0, 3]]
    assert (x.nelement(), x.positive() is x) == (4, True)
    assert y.detach_() is y
    assert not y.requires_grad


def test_what_they_lack_is_told_as_pytorch_tells_it():
    for x in (told(), told().to_sparse_csr()):
        assert not hasattr(x, "reshape")
        with pytest.raises(NotImplementedError, match=r"reshape.*take to_dense\(\)") as caught:
            x.reshape(6)
        assert isinstance(caught.value, (gb.GarboardError, AttributeError))
        with pytest.raises(AttributeError) as other:
            x.nonsense  # noqa: B018
        assert not isinstance(other.value, RuntimeError)


class TestNumPy:
    def test_scales_by_its_numbers_from_both_sides(self):
        for number in (np.float32(2), np.int64(2), np.float64(2), np.array(2.0)):
            for x in (told(), told().to_sparse_csr()):
                for made in (x * number, number * x):
                    assert isinstance(made, SparseTensor)
                    assert made.to_dense().tolist() == [[0.0, 4.0, 0.0], [6.0, 0.0, 8.0]]

    @pytest.mark.parametrize(
        "call",
        [
            np.asarray,
            lambda x: np.add(x, 1),
            lambda x: np.ones((2, 3)) * x,
            lambda x: x * np.ones((2, 3)),
            lambda x: np.ones((2, 2)) @ x,
        ],
    )
    def test_is_refused_as_an_array(self, call):
        with pytest.raises(TypeError):
            call(told())

    def test_is_told_by_dlpack_that_there_is_no_such_array(self):
        for take in (np.from_dlpack, gb.from_dlpack, gb.to_dlpack):
            with pytest.raises((BufferError, TypeError), match=r"(?i)sparse"):
                take(told())


@pytest.mark.parametrize(
    "call",
    [
        lambda x: gb.special.legendre_polynomial_p(gb.ones(3, 3), x),
        lambda x: gb.special.chebyshev_polynomial_t(x, gb.ones(3, 3)),
        lambda x: gb.nn.utils.rnn.unpad_sequence(gb.ones(3, 3), x),
        lambda x: gb.utils.data.WeightedRandomSampler(x, 2),
        lambda x: gb.nn.functional.linear(x, 1),
        lambda x: gb.zeros_like([x]),
        lambda x: gb.empty_like([x]),
        lambda x: gb.autograd.functional.jacobian(lambda a: a * 2, x),
        lambda x: gb.autograd.functional.jacobian(lambda a: x, gb.ones(3)),
        lambda x: gb.tensordot(gb.ones(3, 3), gb.ones(3, 3), x),
        lambda x: gb.empty(3).set_(x),
        lambda x: gb.segment_reduce(x, "sum", lengths=gb.tensor([3])),
        lambda x: gb.overrides.handle_torch_function(partial(gb.exp), (x,), x),
        lambda x: gb.addmm(x, [x, x], gb.ones(3, 3)),
        lambda x: gb.nn.functional.linear([x], gb.ones(3, 3)),
        lambda x: gb.matmul([x], gb.ones(3, 3)),
        lambda x: told().indices(),
        lambda x: told().values(),
        lambda x: gb.segment_reduce(gb.ones(3), "sum", lengths=x),
    ],
)
def test_what_takes_dense_tensors_alone_refuses_a_sparse_one(call):
    with pytest.raises((TypeError, gb.GarboardError), match=r": .*; .* needed|sparse"):
        call(gb.eye(3).to_sparse())
