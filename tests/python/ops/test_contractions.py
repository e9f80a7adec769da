"""Sums of products over named dims, and what is written over by a sum with a product."""

from __future__ import annotations

import sys
from itertools import combinations, combinations_with_replacement
from types import SimpleNamespace

import garboard as gb
import numpy as np
import pytest
from garboard._ops import contractions

from tests.support.finite_differences import check_first_order, check_second_order

EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ba,cb", (2, 3), (4, 2)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("...ij,...jk", (5, 2, 3), (1, 3, 4)),
    ("i,j->ij", (2,), (3,)),
    ("i,i->i", (3,), (3,)),
    ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bn,anm,bm->ba", (2, 5), (3, 5, 4), (2, 4)),
    ("abc,cd,de,ef->abf", (2, 3, 4), (4, 5), (5, 2), (2, 3)),
    ("ij,kl,mn->ikm", (2, 3), (2, 3), (2, 3)),
    ("...ii->...i", (2, 3, 3)),
    ("...,...->...", (2, 3), (3,)),
    ("Aa,aB->BA", (2, 3), (3, 4)),
    ("ijk,jil->kl", (3, 4, 5), (4, 3, 2)),
    ("iij,jk", (3, 3, 2), (2, 4)),
    (",ij->ij", (), (2, 3)),
    ("ij...,jk...->ik...", (2, 3, 4), (3, 5, 4)),
    ("ij,jk->ik", (0, 3), (3, 4)),
    ("ij,jk->ik", (2, 0), (0, 4)),
    (" i j , j k -> k i ", (2, 3), (3, 4)),
]


def arrays(shapes: tuple[tuple[int, ...], ...], seed: int = 7) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.normal(size=shape)) for shape in shapes]


class TestEinsum:
    @pytest.mark.parametrize(("equation", "shapes"), [(it[0], it[1:]) for it in EQUATIONS])
    def test_agrees_with_numpys_and_has_gradients(self, equation, shapes):
        given = arrays(shapes)

        with gb.leaks.no_leaks():
            result = gb.einsum(equation, *map(gb.tensor, given))
            np.testing.assert_allclose(
                result.numpy(), np.einsum(equation.replace(" ", ""), *given), rtol=1e-12, atol=1e-12
            )
            del result

        if all(array.size for array in given):
            check_first_order(lambda *it: gb.einsum(equation, *it), given)

    def test_has_second_gradients(self):
        given = arrays(((2, 3), (4, 3), (4, 2)))

        check_second_order(lambda *it: gb.einsum("ij,kj,kl->il", *it), given)

    def test_spreads_dims_of_size_1_as_dims_of_one_letter(self):
        a, b = arrays(((2, 1), (3, 4)))

        result = gb.einsum("ij,jk->ik", gb.tensor(a), gb.tensor(b))

        np.testing.assert_allclose(result.numpy(), np.broadcast_to(a, (2, 3)) @ b, rtol=1e-12)

    def test_takes_labels_as_numbers_and_operands_in_a_list(self):
        a, b = map(gb.tensor, arrays(((2, 3), (3, 4))))
        expected = gb.einsum("ij,jk->ki", a, b).tolist()

        assert gb.einsum(a, [0, 1], b, [1, 2], [2, 0]).tolist() == expected
        assert gb.einsum(a, [..., 1], b, [1, 2], [2, ...]).tolist() == expected
        assert gb.einsum("ij,jk->ki", [a, b]).tolist() == expected

    @pytest.mark.parametrize("equation", ["ij,jk->ik", "ji,kj->ik", "ij,kj->ki", "ji,jk->ki"])
    def test_of_two_matrices_makes_nothing_but_the_result(self, equation):
        a, b = gb.ones(64, 64), gb.ones(64, 64)

        with gb.dispose_scope() as scope:
            gb.einsum(equation, a, b)

        assert scope.peak_bytes["cpu"] == 64 * 64 * 4

    def test_of_integers_multiplies_in_their_dtype_and_sums_as_sum_does(self):
        x = gb.ones(2, 3, dtype=gb.int32)

        assert gb.einsum("ij,ij->i", x, x).dtype == gb.int32
        assert gb.einsum("ij->i", x).dtype == gb.int64
        assert gb.einsum("ij,kl->ik", x, x).tolist() == [[9, 9], [9, 9]]

    def test_multiplies_several_dtypes_where_nothing_is_added_up(self, no_leaks):
        places = gb.arange(3)
        rates = gb.tensor([0.5, 2], requires_grad=True)

        angles = gb.einsum("i,j->ij", places, rates)
        angles.sum().backward()

        assert angles.dtype == gb.float32
        assert angles.tolist() == [[0, 0], [0.5, 2], [1, 4]]
        assert rates.grad.tolist() == [3, 3]
        assert gb.einsum("i,i,i->i", places, places > 1, places.double()).tolist() == [0, 0, 4]

    @pytest.mark.parametrize(
        ("equation", "shapes", "error"),
        [
            ("ij,jk->iz", ((2, 3), (3, 4)), ValueError),
            ("ij,jk->ii", ((2, 3), (3, 4)), ValueError),
            ("ij,jk", ((2, 3),), ValueError),
            ("ij", ((2, 3, 4),), gb.ShapeError),
            ("ijk...", ((2, 3),), gb.ShapeError),
            ("ij,jk->ik", ((2, 3), (4, 4)), gb.ShapeError),
            ("ii", ((2, 3),), gb.ShapeError),
            ("ii", ((1, 3),), gb.ShapeError),
            ("i$", ((2, 3),), ValueError),
            ("ij-jk", ((2, 3),), ValueError),
            ("i..j", ((2, 3),), ValueError),
            ("....i", ((2, 3),), ValueError),
            ("ij->i->j", ((2, 3),), ValueError),
            ("i.j", ((2, 3),), ValueError),
        ],
    )
    def test_refuses_subscripts_that_lie(self, equation, shapes, error):
        with pytest.raises(error, match=r"^einsum: .*; "):
            gb.einsum(equation, *map(gb.tensor, arrays(shapes)))

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (list, TypeError),
            (lambda: ["ij"], ValueError),
            (lambda: ["i", 1], TypeError),
            (lambda: [gb.ones(2)], TypeError),
            (lambda: [gb.ones(2), [60]], ValueError),
            (lambda: [gb.ones(2), ["i"]], TypeError),
            (lambda: [gb.ones(2), "i"], TypeError),
            (lambda: ["i,i", gb.ones(2), gb.ones(2).double()], gb.DTypeError),
            (lambda: ["i,i", gb.ones(2).bool(), gb.ones(2).bool()], gb.DTypeError),
        ],
    )
    def test_refuses_what_is_no_call(self, arguments, error):
        with pytest.raises(error, match=r"^einsum: "):
            gb.einsum(*arguments())


@pytest.mark.parametrize(("is_enabled", "strategy"), [(False, "auto"), (True, "greedy")])
def test_einsum_takes_its_order_from_opt_einsum_where_that_is_switched_on(
    monkeypatch, is_enabled, strategy
):
    switches = gb.backends.opt_einsum
    paths = []
    find = SimpleNamespace(contract_path=lambda *_, **more: (paths.append(more), ([(1, 2)], 0))[1])
    monkeypatch.setitem(sys.modules, "opt_einsum", find)
    monkeypatch.setattr(switches, "enabled", is_enabled)
    monkeypatch.setattr(switches, "strategy", strategy)
    contractions._path_finder.cache_clear()
    a, b, c = (gb.randn(2, 3), gb.randn(3, 4), gb.randn(4, 5))

    found = gb.einsum("ij,jk,kl->il", a, b, c)

    contractions._path_finder.cache_clear()
    gb.testing.assert_close(found, a @ b @ c)
    assert [it["optimize"] for it in paths] == [strategy] * is_enabled


@pytest.mark.parametrize(
    ("dims", "error"),
    [
        (4, gb.ShapeError),
        (-1, gb.ShapeError),
        (([0], [0, 1]), gb.ShapeError),
        (([0, 0], [0, 1]), gb.ShapeError),
        (([0],), gb.ShapeError),
        (([5], [0]), gb.IndexOutOfRangeError),
        (([0], [1]), gb.ShapeError),
        ("ab", TypeError),
    ],
)
def test_tensordot_refuses_dims_that_do_not_meet(dims, error):
    with pytest.raises(error, match=r"^tensordot: .*; |^tensordot: .* is needed"):
        gb.tensordot(gb.ones(2, 3), gb.ones(2, 4), dims)


class TestSumsWithProducts:
    def test_in_place_are_the_tensor_itself(self):
        matrix, vector, batch = gb.ones(2, 2), gb.ones(2), gb.ones(3, 2, 2)
        written = [gb.ones(2, 2), gb.ones(2), gb.ones(2, 2), gb.ones(3, 2, 2), gb.ones(2, 2)]

        results = [
            written[0].addmm_(matrix, matrix, beta=2),
            written[1].addmv_(matrix, vector, beta=2),
            written[2].addr_(vector, vector, beta=2),
            written[3].baddbmm_(batch, batch, beta=0, alpha=2),
            written[4].addbmm_(batch, batch),
        ]

        assert all(a is b for a, b in zip(results, written, strict=True))
        assert [it.flatten()[0].item() for it in written] == [4, 4, 3, 4, 7]

    def test_in_place_have_gradients(self):
        def function(x: gb.Tensor, a: gb.Tensor, b: gb.Tensor) -> gb.Tensor:
            return (x * 1).addmm_(a, b, beta=0.5, alpha=2)

        check_first_order(function, arrays(((2, 4), (2, 3), (3, 4))))

    def test_take_whole_floats_for_integers(self):
        x = gb.ones(2, 2, dtype=gb.int32)

        assert gb.addmm(x, x, x, beta=2.0, alpha=3.0).tolist() == [[8, 8], [8, 8]]
        for bad in (2.5, float("nan"), float("inf"), 1e300):
            with pytest.raises(gb.DTypeError, match=r"^addmm: beta or alpha is no integer"):
                gb.addmm(x, x, x, alpha=bad)

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ((gb.float32, gb.int64, gb.int64), gb.float32),
            ((gb.int64, gb.float64, gb.bool), gb.float64),
            ((gb.int64, gb.bool, gb.bool), gb.int64),
            ((gb.float16, gb.bfloat16, gb.uint8), gb.float32),
        ],
    )
    def test_of_vectors_meet_in_one_dtype(self, given, expected):
        x, a, b = gb.ones(2, 3).to(given[0]), gb.ones(2).to(given[1]), gb.ones(3).to(given[2])

        found = gb.addr(x, a, b, alpha=2)

        assert found.dtype == expected
        assert found.tolist() == [[3] * 3] * 2

    def test_of_vectors_take_bools_for_sets(self):
        x = gb.tensor([[True, False], [False, False]])
        a, b = gb.tensor([True, False]), gb.tensor([True, True])

        assert gb.addr(x, a, b).tolist() == [[True, True], [False, False]]
        assert gb.addr(x, a, b, alpha=0).tolist() == x.tolist()
        assert gb.addr(~x, a, b, beta=False).tolist() == [[True, True], [False, False]]
        assert x.addr_(a, b).tolist() == [[True, True], [False, False]]
        with pytest.raises(gb.DTypeError, match=r"^addr: beta or alpha is no integer"):
            gb.addr(x, a, b, alpha=0.5)

    def test_of_vectors_go_into_what_holds_them(self):
        x, n, d = gb.ones(2, 2), gb.ones(2, 2, dtype=gb.int64), gb.ones(2, dtype=gb.float64)

        assert x.addr_(d, d).dtype == gb.float32
        assert x.tolist() == [[2, 2], [2, 2]]
        with pytest.raises(gb.DTypeError, match=r"^addr_: a sum of dtype float64 into .* int64;"):
            n.addr_(d, d)
        assert n.tolist() == [[1, 1], [1, 1]]
        with pytest.raises(gb.ShapeError, match=r"^addr_: .* in place they must be equal$"):
            gb.ones(2).addr_(d, d)

    def test_pass_over_nan_where_beta_is_0(self):
        nothing = gb.full((2, 2), float("nan"))

        assert gb.addmm(nothing, gb.eye(2), gb.eye(2), beta=0).tolist() == [[1, 0], [0, 1]]
        assert nothing.addmm_(gb.eye(2), gb.eye(2), beta=0).tolist() == [[1, 0], [0, 1]]

    def test_are_written_into_out(self):
        out = gb.zeros(2, 2)

        assert gb.addmm(gb.eye(2), gb.eye(2), gb.eye(2), out=out) is out
        assert out.tolist() == [[2, 0], [0, 2]]
        with pytest.raises(gb.ShapeError, match=r"^addmm: out has sizes"):
            gb.addmm(gb.eye(2), gb.eye(2), gb.eye(2), out=gb.zeros(3))
        with pytest.raises(gb.GradientError, match=r"^addmm: out="):
            gb.addmm(gb.eye(2), gb.eye(2), gb.eye(2), out=gb.zeros(2, 2, requires_grad=True))

    def test_refuse_what_does_not_fit(self):
        integers = gb.ones(2, 2, dtype=gb.int64)

        with pytest.raises(gb.DTypeError, match=r"^addmm: beta or alpha is no integer"):
            gb.addmm(integers, integers, integers, beta=0.5)
        with pytest.raises(gb.ShapeError, match=r"^addmm: input of sizes \[3, 2\]"):
            gb.addmm(gb.ones(3, 2), gb.eye(2), gb.eye(2))
        with pytest.raises(gb.ShapeError, match=r"^addmm_: .*in place they must be equal"):
            gb.ones(1, 2).addmm_(gb.eye(2), gb.eye(2))


class TestCdist:
    @pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, float("inf")])
    @pytest.mark.parametrize(
        "shapes", [((4, 3), (5, 3)), ((2, 1, 4, 3), (3, 5, 3)), ((30, 3), (2, 3))]
    )
    def test_agrees_with_its_definition(self, p, shapes):
        a, b = arrays(shapes)
        apart = np.abs(a[..., :, None, :] - b[..., None, :, :])
        expected = np.linalg.norm(apart, p, axis=-1)

        result = gb.cdist(gb.tensor(a), gb.tensor(b), p)

        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-7, atol=1e-12)

    def test_has_a_gradient_that_is_0_between_equal_rows(self):
        check_first_order(gb.cdist, arrays(((3, 2), (4, 2))))
        for rows in (2, 30):
            x = gb.zeros(rows, 3, requires_grad=True)
            gb.cdist(x, x.detach()).sum().backward()
            assert x.grad.tolist() == [[0.0] * 3] * rows

    @pytest.mark.parametrize("p", [0, 1, 2, float("inf")])
    @pytest.mark.parametrize("rows", [2, 30])  # of 30 by a product
    def test_is_nan_where_a_row_is_not_a_number(self, rows, p):
        x = gb.arange(3.0 * rows).reshape(rows, 3)
        x[1, 2] = float("nan")

        far = gb.cdist(x, x, p).isnan()

        expected = gb.zeros(rows, rows, dtype=gb.bool)
        expected[1], expected[:, 1] = True, True
        assert gb.equal(far, expected)

    def test_refuses_what_does_not_fit(self):
        with pytest.raises(gb.ShapeError, match=r"^cdist: sizes"):
            gb.cdist(gb.ones(2, 3), gb.ones(2, 4))
        with pytest.raises(gb.DTypeError, match=r"^cdist: dtypes"):
            gb.cdist(gb.ones(2, 3), gb.ones(2, 3, dtype=gb.float64))
        with pytest.raises(ValueError, match=r"^cdist: p -1"):
            gb.cdist(gb.ones(2, 3), gb.ones(2, 3), -1)

    def test_refuses_more_distances_than_there_are_bytes_before_it_reads_a_row(self):
        rows = gb.ones(1, 1).expand(1 << 31, 1)

        gb.memory.reset_peak_memory_stats()

        with pytest.raises(gb.ShapeError, match="no device holds"):
            gb.cdist(rows, rows)

        assert gb.memory.max_memory_allocated() < 1024


@pytest.mark.parametrize("count", [1, 2, 3])
def test_combinations_are_those_of_itertools(count):
    values = [3.0, 1.0, 2.0, 5.0]

    chosen = gb.combinations(gb.tensor(values), count)
    again = gb.combinations(gb.tensor(values), count, with_replacement=True)

    assert chosen.tolist() == [list(it) for it in combinations(values, count)]
    assert again.tolist() == [list(it) for it in combinations_with_replacement(values, count)]


def test_combinations_of_none_and_of_too_many():
    assert gb.combinations(gb.ones(3), 0).shape == (0,)
    with pytest.raises(gb.ShapeError, match=r"^combinations: r 9"):
        gb.combinations(gb.ones(3), 9)


@pytest.mark.parametrize("count", [None, 0, 1, 3])
@pytest.mark.parametrize("increasing", [False, True])
def test_vander_agrees_with_numpys(count, increasing):
    x = np.array([1.0, 2.0, -0.5, 0.0])

    result = gb.vander(gb.tensor(x), count, increasing)

    np.testing.assert_array_equal(result.numpy(), np.vander(x, count, increasing))


def test_an_infinite_end_has_an_infinite_area():
    y = gb.tensor([float("inf"), 1.0, 2.0])

    assert gb.trapezoid(y).item() == float("inf")
    assert gb.trapezoid(gb.tensor([float("inf"), 1.0])).item() == float("inf")
    assert gb.trapezoid(gb.tensor([3, 4, 6])).item() == 8.5


@pytest.mark.parametrize(("sizes", "dim"), [((4,), -1), ((3, 4), 0), ((2, 3, 4), 1), ((1, 2), 0)])
@pytest.mark.parametrize("given", ["steps of 1", "dx", "x", "x of all"])
def test_areas_under_lines_agree_with_numpys(sizes, dim, given):
    random = np.random.default_rng(7)
    y = random.standard_normal(sizes)
    x = {"x": random.standard_normal(sizes[dim]), "x of all": random.standard_normal(sizes)}.get(
        given
    )
    more = {"dx": 0.25} if given == "dx" else {}
    a = gb.tensor(y, requires_grad=True)
    b = None if x is None else gb.tensor(x, requires_grad=True)

    result = gb.trapezoid(a, b, **more, dim=dim)
    until = gb.cumulative_trapezoid(a, b, **more, dim=dim)

    areas = getattr(np, "trapezoid", None) or np.trapz  # the name before NumPy 2
    np.testing.assert_allclose(
        result.detach().numpy(), areas(y, x, axis=dim, **more), rtol=1e-12, atol=1e-12
    )
    assert until.shape[dim] == sizes[dim] - 1
    if sizes[dim] > 1:
        np.testing.assert_allclose(until.detach().numpy().take(-1, dim), result.detach().numpy())
    assert gb.autograd.gradcheck(
        lambda *args: gb.trapezoid(*args, **more, dim=dim), (a,) if b is None else (a, b)
    )


@pytest.mark.parametrize(
    ("op", "args", "more", "error", "told"),
    [
        ("trapezoid", ([1, 2], [1, 2]), {"dx": 1}, ValueError, "both x and dx"),
        ("trapezoid", ([1, 2], [1, 2, 3]), {}, gb.ShapeError, "3 elements of x for 2 of y"),
        ("trapezoid", ([1, 2], [[1, 2]]), {}, gb.ShapeError, r"x of sizes \[1, 2\]"),
        ("trapezoid", ([True],), {}, gb.DTypeError, "a tensor of dtype bool"),
        ("cumulative_trapezoid", (1.0,), {}, gb.IndexOutOfRangeError, "dim -1 of sizes"),
        ("cumulative_trapezoid", ([1.0],), {"dim": 1}, gb.IndexOutOfRangeError, "dim 1 of"),
    ],
)
def test_areas_that_cannot_be_are_refused(op, args, more, error, told):
    with pytest.raises(error, match=rf"^{op}: {told}"):
        getattr(gb, op)(*map(gb.tensor, args), **more)


@pytest.mark.parametrize("sizes", [(3, 3), (2, 4), (4, 2), (0, 3), (3, 0)])
@pytest.mark.parametrize("offset", [-9, -1, 0, 1, 2**62])
def test_places_of_triangles_agree_with_numpys(sizes, offset):
    rows, columns = sizes

    lower = gb.tril_indices(rows, columns, offset)
    upper = gb.triu_indices(rows, columns, offset, dtype=gb.int32)

    near = max(-9, min(offset, 9))
    assert lower.tolist() == [it.tolist() for it in np.tril_indices(rows, near, columns)]
    assert upper.tolist() == [it.tolist() for it in np.triu_indices(rows, near, columns)]
    assert (lower.dtype, upper.dtype) == (gb.int64, gb.int32)
    assert lower.is_contiguous()


def test_places_of_a_triangle_of_less_than_nothing_are_refused():
    with pytest.raises(gb.ShapeError, match=r"^tril_indices: row -1"):
        gb.tril_indices(-1, 2)


def test_places_of_a_triangle_that_no_device_holds_are_refused():
    for rows, columns in [(2**40, 2**40), (2**62, 2), (2**63 - 1, 2**63 - 1)]:
        for places in (gb.tril_indices, gb.triu_indices):
            with pytest.raises(gb.ShapeError, match="_indices: "):
                places(rows, columns, 2**63 - 1 if places is gb.tril_indices else -(2**63))
    assert gb.triu_indices(2**63 - 1, 0).shape == gb.tril_indices(0, 2**63 - 1).shape == (2, 0)


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0, 3.5, float("inf")])
def test_distances_of_pairs_are_those_above_the_diagonal(power):
    x = gb.tensor(np.random.default_rng(0).normal(size=(5, 3)), requires_grad=True)
    rows, later = np.triu_indices(5, 1)

    with gb.leaks.no_leaks():
        found = gb.nn.functional.pdist(x, power)
        whole = np.array(gb.cdist(x, x, power).tolist())
        assert np.allclose(found.tolist(), whole[rows, later])
        del found


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: gb.pdist(gb.ones(3)), gb.ShapeError, "two dims"),
        (lambda: gb.pdist(gb.ones(3, 2), -1), ValueError, "p -1"),
        (lambda: gb.pdist(gb.ones(3, 2).long()), gb.DTypeError, "floating"),
    ],
)
def test_distances_of_what_does_not_fit_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize("dtype", [gb.uint8, gb.int16, gb.int32])
def test_narrow_integers_that_are_added_up_alone_become_wide(dtype):
    many, few = gb.full((3, 100), 9, dtype=dtype), gb.tensor([1, 2], dtype=dtype)

    found = gb.einsum("a,cd->a", few, many)

    assert (found.dtype, found.tolist()) == (gb.int64, [2700, 5400])
    assert gb.einsum("cd,cd,a->a", many, many, few).dtype == dtype
    assert gb.einsum("a,cd,e->ae", few, many, few).tolist() == [[2700, 5400], [5400, 10800]]
