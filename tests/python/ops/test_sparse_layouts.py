"""Sparse matrices by rows, by columns and by blocks, and tensors made in a sparse layout."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.sparse import SparseBscTensor, SparseBsrTensor, SparseCscTensor, SparseCsrTensor
from scipy import sparse as scipy_sparse

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

DENSE = np.array([[0.0, 2, 0, 0, 5, 0], [3, 0, 4, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 7]])
KINDS = {
    "csr": (gb.sparse_csr, SparseCsrTensor, ()),
    "csc": (gb.sparse_csc, SparseCscTensor, ()),
    "bsr": (gb.sparse_bsr, SparseBsrTensor, ((2, 3),)),
    "bsc": (gb.sparse_bsc, SparseBscTensor, ((2, 3),)),
}
ALL = pytest.mark.parametrize("name", KINDS)


def made(name: str, dense: Any = None) -> Any:
    x = gb.tensor(DENSE) if dense is None else dense
    return getattr(x, f"to_sparse_{name}")(*KINDS[name][2])


def parts(x: Any) -> tuple[Any, Any, Any]:
    by_rows = x.layout in (gb.sparse_csr, gb.sparse_bsr)
    names = ("crow_indices", "col_indices") if by_rows else ("ccol_indices", "row_indices")
    return (*(getattr(x, name)() for name in names), x.values())


@ALL
def test_what_is_told_is_scipys(name):
    x = made(name)
    order = scipy_sparse.csr_matrix(DENSE) if name[2] == "r" else scipy_sparse.csc_matrix(DENSE)
    begins, others, values = parts(x)

    assert (x.layout, type(x), x.is_sparse) == (*KINDS[name][:2], False)
    assert x.is_sparse_csr is (name == "csr")
    assert gb.equal(x.to_dense(), gb.tensor(DENSE))
    if name.startswith("cs"):
        assert begins.tolist() == order.indptr.tolist()
        assert others.tolist() == order.indices.tolist()
        assert values.tolist() == order.data.tolist()
        assert x._nnz() == 6
    else:
        assert values.shape == (4, 2, 3)
        assert (begins.tolist(), others.tolist()) == ([0, 2, 4], [0, 1, 0, 1])
        assert x._nnz() == 4


@ALL
def test_it_is_made_of_what_it_tells(name):
    x = made(name)
    make = getattr(gb, f"sparse_{name}_tensor")

    for again in (
        make(*parts(x), (4, 6)),
        make(*parts(x)),
        gb.sparse_compressed_tensor(*parts(x), layout=x.layout),
        make(*(part.tolist() for part in parts(x)), dtype=gb.float64),
    ):
        assert type(again) is type(x)
        assert gb.equal(again.to_dense(), x.to_dense())
    values = parts(x)[2].detach().requires_grad_()
    make(*parts(x)[:2], values, (4, 6)).to_dense().square().sum().backward()
    assert gb.equal(values.grad, 2 * values.detach())


@ALL
def test_it_is_turned_scaled_added_and_multiplied_in_its_layout(name):
    x, dense = made(name), gb.tensor(DENSE)
    turned = x.t()

    assert turned.layout is {"r": KINDS[f"{name[:2]}c"], "c": KINDS[f"{name[:2]}r"]}[name[2]][0]
    assert gb.equal(turned.to_dense(), dense.T)
    assert gb.equal(turned.t().to_dense(), dense)
    for there, wanted in (
        (x * 2, dense * 2),
        (x + x, dense * 2),
        (x - x * 3, dense * -2),
        (x * x, dense * dense),
        (-x, -dense),
        (abs(x), dense.abs()),
        (x.sin(), dense.sin()),
        (x**2, dense**2),
        (x.to(gb.float32), dense.float()),
        (x.clone(), dense),
        (copy.deepcopy(x), dense),
        (pickle.loads(pickle.dumps(x)), dense),
    ):
        assert there.layout is x.layout
        assert gb.allclose(there.to_dense(), wanted)
    assert (x @ x.t()).layout is x.layout or name[0] == "b"
    assert gb.allclose((x.to_sparse() @ x.t().to_sparse()).to_dense(), dense @ dense.T)
    assert gb.allclose(x @ gb.ones(6, 2, dtype=gb.float64), dense @ gb.ones(6, 2).double())
    assert gb.equal(x + dense, dense * 2)


@ALL
def test_gradients_flow_through_it(name):
    x = gb.tensor(DENSE).requires_grad_()

    (made(name, x) @ gb.ones(6, dtype=gb.float64)).square().sum().backward()

    wanted = (2 * DENSE.sum(1, keepdims=True)) * (DENSE != 0)
    assert np.allclose(x.grad.numpy()[DENSE != 0], wanted[DENSE != 0])


@ALL
def test_its_text_tells_its_parts(name):
    text = str(made(name))

    assert text.startswith("tensor(crow" if name[2] == "r" else "tensor(ccol")
    assert f"size=(4, 6), nnz={made(name)._nnz()}, dtype=garboard.float64" in text
    assert text.endswith(f"layout=garboard.sparse_{name})")
    assert not any(line.endswith(" ") for line in text.split("\n"))


def test_layouts_become_each_other():
    for name in KINDS:
        for other in KINDS:
            assert gb.equal(made(other, made(name)).to_dense(), gb.tensor(DENSE))
        x = made(name)
        assert x.to_sparse().layout is x.to_sparse_coo().layout is gb.sparse_coo
        with pytest.raises(RuntimeError, match=rf"indices: a matrix in the layout .*{name}; c"):
            x.indices()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: gb.ones(4).to_sparse_csc(), gb.ShapeError, "to_sparse_csc: sizes"),
        (lambda: gb.ones(4, 4).to_sparse_bsr((3, 2)), gb.ShapeError, "to_sparse_bsr: blocksize"),
        (lambda: gb.ones(4, 4).to_sparse_bsc((0, 2)), gb.ShapeError, "to_sparse_bsc: blocksize"),
        (lambda: gb.sparse_csc_tensor([0, 1], [3], [1.0], (2, 1)), IndexError, "sparse_csc_tensor"),
        (lambda: gb.sparse_bsr_tensor([0, 1], [0], [1.0]), gb.ShapeError, "sparse_bsr_tensor"),
        (lambda: gb.sparse_csc_tensor([0, 2, 1], [0], [1.0]), gb.ShapeError, "columns begin"),
        (
            lambda: gb.sparse_bsr_tensor([0, 1], [0], [[[1.0, 2.0]]], (1, 3)),
            gb.ShapeError,
            "whole blocks",
        ),
        (
            lambda: gb.sparse_compressed_tensor([0], [], [], layout=gb.strided),
            ValueError,
            "sparse_compressed_tensor: layout",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


class TestALayoutThatIsAskedFor:
    @pytest.mark.parametrize("make", [gb.zeros, gb.empty])
    def test_gives_what_tells_no_element(self, make):
        for layout in (gb.sparse_coo, gb.sparse_csr, gb.sparse_csc):
            x = make(2, 3, layout=layout, dtype=gb.float64)

            assert (x.layout, x.dtype, x.shape, x._nnz()) == (layout, gb.float64, (2, 3), 0)
            assert x.to_dense().tolist() == [[0.0] * 3] * 2
        assert make((1 << 20, 1 << 20), layout=gb.sparse_coo).shape == (1 << 20, 1 << 20)
        assert make(size=(2,), layout=gb.sparse_coo, requires_grad=True).requires_grad
        assert make(2, layout=gb.strided).layout is gb.strided

    def test_is_heard_where_one_is_made_like_another(self):
        x = gb.ones(2, 3, dtype=gb.int32)

        for made in (
            gb.zeros_like(x, layout=gb.sparse_coo),
            x.new_zeros(2, 3, layout=gb.sparse_coo),
            x.to_sparse().new_zeros(2, 3),
            gb.zeros_like(x.to_sparse()),
            gb.empty_like(x.to_sparse()),
        ):
            assert (made.layout, made.dtype, made._nnz()) == (gb.sparse_coo, gb.int32, 0)
        assert gb.zeros_like(x.to_sparse_csr()).layout is gb.sparse_csr

    @pytest.mark.parametrize("name", ["ones", "randn", "rand"])
    def test_is_refused_of_what_is_no_zeros(self, name):
        with pytest.raises(
            NotImplementedError, match=rf"^{name}: layout garboard\.sparse_coo; strided"
        ):
            getattr(gb, name)(2, layout=gb.sparse_coo)

    def test_is_refused_where_the_sizes_are_not_its(self):
        with pytest.raises(RuntimeError, match=r"zeros: layout garboard\.sparse_csr of sizes"):
            gb.zeros(2, layout=gb.sparse_csr)
        with pytest.raises(RuntimeError, match=r"zeros: layout garboard\.sparse_bsr"):
            gb.zeros(2, 2, layout=gb.sparse_bsr)


def test_what_is_sparse_goes_into_another_layout_by_one_method():
    x = gb.eye(4).to_sparse()

    assert x.to_sparse() is x
    assert x.to_sparse(layout=gb.sparse_csr).layout is gb.sparse_csr
    assert x.to_sparse_csr().to_sparse(layout=gb.sparse_csc).layout is gb.sparse_csc
    assert x.to_sparse_csr().to_sparse(2).layout is gb.sparse_coo
    assert x.to_sparse(layout=gb.sparse_bsr, blocksize=(2, 2)).values().shape == (2, 2, 2)
    with pytest.raises(ValueError, match="to_sparse: sparse_dim 1 of a tensor of 2 sparse dims"):
        x.to_sparse(1)
    with pytest.raises(NotImplementedError, match="to_sparse: layout"):
        x.to_sparse(layout=gb.sparse_bsr)


def test_the_switch_of_checks_is_kept():
    switch = gb.sparse.check_sparse_tensor_invariants

    with switch(), switch(enable=False):
        inner = switch.is_enabled()
    outer = switch(True)(switch.is_enabled)()
    switch.enable()
    enabled = switch.is_enabled()
    switch.disable()

    assert (inner, outer, enabled, switch.is_enabled()) == (False, True, True, False)
