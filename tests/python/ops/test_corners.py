"""Corners of ops that PyTorch's samples visit: empty indices, wide margins, results in place."""

from __future__ import annotations

import math
import operator

import garboard as gb
import numpy as np
import pytest


@pytest.mark.parametrize("sizes", [(0,), (2, 0), (0, 3, 1)])
@pytest.mark.parametrize("dtype", [gb.int64, gb.uint8, gb.float32])
def test_no_index_gathers_nothing_whatever_its_dims(sizes, dtype):
    x = gb.ones(5, requires_grad=True)

    found = gb.gather(x, 0, gb.zeros(sizes, dtype=dtype))
    found.sum().backward()

    assert found.shape == sizes
    assert x.grad is not None
    assert x.grad.tolist() == [0.0] * 5


@pytest.mark.parametrize("sizes", [(0,), (2, 0), (0, 3, 1)])
@pytest.mark.parametrize("of_source", [(2, 2), (0,)])
def test_no_index_scatters_nothing_whatever_its_dims(sizes, of_source):
    x, index = gb.full((2, 2), 3.0), gb.zeros(sizes, dtype=gb.int64)
    source, given = gb.ones(of_source), gb.ones(of_source, requires_grad=True)

    x.scatter_(0, index, 1.0)
    x.scatter_(0, gb.tensor([]), 1.0)
    x.scatter_(1, index, source)
    x.scatter_add_(0, index, source)
    for reduction in ("sum", "mean", "prod", "amax", "amin"):
        x.scatter_reduce_(1, index, source, reduction, include_self=False)
    (x.scatter_add(0, index, given) + x.scatter_reduce(0, index, given, "amax")).sum().backward()

    assert x.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert given.grad is not None
    assert given.grad.tolist() == gb.zeros(of_source).tolist()


@pytest.mark.parametrize("dim", [(), []])
def test_a_truth_along_no_dims_is_that_of_each_element(dim):
    x = gb.tensor([0.0, math.nan, 2.0])

    assert x.all(dim=dim).tolist() == [False, True, True]
    assert gb.any(x.to(gb.uint8), dim=dim, keepdim=True).dtype == gb.uint8
    assert gb.all(x).item() is False


def test_an_index_of_bytes_that_names_something_is_refused():
    with pytest.raises(gb.DTypeError, match="int64 or int32"):
        gb.gather(gb.ones(5), 0, gb.zeros(1, dtype=gb.uint8))


def test_no_dims_roll_all_elements():
    x = gb.arange(6).view(2, 3)

    assert gb.equal(x.roll(1, dims=None), x.roll(1))
    assert gb.equal(gb.roll(x, 1, None), gb.tensor([[5, 0, 1], [2, 3, 4]]))


@pytest.mark.parametrize("dim", [0, 1, -2])
def test_nothing_joined_to_nothing_is_nothing_along_any_dim(dim):
    assert gb.cat([gb.zeros(0), gb.zeros(0, dtype=gb.float64)], dim=dim).dtype == gb.float64
    assert gb.cat([gb.zeros(0), gb.ones(2, 1)], dim=dim % 2).shape == (2, 1)


def test_new_dims_of_size_one_lie_as_unsqueezed_ones():
    x = gb.zeros(2, 3).t()

    assert x.expand(1, 1, 3, 2).stride() == x.unsqueeze(0).unsqueeze(0).stride()
    assert gb.zeros(3).expand(4, 1, 3).stride() == (0, 3, 1)
    assert gb.zeros(()).expand(1, 1).stride() == (1, 1)
    assert gb.zeros(()).expand(2, 1).stride() == (0, 1)


def test_a_tensor_without_dims_is_not_rolled_along_one():
    assert gb.roll(gb.tensor(3.0), 2).item() == 3.0
    with pytest.raises(gb.ShapeError, match="without dims"):
        gb.roll(gb.tensor(3.0), 2, 0)


def test_a_margin_above_a_half_splits_logit_in_two():
    x = gb.tensor([0.1, 0.59, 0.7], dtype=gb.float64, requires_grad=True)

    found = gb.logit(x, 0.6)
    found.sum().backward()

    edge = math.log(0.6 / 0.4)
    np.testing.assert_allclose(found.detach().numpy(), [edge, edge, -edge], rtol=1e-12)
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("value", [2.0, True, [2.0]], ids=str)
def test_what_is_filled_is_recorded_and_sends_zeros_back(value):
    value = gb.tensor(value) if isinstance(value, list) else value
    x = gb.ones(3, requires_grad=True)

    found = gb.fill(x, value)
    (gradient,) = gb.autograd.grad(found.sum(), [x])

    assert found.tolist() == [float(value)] * 3
    assert gradient.tolist() == [0, 0, 0]


def test_truth_of_bytes_is_a_byte():
    x = gb.tensor([[1, 0], [2, 3]], dtype=gb.uint8)

    assert gb.any(x).dtype == x.all(1).dtype == gb.uint8
    assert x.all(1).tolist() == [0, 1]
    assert gb.all(x.int()).dtype == gb.bool


@pytest.mark.parametrize(
    ("name", "argument"), [("polygamma", 1), ("mvlgamma", 2), ("nextafter", None)]
)
def test_functions_write_over_their_tensor(name, argument):
    argument = gb.tensor(9.0) if argument is None else argument
    x = gb.tensor([1.5, 2.5], requires_grad=True)

    with gb.leaks.no_leaks():
        scaled = x * 2
        found = getattr(scaled, f"{name}_")(argument)

        assert found is scaled
        assert gb.equal(found, getattr(x * 2, name)(argument))
        if name != "nextafter":
            found.sum().backward()
            (expected,) = gb.autograd.grad(getattr(x * 2, name)(argument).sum(), [x])
            assert gb.equal(x.grad, expected)
            x.grad = None
            del expected
        del found, scaled
    with pytest.raises(gb.GradientError):
        getattr(x, f"{name}_")(argument)
    with pytest.raises(gb.DTypeError, match="floating"):
        getattr(gb.ones(2).int(), f"{name}_")(argument)


def test_exponentials_of_matrices_of_half_types_are_rounded_once():
    x = gb.tensor([[0.5, 1.0], [-1.0, 0.25]])

    found = gb.matrix_exp(x.half())

    assert found.dtype == gb.float16
    assert gb.equal(found, gb.matrix_exp(x).half())
    with pytest.raises(gb.DTypeError, match=r"^linalg.matrix_exp: .*int64; a floating one"):
        gb.linalg.matrix_exp(x.long())


def test_groups_need_places():
    with pytest.raises(gb.ShapeError, match="with places"):
        gb.nn.functional.group_norm(gb.ones(1, 2, 0), 1)
    assert gb.nn.functional.group_norm(gb.ones(0, 2, 3), 1).shape == (0, 2, 3)


def test_convolutions_of_integers_wrap_as_their_products_do():
    x = gb.tensor([[2**62, 2**62, 1]])
    weight = gb.tensor([[[2, 3]]])

    found = gb.nn.functional.conv1d(x, weight, gb.tensor([5]), stride=1)

    assert found.tolist() == [[2**62 + 5 - 0, -(2**63) + 3 + 5]]
    back = gb.nn.functional.conv_transpose1d(gb.tensor([[1, 10]]), weight, stride=2, padding=1)
    assert back.tolist() == [[3, 20]]


@pytest.mark.parametrize("has_bias", [False, True])
def test_a_bilinear_form_of_half_types_is_rounded_once(has_bias):
    gb.manual_seed(3)
    parts = [gb.randn(*sizes).bfloat16() for sizes in [(2, 8), (2, 8), (3, 8, 8), (3,)]]
    parts = parts if has_bias else parts[:3]

    found = gb.nn.functional.bilinear(*parts)

    assert gb.equal(found, gb.nn.functional.bilinear(*(it.float() for it in parts)).bfloat16())


@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize("include_self", [True, False])
def test_second_gradients_of_products_by_index_see_through_zeros(zeros, include_self):
    rng = np.random.default_rng(4)
    x, source = gb.tensor(rng.standard_normal((3, 2))), gb.tensor(rng.standard_normal((4, 2)))
    source[:zeros, 0] = 0.0
    x[1, 1] = 0.0
    index = gb.tensor([0, 0, 1, 1])

    def product(x, source):
        return gb.index_reduce(x, 0, index, source, "prod", include_self=include_self)

    leaves = (x.requires_grad_(), source.requires_grad_())
    assert gb.autograd.gradcheck(product, leaves)
    assert gb.autograd.gradgradcheck(product, leaves)


def test_vectors_of_a_cross_product_are_not_stretched():
    with pytest.raises(gb.ShapeError, match=r"^linalg.cross: other of sizes \[5, 1\]; size 3"):
        gb.linalg.cross(gb.ones(5, 3), gb.ones(5, 1))
    with pytest.raises(gb.ShapeError, match=r"^linalg.cross: .*; as many dims"):
        gb.linalg.cross(gb.ones(5, 3), gb.ones(3))
    assert gb.linalg.cross(gb.ones(5, 3), gb.ones(1, 3)).shape == (5, 3)


def test_nothing_is_normalized_to_nothing():
    x = gb.zeros(0, requires_grad=True)

    gb.nn.functional.batch_norm(x, None, None, training=True).sum().backward()

    assert x.grad is not None
    assert x.grad.shape == (0,)
    with pytest.raises(gb.ShapeError, match=r"^batch_norm: an input of sizes \[3\]"):
        gb.nn.functional.batch_norm(gb.ones(3), None, None, training=True)


@pytest.mark.parametrize("uplo", ["L", "U"])
def test_gradients_of_eigenvectors_are_symmetric(uplo):
    x = gb.tensor(np.random.default_rng(6).standard_normal((4, 4))).requires_grad_()
    half = gb.tensor(np.random.default_rng(7).standard_normal((4, 4)))

    vectors = gb.linalg.eigh(x, uplo).eigenvectors
    (first,) = gb.autograd.grad([vectors], [x], [half])
    values = gb.linalg.eigvalsh(x, uplo)
    (of_values,) = gb.autograd.grad([values], [x], [half[0]], create_graph=True)
    (second,) = gb.autograd.grad([of_values], [x], [half])

    assert gb.allclose(first, first.T)
    assert gb.allclose(second, second.T)
    assert first.abs().amax() > 0.01


@pytest.mark.parametrize("dtype", [gb.bfloat16, gb.float16])
@pytest.mark.parametrize("op", ["addmm", "addmv", "addr", "baddbmm", "addbmm"])
def test_products_of_half_types_are_added_and_rounded_once(op, dtype):
    gb.manual_seed(0)
    sizes = {
        "addmm": ((4, 6), (4, 5), (5, 6)),
        "addmv": ((4,), (4, 5), (5,)),
        "addr": ((4, 6), (4,), (6,)),
        "baddbmm": ((3, 4, 6), (3, 4, 5), (3, 5, 6)),
        "addbmm": ((4, 6), (3, 4, 5), (3, 5, 6)),
    }[op]
    given = [gb.randn(*it).to(dtype) for it in sizes]

    found = getattr(gb, op)(*given, beta=0.5, alpha=2)

    exact = getattr(gb, op)(*(it.float() for it in given), beta=0.5, alpha=2)
    assert found.dtype == dtype
    assert gb.equal(found, exact.to(dtype))


def test_a_norm_without_a_power_is_that_of_squares():
    x = gb.tensor([[3.0, 4.0], [0.0, 5.0]])

    assert x.norm(p=None).item() == x.norm().item()
    assert gb.norm(x, None, 1).tolist() == [5, 5]


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
def test_the_angle_of_what_lies_above_zero_is_a_quarter_whatever_zeros_sign(dtype):
    up = gb.tensor([1.0, -1.0, 0.0, -0.0], dtype=dtype)
    quarter = gb.tensor(math.pi / 2, dtype=dtype).item()
    half = gb.tensor(math.pi, dtype=dtype).item()

    assert gb.atan2(up, gb.tensor(-0.0, dtype=dtype)).tolist() == [quarter, -quarter, half, -half]
    assert gb.atan2(up, gb.tensor(0.0, dtype=dtype)).tolist() == [quarter, -quarter, 0.0, -0.0]


@pytest.mark.parametrize("alpha", [0, 2, True, False])
@pytest.mark.parametrize("b", [True, False])
@pytest.mark.parametrize("a", [True, False])
def test_a_bool_is_added_to_bools_if_its_factor_is_not_0(a, b, alpha, no_leaks):
    x, expected = gb.tensor([a]), [a or (b and bool(alpha))]

    assert x.add(b, alpha=alpha).tolist() == expected
    assert x.add(gb.tensor(b), alpha=alpha).tolist() == expected
    assert gb.add(x, b, alpha=alpha, out=gb.empty(1, dtype=gb.bool)).tolist() == expected
    assert x.add_(b, alpha=alpha).tolist() == expected


@pytest.mark.parametrize(
    ("dtype", "side", "bound", "expected"),
    [
        (gb.int8, "min", 300.5, 300.5),
        (gb.int8, "min", [1000], 1000),
        (gb.int8, "max", [-1000], -1000),
        (gb.bool, "min", 2, 2),
        (gb.uint8, "max", 0.5, 0.5),
    ],
)
def test_the_bound_that_clamp_is_not_given_moves_nothing_of_a_wider_result(
    dtype, side, bound, expected
):
    x = gb.ones(1, dtype=dtype)
    given = gb.tensor(bound) if isinstance(bound, list) else bound

    assert x.clamp(**{side: given}).tolist() == [expected]
    assert getattr(gb, f"clamp_{side}")(x, given).tolist() == [expected]


def test_the_deviation_of_equal_complex_numbers_has_no_slope(no_leaks):
    x = gb.ones(3, 2, dtype=gb.complex128, requires_grad=True)

    x.std(0).sum().backward()

    assert x.grad.tolist() == gb.zeros(3, 2, dtype=gb.complex128).tolist()
    drawn = gb.randn(3, 2, dtype=gb.complex128, requires_grad=True)
    assert gb.autograd.gradcheck(lambda it: it.std(0), drawn)


@pytest.mark.parametrize("write", [operator.iadd, operator.isub, operator.imul])
def test_a_sparse_tensor_is_written_into_a_dense_one(write, no_leaks):
    x = gb.full((2, 2), 3.0)
    same, expected = x, write(gb.full((2, 2), 3.0), gb.eye(2))

    x = write(x, gb.eye(2).to_sparse())

    assert x is same
    assert x.tolist() == expected.tolist()


def test_what_neither_is_a_number_nor_answers_for_tensors_is_asked_for_the_sum():
    class Answering:
        def __radd__(self, other: object) -> str:
            return "a sum"

    x = gb.ones(2)
    x += Answering()

    assert x == "a sum"
