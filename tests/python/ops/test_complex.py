"""Complex numbers, beside NumPy's; their gradients beside differences."""

from __future__ import annotations

import pickle

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

DTYPES = {"complex64": np.complex64, "complex128": np.complex128}


def numbers(dtype, *sizes, seed=0):
    drawn = np.random.default_rng(seed).normal(size=(2, *sizes))
    return (drawn[0] + 1j * drawn[1]).astype(dtype)


def is_near(found, expected, dtype):
    assert found.dtype == gb.from_numpy(np.empty(0, expected.dtype)).dtype
    if expected.dtype == bool:
        return np.array_equal(found.numpy(), expected)
    far = np.abs(found.detach().numpy() - expected)
    return np.all(far <= (1e-12 if dtype == "complex128" else 2e-6) * (1 + np.abs(expected)))


UNARY = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "angle": np.angle,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "conj": np.conj,
    "conj_physical": np.conj,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isreal": np.isreal,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "logical_not": np.logical_not,
    "neg": np.negative,
    "reciprocal": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sgn": lambda x: x / np.abs(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "tan": np.tan,
    "tanh": np.tanh,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_functions_are_numpys(name, dtype, no_leaks):
    array = numbers(dtype, 40, 7)
    expected = UNARY[name](array).astype(UNARY[name](array).dtype)

    for given, wanted in (
        (array, expected),
        (array.T[::2], expected.T[::2]),
        (array[0], expected[0]),
    ):
        assert is_near(getattr(gb, name)(gb.tensor(given)), wanted, dtype)


PAIRS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "eq": np.equal,
    "ne": np.not_equal,
    "logical_and": np.logical_and,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_are_numpys(name, dtype, no_leaks):
    a, b = numbers(dtype, 30, 9), numbers(dtype, 9, seed=1)
    real = b.real.copy()

    def check(x, y):
        expected = np.asarray(PAIRS[name](x, y))
        given = [gb.tensor(it) if isinstance(it, np.ndarray) else it for it in (x, y)]
        assert is_near(getattr(gb, name)(*given), expected, dtype)

    check(a, b)
    check(a, real)
    check(real, a)
    check(a, 1.5 - 0.5j)
    check(a, 2)
    check(a[0, 0].reshape(1), b)


def test_division_neither_overflows_nor_vanishes():
    large, small = 1e200 * (1 + 1j), 1e-200 * (1 - 2j)

    given = gb.tensor([large, small], dtype=gb.complex128)

    found = given / given

    assert found.tolist() == pytest.approx([1, 1])
    assert (gb.tensor([1 + 0j]) / 0).tolist()[0].real == np.inf


def test_cuts_are_taken_from_the_side_of_the_signed_zero():
    above, below = complex(-4, 0.0), complex(-4, -0.0)

    assert gb.tensor([above, below]).sqrt().tolist() == [2j, -2j]
    assert gb.tensor([above, below]).log().imag.tolist() == pytest.approx([np.pi, -np.pi])
    assert gb.tensor([complex(2, 0.0), complex(2, -0.0)]).asin().tolist() == pytest.approx(
        np.arcsin([complex(2, 0.0), complex(2, -0.0)]).tolist()
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions_are_numpys(dtype, no_leaks):
    array = numbers(dtype, 6, 50)
    x = gb.tensor(array)

    for dim in (0, 1, None):
        along = {} if dim is None else {"dim": dim}
        assert is_near(x.sum(**along), np.asarray(array.sum(dim)), dtype)
        assert is_near(x.mean(**along), np.asarray(array.mean(dim)), dtype)
        assert is_near(gb.var(x, correction=0, **along), np.asarray(array.var(dim)), dtype)
        assert is_near(gb.std(x, correction=0, **along), np.asarray(array.std(dim)), dtype)
        assert is_near(x[:, :4].prod(**along), np.asarray(array[:, :4].prod(dim)), dtype)
        assert x.all(**along).tolist() == np.asarray(array.all(dim)).tolist()
    assert is_near(x.cumsum(1), array.cumsum(1), dtype)
    assert is_near(x[:, :5].cumprod(0), array[:, :5].cumprod(0), dtype)
    assert is_near(gb.linalg.vector_norm(x), np.asarray(np.linalg.norm(array)), dtype)
    assert x.norm(1).item() == pytest.approx(np.abs(array).sum(), rel=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_are_numpys(dtype, no_leaks):
    a, b = numbers(dtype, 5, 4, 3), numbers(dtype, 5, 3, 6, seed=1)
    x, y = gb.tensor(a), gb.tensor(b)

    assert is_near(x @ y, a @ b, dtype)
    assert is_near(x[0] @ y[0], a[0] @ b[0], dtype)
    assert is_near(x.mH @ x, a.conj().transpose(0, 2, 1) @ a, dtype)
    assert is_near(x[0, 0] @ y[0], a[0, 0] @ b[0], dtype)
    assert is_near(gb.einsum("bij,bjk->ik", x, y), np.einsum("bij,bjk->ik", a, b), dtype)
    assert is_near(gb.vdot(x[0, 0], x[1, 0]), np.asarray(np.vdot(a[0, 0], a[1, 0])), dtype)
    assert is_near(gb.outer(x[0, 0], y[0, 0]), np.outer(a[0, 0], b[0, 0]), dtype)
    assert is_near(gb.addmm(x[0] @ y[0], x[0], y[0], beta=1j), (1 + 1j) * (a[0] @ b[0]), dtype)


def test_products_without_a_library_are_the_same(tmp_path):
    import subprocess
    import sys

    program = (
        "import garboard as gb; a = gb.arange(6).reshape(2, 3) * (1 + 2j);"
        "print((a @ a.mT).tolist())"
    )
    environment = {**__import__("os").environ, "GARBOARD_BLAS": "none"}
    plain = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )

    a = np.arange(6).reshape(2, 3) * (1 + 2j)

    assert plain.stdout.strip() == str((a @ a.T).tolist())


def test_parts_are_views():
    z = gb.tensor([1 + 2j, 3 - 4j])

    z.real[0] = 9
    z.imag = gb.tensor([5.0, 6.0])
    gb.view_as_real(z)[1, 0] = 7
    parts = gb.zeros(2, 2)
    gb.view_as_complex(parts).fill_(1 - 2j)

    assert z.tolist() == [9 + 5j, 7 + 6j]
    assert parts.tolist() == [[1, -2], [1, -2]]
    assert z.T.real.data_ptr() == z.data_ptr()
    assert gb.view_as_real(z[::2]).stride() == (4, 1)


def test_conjugates_and_directions_go_where_they_are_wanted():
    z = gb.tensor([3 + 4j, 0])
    out = gb.empty(2, dtype=gb.complex64)

    assert gb.conj_physical(z, out=out) is out
    assert out.tolist() == [3 - 4j, 0]
    assert z.clone().conj_physical_().tolist() == [3 - 4j, 0]
    assert z.clone().sgn_().tolist() == pytest.approx([0.6 + 0.8j, 0])
    assert gb.tensor([-2.0, 0.0]).conj_physical_().sgn_().tolist() == [-1.0, 0.0]
    assert gb.imag(z).tolist() == [4.0, 0.0]
    assert gb.complex(gb.ones(2), gb.zeros(2, 1), out=gb.empty(2, 2) * 1j).tolist() == [[1, 1]] * 2


def test_what_is_written_into_a_part_has_a_gradient():
    a = gb.tensor([1.0, 2.0], requires_grad=True)
    base = gb.tensor([1j, 2j], requires_grad=True)

    z = base * 3
    z.real[:] = a
    (z.abs() ** 2).sum().backward()

    assert a.grad.tolist() == [2.0, 4.0]
    assert base.grad.tolist() == [18j, 36j]


def test_a_pair_of_floats_written_as_a_number_has_a_gradient():
    a = gb.tensor([2 + 3j], requires_grad=True)
    floats = gb.ones(2, 2) * 1.0

    gb.view_as_complex(floats)[:1] = a
    (floats * gb.tensor([[5.0, 7.0], [1.0, 1.0]])).sum().backward()

    assert a.grad.tolist() == [5 + 7j]


GRADIENTS = {
    **{
        name: lambda x, y, name=name: getattr(gb, name)(x)
        for name in UNARY
        if name[:2] not in ("is", "lo")
    },
    "logs": lambda x, y: x.log() + y.log2() + x.log10() + y.log1p(),
    "add": lambda x, y: x + 2 * y,
    "alpha": lambda x, y: gb.add(x, y, alpha=1 - 2j),
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "by a number": lambda x, y: x * (1 + 2j) + (3j - y),
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "power of a number": lambda x, y: (0.5 + 1j) ** x,
    "third power": lambda x, y: x**3,
    "with reals": lambda x, y: x.abs() * y + y.real,
    "lerp": lambda x, y: gb.lerp(x, y, 0.3),
    "where": lambda x, y: gb.where(gb.tensor([[True], [False]]), x, y),
    "broadcast": lambda x, y: x * y[0],
    "parts": lambda x, y: x.real * y.imag,
    "polar": lambda x, y: gb.polar(x.abs(), y.angle()),
    "complex": lambda x, y: gb.complex(x.real * 2, y.imag),
    "as real": lambda x, y: gb.view_as_real(x).sum(-1) * y,
    "as complex": lambda x, y: gb.view_as_complex(gb.view_as_real(x) * 2),
    "matmul": lambda x, y: x @ y.mT,
    "adjoint": lambda x, y: x @ y.mH,
    "vector": lambda x, y: x @ y[0],
    "sum": lambda x, y: (x * y).sum(0),
    "mean": lambda x, y: x.mean() * y,
    "prod": lambda x, y: x.prod(1),
    "var": lambda x, y: x.var(1),
    "std": lambda x, y: x.std(),
    "cumsum": lambda x, y: x.cumsum(1) * y,
    "cumprod": lambda x, y: x.cumprod(1),
    "norm": lambda x, y: x.norm() + gb.linalg.vector_norm(y, 3),
    "indices": lambda x, y: x[[0, 1, 0]] * x[:, 1:2].T[[0, 0, 0]][:, :1],
    "cat": lambda x, y: gb.cat([x, y * 1j]).flip(0),
    "to": lambda x, y: x.real.to(gb.complex128) * y,
    "addcmul": lambda x, y: gb.addcmul(x, y, x, value=2j),
    "vdot": lambda x, y: gb.vdot(x.flatten(), y.flatten()),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_differences(name, no_leaks):
    x, y = (
        gb.tensor(numbers("complex128", 2, 3, seed=seed), requires_grad=True) for seed in (3, 4)
    )

    assert gb.autograd.gradcheck(GRADIENTS[name], (x, y))
    if name not in ("sgn", "angle", "polar"):  # whose second ones have many digits to lose
        assert gb.autograd.gradgradcheck(GRADIENTS[name], (x, y))


def test_gradients_of_real_leaves_are_real():
    a = gb.tensor([1.0, 2.0], requires_grad=True)

    ((a * 1j).exp() * (2 - 1j)).real.sum().backward()

    assert a.grad.dtype == gb.float32
    expected = (1j * np.exp(1j * np.array([1.0, 2.0])) * (2 - 1j)).real
    assert a.grad.tolist() == pytest.approx(expected.tolist(), rel=1e-6)


def test_the_gradient_of_a_loss_is_where_it_grows_most():
    z = gb.tensor([3 + 4j], requires_grad=True)

    z.abs().sum().backward()

    assert z.grad.tolist() == pytest.approx([0.6 + 0.8j])


def test_at_zero_sizes_and_directions_have_no_slope():
    z = gb.zeros(2, dtype=gb.complex64, requires_grad=True)

    (z.abs() + z.angle() + z.sgn().real).sum().backward()

    assert z.grad.tolist() == [0, 0]


def test_in_place_functions_have_gradients():
    z = gb.tensor([1 + 1j], requires_grad=True)
    made = z * 1
    made *= 2j
    made.exp_()
    made = made - 0
    made -= z
    made.real.sum().backward()

    expected = np.conj(2j * np.exp(2j * (1 + 1j)) - 1)
    assert z.grad.tolist() == pytest.approx([expected])


def test_a_complex_output_needs_a_gradient_to_start_from():
    z = gb.tensor([1 + 1j], requires_grad=True)

    with pytest.raises(gb.GradientError, match=r"^backward: no gradient for an output of dtype"):
        (z * 2).sum().backward()
    (z * 2).backward(gb.tensor([1j]))
    assert z.grad.tolist() == [2j]


def test_an_own_function_is_taken_at_its_word():
    class Square(gb.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, gradient):
            (z,) = ctx.saved_tensors
            return gradient * 2 * z.conj()

    z = gb.tensor([1 + 2j, 3.0], dtype=gb.complex128, requires_grad=True)

    assert gb.autograd.gradcheck(Square.apply, z)


ORDERED = {
    "amax": lambda x: x.amax(),
    "argmin": lambda x: x.argmin(),
    "argsort": lambda x: x.argsort(),
    "bucketize": lambda x: gb.bucketize(x, gb.arange(3.0)),
    "ceil": lambda x: x.ceil(),
    "clamp": lambda x: x.clamp(0, 1),
    "cummax": lambda x: x.cummax(0),
    "floor_divide": lambda x: x // 2,
    "fmod": lambda x: gb.fmod(x, 2.0),
    "histc": lambda x: gb.histc(x),
    "kthvalue": lambda x: x.kthvalue(1),
    "less": lambda x: x < 1,
    "logcumsumexp": lambda x: x.logcumsumexp(0),
    "max": lambda x: x.max(0),
    "max of all": lambda x: x.max(),
    "maximum": lambda x: gb.maximum(x, x),
    "median": lambda x: x.median(),
    "min": lambda x: x.min(0),
    "mode": lambda x: x.mode(),
    "quantile": lambda x: gb.quantile(x, 0.5),
    "randint": lambda x: gb.randint(5, (2,), dtype=x.dtype),
    "relu": lambda x: x.relu(),
    "remainder": lambda x: x % 2,
    "round": lambda x: x.round(),
    "scatter_reduce": lambda x: x.scatter_reduce(0, gb.tensor([0, 1]), x, "amax"),
    "searchsorted": lambda x: gb.searchsorted(x, x),
    "sign": lambda x: x.sign(),
    "softmax": lambda x: x.softmax(0),
    "sort": lambda x: x.sort(),
    "topk": lambda x: x.topk(1),
    "unique": lambda x: x.unique(),
    "as a float": lambda x: gb.zeros(2).fill_(1j),
    "into a float": lambda x: gb.add(x, x, out=gb.empty(2)),
    "in place of a float": lambda x: gb.ones(2).mul_(x),
}


@pytest.mark.parametrize("name", ORDERED)
def test_what_asks_for_an_order_or_real_numbers_is_refused(name):
    x = gb.tensor([1 + 1j, 2.0])

    with pytest.raises(gb.DTypeError, match=r"complex64|complex|real|1.* j|1j"):
        ORDERED[name](x)


@pytest.mark.parametrize("call", [float, int, lambda x: range(5)[x], gb.Tensor.__float__])
def test_a_complex_number_is_no_real_one(call):
    with pytest.raises(TypeError):
        call(gb.tensor(1 + 1j))


def test_scalars_and_elements_are_pythons():
    z = gb.tensor([1 + 2j, 0])

    assert (z[0].item(), complex(z[0]), z.tolist()) == (1 + 2j, 1 + 2j, [1 + 2j, 0])
    assert [bool(it) for it in (z[0], z[1])] == [True, False]
    assert gb.tensor(np.complex64(1j)).dtype == gb.complex64
    assert (gb.ones(1) * np.complex128(1j)).tolist() == [1j]
    assert gb.tensor([1, 2.5, 1j]).dtype == gb.complex64
    assert gb.tensor([[1j], [gb.tensor(2.0)]]).tolist() == [[1j], [2]]
    assert (float(gb.tensor(3 + 0j)), int(z[1])) == (3.0, 0)
    with pytest.raises(TypeError, match=r"float: a complex tensor; a real one is needed"):
        float(z[0])
    with pytest.raises(TypeError, match="complex"):
        gb.tensor([1j], dtype=gb.float32)


PROMOTIONS = [
    (lambda: gb.ones(2) + 1j, gb.complex64),
    (lambda: gb.ones(2, dtype=gb.float64) + 1j, gb.complex128),
    (lambda: gb.ones(2, dtype=gb.float16) + 1j, gb.complex64),
    (lambda: gb.arange(2) * 1j, gb.complex64),
    (lambda: gb.tensor([True]) * 1j, gb.complex64),
    (lambda: gb.ones(2) * gb.tensor(1j, dtype=gb.complex128), gb.complex64),
    (lambda: gb.ones(2, dtype=gb.float64) * gb.tensor([1j]), gb.complex128),
    (lambda: gb.tensor([1j]) * 2.5, gb.complex64),
    (lambda: gb.tensor([1j]).abs(), gb.float32),
    (lambda: gb.ones(2).to(gb.cdouble).real, gb.float64),
    (lambda: gb.zeros(2, dtype=complex), gb.complex128),
    (lambda: gb.ones(2).cfloat(), gb.complex64),
    (lambda: gb.ones_like(gb.tensor([1j])), gb.complex64),
    (lambda: gb.full((2,), 1j), gb.complex64),
]


@pytest.mark.parametrize("place", range(len(PROMOTIONS)))
def test_dtypes_meet_as_pytorchs(place):
    make, dtype = PROMOTIONS[place]

    assert make().dtype == dtype


def test_random_numbers_have_the_spread_of_one():
    gb.manual_seed(0)

    z = gb.randn(20000, dtype=gb.complex64)

    assert (z.abs() ** 2).mean().item() == pytest.approx(1, abs=0.03)
    assert z.real.std().item() == pytest.approx(0.5**0.5, abs=0.02)
    assert gb.rand(9, dtype=gb.complex128).imag.min().item() >= 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_and_files_carry_them(dtype, tmp_path):
    array = numbers(dtype, 3, 4)
    x = gb.from_numpy(array)

    assert x.numpy().dtype == array.dtype
    assert x.data_ptr() == array.ctypes.data
    assert np.array_equal(np.from_dlpack(x), array)
    assert gb.from_dlpack(array).dtype == x.dtype
    assert gb.equal(pickle.loads(pickle.dumps(x)), x)
    for name in ("x.pt", "x.safetensors"):
        gb.save({"x": x}, tmp_path / name)
        assert gb.equal(gb.load(tmp_path / name)["x"], x)
    assert gb.equal(gb.frombuffer(bytearray(array.tobytes()), dtype=x.dtype), x.flatten())


def test_they_print_as_pytorchs():
    assert repr(gb.tensor([1 + 2j, -3.5j])) == "tensor([1.+2.0000j, -0.-3.5000j])"
    assert (
        repr(gb.tensor([complex("nan"), complex(0, float("inf"))])) == "tensor([nan+0.j, 0.+infj])"
    )
    assert repr(gb.tensor(1j, dtype=gb.complex128)) == "tensor(0.+1.j, dtype=garboard.complex128)"
    assert repr(gb.empty(0, dtype=gb.complex64)) == "tensor([], dtype=garboard.complex64)"


def test_limits_and_kinds_of_dtypes():
    assert gb.finfo(gb.complex64).eps == gb.finfo(gb.float32).eps
    assert (gb.complex64.is_complex, gb.float32.is_complex) == (True, False)
    assert (gb.complex128.to_real(), gb.float16.to_complex()) == (gb.float64, gb.complex64)
    assert gb.can_cast(gb.float64, gb.complex64)
    assert not gb.can_cast(gb.complex64, gb.float64)
    assert gb.complex128.itemsize == 16
    with pytest.raises(gb.DTypeError, match="finfo"):
        gb.iinfo(gb.complex64)


def test_real_numbers_have_no_imaginary_part():
    x = gb.ones(2, 3)

    assert not x.is_conj()
    with pytest.raises(gb.DTypeError, match=r"^imag: dtype float32; complex64 or complex128"):
        x.imag  # noqa: B018


PAIRS_OF_FLOATS = [
    (lambda: gb.ones(3), gb.ShapeError),
    (lambda: gb.ones(2, 4)[:, ::2], gb.ShapeError),
    (lambda: gb.ones(5)[1:3], gb.ShapeError),
    (lambda: gb.ones(3, 2).as_strided((2, 2), (3, 1)), gb.ShapeError),
    (lambda: gb.ones(2, dtype=gb.int64), gb.DTypeError),
    (lambda: gb.ones(2, dtype=gb.float16), gb.DTypeError),
    (lambda: gb.tensor([1j, 1]), gb.DTypeError),
]


@pytest.mark.parametrize("place", range(len(PAIRS_OF_FLOATS)))
def test_floats_that_do_not_lie_in_pairs_are_no_complex_numbers(place):
    make, error = PAIRS_OF_FLOATS[place]

    with pytest.raises(error, match=r"^view_as_complex: "):
        gb.view_as_complex(make())
