"""CUDA devices: the CPU's results, books that come out even, and a reason where there are none.

The tests marked `cuda` run on a GPU. Without one they run all the same, in a process of their own
and on a stand-in: the same kernels on the CPU, over memory that nothing else can touch.
"""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path

import garboard as gb
import numpy as np
import pytest

from tests.support.cuda_agreement import DTYPES, FLOATS, assert_alike, both, drawn, on_cuda
from tests.support.cuda_package import package_with, run_python, simulated_library
from tests.support.live_memory import balanced  # noqa: F401

REASONS = (
    "built without CUDA: ",
    "library not found: ",
    "build mismatch: ",
    "no driver: ",
    "driver too old: ",
    "no device: ",
)


without_cuda = pytest.mark.skipif(gb.cuda.is_available(), reason="there is a CUDA device")


def names_of_ops(signature: str) -> list[str]:
    """Return the functions of the op table that have these arguments."""
    rows = gb._engine._op_table()
    return sorted(
        name for name, given, _, _, is_method in rows if given == signature and not is_method
    )


UNARY = names_of_ops("(input: Tensor, *, out: Tensor | None = None)")
BINARY = names_of_ops(
    "(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None)"
)


# Anywhere


def test_availability_is_asked_without_an_error_and_agrees_with_the_reason():
    assert gb.cuda.is_available() == (gb.cuda.device_count() > 0)
    assert gb.cuda.is_available() == (gb.cuda.why_unavailable() is None)


@without_cuda
def test_the_reason_is_one_of_six():
    assert str(gb.cuda.why_unavailable()).startswith(REASONS)


@without_cuda
@pytest.mark.parametrize(
    "ask",
    [
        lambda: gb.ones(3).to("cuda"),
        lambda: gb.ones(3).cuda(),
        lambda: gb.zeros(3, device="cuda:1"),
        lambda: gb.arange(3, device="cuda"),
        lambda: gb.tensor([1.0], device="cuda"),
        lambda: gb.nn.Linear(2, 2).to("cuda"),
        lambda: gb.cuda.synchronize(),
        lambda: gb.cuda.current_device(),
        lambda: gb.cuda.get_device_name(0),
    ],
)
def test_a_device_that_is_not_there_is_refused_with_the_reason(ask, balanced):  # noqa: F811
    with pytest.raises(gb.DeviceError) as error:
        ask()

    assert str(gb.cuda.why_unavailable()) in str(error.value)


@without_cuda
def test_memory_is_asked_on_any_machine():
    gb.cuda.reset_peak_memory_stats()

    assert gb.cuda.memory_allocated() == gb.cuda.max_memory_allocated() == 0
    assert gb.cuda.memory_reserved() == gb.cuda.max_memory_reserved() == 0
    assert gb.cuda.empty_cache() == 0


@pytest.mark.parametrize("device", ["cpu", "cuda:99", 99, -1, "tpu"])
def test_what_names_no_cuda_device_is_refused(device):
    with pytest.raises(gb.DeviceError):
        gb.cuda.synchronize(device)


def test_importing_garboard_opens_no_cuda_library(tmp_path: Path):
    say = "print('libgarboard_cuda' in open('/proc/self/maps').read())"

    program = f"import garboard as gb; gb.ones(2) + 1; {say}; gb.cuda.is_available(); {say}"

    done = run_python(package_with(simulated_library(), tmp_path), "-c", program)

    opened = str(simulated_library() is not None)
    assert done.stdout.split() == ["False", opened], done.stderr


def test_a_package_without_the_library_works_and_says_so(tmp_path: Path):
    done = run_python(
        package_with(None, tmp_path),
        "-c",
        "import garboard as gb; print(gb.ones(2).sum().item(), gb.cuda.why_unavailable())",
    )

    assert done.stdout.startswith(("2.0 library not found: ", "2.0 built without CUDA: "))


def files_on_cuda() -> list[Path]:
    """Return the files that have tests marked `cuda`."""
    files = sorted(Path(__file__).parents[1].rglob("test_*.py"))
    return [file for file in files if "\n@on_cuda\n" in file.read_text()]


@pytest.mark.slow
@pytest.mark.parametrize("file", files_on_cuda(), ids=lambda file: file.stem)
def test_all_tests_of_a_device_pass_on_the_stand_in(file: Path, tmp_path: Path):
    library = simulated_library()
    if library is None:
        pytest.skip("needs the stand-in that ./run test builds with the C++ tests")
    package = package_with(library, tmp_path)

    named = run_python(package, "-c", "import garboard as gb; print(gb.cuda.get_device_name())")
    done = run_python(
        package, "-m", "pytest", "-q", "-m", "cuda", "-p", "no:cacheprovider", str(file)
    )

    assert named.stdout == "simulated\n", named.stderr
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout


# Transfers


@on_cuda
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("sizes", [(), (0,), (1,), (5000,), (3, 0, 2), (7, 11, 13)], ids=str)
def test_a_tensor_comes_back_as_it_went(dtype, sizes):
    x = drawn(dtype, *sizes)

    there = x.to("cuda")

    assert there.is_cuda
    assert str(there.device) == "cuda:0"
    assert_alike(there.cpu().numpy(), x.numpy())


@on_cuda
def test_views_go_and_come_back_dense():
    x = drawn(gb.float32, 6, 8)

    both(lambda x: x.t(), x)
    assert_alike(x.t()[1::2].cuda().cpu().numpy(), x.t()[1::2].numpy())
    assert_alike(x.cuda().t()[1::2].cpu().numpy(), x.t()[1::2].numpy())


@on_cuda
@pytest.mark.parametrize("target", DTYPES, ids=str)
@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_every_dtype_converts_to_every_other(source, target):
    both(lambda x: x.to(target), drawn(source, 3000, small=True))
    both(lambda x: x.t().to(target), drawn(source, 30, 40, small=True))


@on_cuda
def test_values_are_read_and_printed():
    x = gb.arange(4, device="cuda", dtype=gb.float32)

    assert x.tolist() == [0, 1, 2, 3]
    assert x[2].item() == 2
    assert bool(x[1] > 0)
    assert repr(x) == "tensor([0., 1., 2., 3.], device='cuda:0')"
    with pytest.raises(gb.DeviceError):
        x.numpy()


@on_cuda
def test_tensors_on_two_devices_do_not_meet():
    with pytest.raises(gb.DeviceError, match="add: tensors on cuda:0 and cpu"):
        gb.ones(2, device="cuda") + gb.ones(2)


# Elementwise


@on_cuda
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_an_op_of_one_input_gives_what_it_gives_on_the_cpu(name, dtype):
    op = getattr(gb, name)
    x = drawn(dtype, 60, 50)
    agree = partial(both, cancels=name == "lgamma" or name.startswith("bessel"))

    agree(op, x)
    agree(lambda x: op(x.t()), x)
    agree(lambda x: op(x[1:, ::3]), x)
    agree(lambda x: op(x.reshape(-1)[1:]), x)  # an address that suits no pack


@on_cuda
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_an_op_of_two_inputs_gives_what_it_gives_on_the_cpu(name, dtype):
    op = getattr(gb, name)
    a, b = drawn(dtype, 60, 50), drawn(dtype, 60, 50, seed=1)
    agree = partial(both, cancels=name in ("igamma", "igammac", "logaddexp", "logaddexp2"))

    agree(op, a, b)
    agree(lambda a, b: op(a.t(), b.reshape(50, 60)), a, b)
    agree(op, a, b[0])
    agree(op, a[:, :1], b[:1])
    agree(op, a, b[0, 0])
    agree(op, a, 2)
    agree(op, 3, b)
    agree(op, a[0, 0], b[0, 0])


@on_cuda
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_op_of_three_inputs_gives_what_it_gives_on_the_cpu(dtype):
    a, b = drawn(dtype, 60, 50), drawn(dtype, 60, 50, seed=1)
    weights = gb.tensor([0.25, 0.75] * 25).to(dtype)  # exact, fused multiplication or not

    both(lambda a, b: gb.where(a > b, a, b), a, b)
    both(lambda a: gb.where(a > 1, a, 2), a)
    both(lambda a, b: gb.add(a, b, alpha=2), a, b)
    both(lambda a: gb.clamp(a, 0, 2), a)
    both(gb.lerp, a, b, weights)


@on_cuda
def test_dtypes_meet_as_on_the_cpu():
    for one in DTYPES:
        for other in DTYPES:
            both(gb.add, drawn(one, 20), drawn(other, 20))


@on_cuda
def test_results_are_written_in_place_and_into_out():
    def in_place(x, y):
        x = x.clone()
        x.add_(y).mul_(2)
        x[1:3] = 7
        x[:, 2] += y[:, 0]
        x.t()[1] = gb.tensor(5.0)
        return x

    def into_out(x, y):
        out = gb.zeros_like(x)
        gb.mul(x, y, out=out)
        return out

    x, y = drawn(gb.float32, 6, 8, small=True), drawn(gb.float32, 6, 8, seed=1, small=True)
    both(in_place, x, y)
    both(into_out, x, y)
    both(lambda x: x.clone().fill_(3), x)
    both(lambda x, y: x.clone().copy_(y[0]), x, y)


@on_cuda
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_creation_gives_what_it_gives_on_the_cpu(dtype):
    made = {
        device: [
            gb.zeros(3, 4, dtype=dtype, device=device),
            gb.ones(5000, dtype=dtype, device=device),
            gb.full((2, 3), 2, dtype=dtype, device=device),
            gb.arange(2, 3000, 3, dtype=dtype, device=device),
            gb.eye(3, 5, dtype=dtype, device=device),
            gb.cat([gb.ones(2, 3, dtype=dtype, device=device)] * 3, 1),
        ]
        for device in ("cuda", "cpu")
    }

    for there, here in zip(made["cuda"], made["cpu"], strict=True):
        assert_alike(there.cpu().numpy(), here.numpy())


@on_cuda
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_random_numbers_are_those_of_the_cpu(dtype):
    def numbers(device):
        gb.manual_seed(7)
        drawn = [gb.rand(5001, dtype=dtype, device=device), gb.randn(33, 7, device=device)]
        drawn.append(gb.empty(50, dtype=dtype, device=device).normal_(3, 0.5))
        drawn.append(gb.nn.functional.dropout(gb.ones(500, dtype=dtype, device=device), 0.3))
        return [x.cpu().numpy() for x in drawn]

    for there, here in zip(numbers("cuda"), numbers("cpu"), strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-5, atol=1e-6)


# Reductions and products


@on_cuda
@pytest.mark.parametrize("dim", [None, 0, 1, 2, (0, 2), (0, 1)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["sum", "amax", "amin", "all", "any", "mean"])
def test_a_reduction_gives_what_it_gives_on_the_cpu(name, dtype, dim):
    op = getattr(gb, name)
    x = drawn(dtype, 20, 30, 40)
    if name in ("sum", "mean"):
        x = drawn(gb.int32, 20, 30, 40).to(dtype)  # small whole numbers: exact in any order

    both(lambda x: op(x, dim), x)
    both(lambda x: op(x.permute(2, 0, 1), dim, keepdim=True), x)
    both(lambda x: op(x[::2, 1:, ::3], dim), x)


@on_cuda
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_products_of_elements_are_those_of_the_cpu(dtype):
    both(lambda x: gb.prod(x[0, :5]), drawn(dtype, 3, 40, small=True))
    both(lambda x: gb.prod(x, 0), drawn(dtype, 3, 4000, small=True))


@on_cuda
def test_a_sum_of_millions_keeps_its_digits_and_repeats_itself():
    x = gb.full((3_000_000,), 0.1, device="cuda")

    once, again = x.sum().item(), x.sum().item()

    assert once == again
    assert once == pytest.approx(3e6 * float(np.float32(0.1)), rel=2e-7)


@on_cuda
@pytest.mark.parametrize("dtype", [gb.uint8, gb.int32, gb.int64, *FLOATS], ids=str)
def test_matrix_products_are_those_of_the_cpu(dtype):
    def near(function, *given):
        computed = function(*(x.cuda() for x in given)).cpu().numpy()
        tolerance = 1e-5 if dtype == gb.float32 else 1e-12
        np.testing.assert_allclose(computed, function(*given).numpy(), tolerance, tolerance)

    a, b = (drawn(dtype, 17, 17, seed=seed, small=True) for seed in (1, 2))
    near(gb.mm, a, b)
    near(lambda a, b: a.t() @ b, a, b)
    near(lambda a, b: a @ b.t(), a, b)
    near(lambda a, b: a[::2] @ b[:, 1::2], a, b)
    near(lambda a, b: a[3] @ b, a, b)
    near(lambda a, b: a @ b[3], a, b)
    near(lambda a, b: a[:, :0] @ b[:0], a, b)
    batch = drawn(dtype, 4, 5, 6, small=True)
    near(lambda x: gb.bmm(x, x.transpose(1, 2)), batch)
    near(lambda x: x @ x[0].t(), batch)
    if dtype.is_floating_point:
        near(lambda a, b: gb.nn.functional.linear(a, b, b[0]), a, b)


@on_cuda
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_convolutions_and_their_gradients_are_those_of_the_cpu(dtype):
    def slopes(device, *shapes, **options):
        made = [drawn(dtype, *sizes, seed=i, small=True) for i, sizes in enumerate(shapes)]
        leaves = [tensor.to(device).requires_grad_() for tensor in made]
        out = gb.conv1d(*leaves, **options)
        first = gb.autograd.grad((out * out).sum(), leaves, create_graph=True)
        second = gb.autograd.grad(sum((slope * slope).sum() for slope in first), leaves)
        return [t.detach().cpu().numpy() for t in (out, *first, *second)]

    for shapes, options in [
        (((2, 3, 20), (4, 3, 3), (4,)), {"padding": 1}),
        (((3, 20), (4, 3, 5)), {"stride": 3, "padding": 7}),
        (
            ((2, 4, 21), (6, 2, 3), (6,)),
            {"groups": 2, "dilation": 4, "stride": 2, "padding": 1},
        ),
        (((2, 3, 9), (4, 3, 4), (4,)), {"padding": "same"}),
        (((0, 3, 9), (4, 3, 4), (4,)), {}),
        (((2, 0, 9), (4, 0, 4), (4,)), {}),
        (((2, 3, 9), (4, 3, 9), (4,)), {"stride": 2**62}),
    ]:
        tolerance = 1e-4 if dtype == gb.float32 else 1e-11
        there, here = (slopes(device, *shapes, **options) for device in ("cuda", "cpu"))
        for one, other in zip(there, here, strict=True):
            atol = tolerance * np.abs(other).max(initial=1)
            np.testing.assert_allclose(one, other, tolerance, atol)


@on_cuda
def test_gradients_are_those_of_the_cpu():
    def gradients(device):
        x = drawn(gb.float64, 5, 5, small=True).to(device).requires_grad_()
        w = drawn(gb.float64, 5, 5, seed=1, small=True).to(device).requires_grad_()
        hidden = (x @ w).tanh() * x.sigmoid() + (x / 2).relu().exp()
        ((hidden - x.mean(0)) ** 2).sum().backward()
        return [x.grad.cpu().numpy(), w.grad.cpu().numpy()]

    np.testing.assert_allclose(gradients("cuda"), gradients("cpu"), rtol=1e-10)


# Memory


@on_cuda
def test_the_books_agree_and_come_out_even():
    before = gb.cuda.memory_allocated()

    x = gb.zeros(1000, device="cuda")
    assert gb.cuda.memory_allocated() - before == 4000
    assert gb.memory.live("cuda").bytes - before == 4000
    y = x[:10]
    del x
    assert gb.cuda.memory_allocated() - before == 4000
    del y

    assert gb.cuda.memory_allocated() == gb.memory.live("cuda").bytes == before


@on_cuda
def test_peaks_are_kept_and_reset():
    with gb.dispose_scope():
        gb.zeros(1 << 20, device="cuda")
    assert gb.cuda.max_memory_allocated() >= 4 << 20

    gb.cuda.reset_peak_memory_stats()

    assert gb.cuda.max_memory_allocated() == gb.cuda.memory_allocated()
    assert gb.cuda.max_memory_reserved() == gb.cuda.memory_reserved()


@on_cuda
def test_a_scope_ends_what_was_made_on_a_device():
    before = gb.memory.live("cuda")

    with gb.dispose_scope() as scope:
        x = gb.ones(300, 300, device="cuda")
        kept = (x @ x).sum()  # with scratch on the way
        scope.move_to_outer(kept)

    assert x.is_disposed
    assert gb.memory.live("cuda").bytes - before.bytes == 4
    assert kept.item() == 300.0**3
    kept.dispose()
    assert gb.memory.live("cuda") == before


@on_cuda
def test_a_training_step_leaks_nothing():
    weight = gb.ones(8, 8, device="cuda", requires_grad=True)
    x = gb.ones(4, 8, device="cuda")

    with gb.leaks.no_leaks():
        for _ in range(3):
            with gb.dispose_scope():
                (x @ weight).tanh().sum().backward()
                with gb.no_grad():
                    weight.sub_(weight.grad, alpha=0.1)
                weight.grad = None


@on_cuda
def test_the_cache_goes_back_to_the_device():
    gb.zeros(1 << 20, device="cuda").dispose()
    gc.collect()
    assert gb.cuda.memory_reserved() >= 4 << 20

    returned = gb.cuda.empty_cache()

    assert returned > 0
    assert gb.cuda.memory_reserved() >= gb.cuda.memory_allocated()
    assert gb.cuda.memory_reserved() < 4 << 20


@on_cuda
def test_too_much_is_refused_and_the_device_works_on():
    with pytest.raises(gb.OutOfMemoryError):
        gb.empty(1 << 44, dtype=gb.uint8, device="cuda")

    assert (gb.ones(3, device="cuda") + 1).tolist() == [2, 2, 2]


@on_cuda
def test_devices_have_names_and_are_waited_for():
    gb.cuda.synchronize()
    gb.cuda.synchronize("cuda:0")

    assert gb.cuda.current_device() == 0
    assert gb.cuda.get_device_name() == gb.cuda.get_device_name("cuda:0") != ""
    with pytest.raises(gb.DeviceError):
        gb.cuda.get_device_name(gb.cuda.device_count())
