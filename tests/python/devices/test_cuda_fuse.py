"""Fused chains on CUDA devices: what the ops give one after the other, in one launch, or as they
are where nothing compiles them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import garboard as gb
import numpy as np
import pytest
from garboard import _engine

from tests.python.contexts.fused_chains import CHAINS, N, blend, bytes_of, rand
from tests.support.cuda_agreement import on_cuda
from tests.support.cuda_package import package_with, simulated_library
from tests.support.live_memory import balanced  # noqa: F401

FUNCTIONS = ["functions", "powers"]  # of the others each op rounds once
DIGITS = {gb.float32: 1e-6, gb.float64: 1e-14, gb.float16: 2e-3, gb.bfloat16: 2e-2}


def fused(function, *given):
    """Return what a chain gives, which must have been put off."""
    with gb.fuse():
        result = function(*given)
        assert _engine._deferred_count() == 1
    return result


def assert_same_bits(function, *given):
    result, expected = fused(function, *given), function(*given)

    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert bytes_of(result.cpu()) == bytes_of(expected.cpu())


@on_cuda
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.float16, gb.bfloat16], ids=str)
@pytest.mark.parametrize("name", sorted(CHAINS.keys() - FUNCTIONS))
def test_a_chain_has_the_bits_of_its_ops(name, dtype):
    a, b = rand(5077, dtype=dtype).cuda(), rand(1, 5077, dtype=dtype).flatten().cuda()

    assert_same_bits(CHAINS[name], a, b)


@on_cuda
@pytest.mark.parametrize("dtype", DIGITS, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_chain_of_functions_has_their_values(name, dtype):
    a, b = rand(N // 16, dtype=dtype).cuda(), rand(1, N // 16, dtype=dtype).flatten().cuda()

    expected, found = CHAINS[name](a, b), gb.fuse(CHAINS[name])(a, b)

    close = (found.cpu().double().numpy(), expected.cpu().double().numpy())
    np.testing.assert_allclose(*close, rtol=DIGITS[dtype])


@on_cuda
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((64, 304), (304,)),
        ((64, 304), (64, 1)),
        ((64, 303), (303,)),
        ((7, 1, 9, 30), (5, 1, 30)),
        ((1, 7000, 3), (2, 1, 1)),
        ((3, 1001), ()),
    ],
)
def test_operands_are_broadcast(left, right):
    a, b = rand(*left).cuda(), (rand(*right) if right else gb.tensor(1.5)).cuda()

    assert_same_bits(blend, a, b)


@on_cuda
@pytest.mark.parametrize(
    "seen",
    [
        lambda x: x.t(),
        lambda x: x[::2],
        lambda x: x[:, ::3],
        lambda x: x.flip(0),
        lambda x: x[1:, 5:],
        lambda x: x.flatten()[1:],
        lambda x: x[:, :1].expand(60, 500),
    ],
)
def test_views_of_any_strides_are_fused(seen):
    assert_same_bits(blend, seen(rand(60, 500).cuda()), seen((rand(60, 500) + 1).cuda()))


@on_cuda
def test_integers_bools_and_conditions_are_fused():
    x = gb.arange(-3000, 3000, device="cuda")
    flags = x % 3 == 0

    assert_same_bits(lambda x: (x * 3 + x) // (x - x - 7), x)
    assert_same_bits(lambda x: (x > 5).logical_and(flags).logical_xor(x < 100), x)
    assert_same_bits(lambda x: gb.where(flags, x + 1, x * 2), x.float())
    assert_same_bits(lambda x: x.bitwise_and(x + 1).bitwise_xor(x), x.to(gb.uint8))


@on_cuda
def test_small_tensors_and_none_at_all_run_as_usual():
    for count in (0, 1, 10):
        x = rand(10).cuda()[:count]
        with gb.fuse():
            y = (x + 1) * x
            assert _engine._deferred_count() == 0

        assert y.tolist() == ((x + 1) * x).tolist()


@on_cuda
def test_numbers_are_no_part_of_what_is_compiled():
    x = rand(2000).cuda()

    for number in (1.5, 2.5, float("inf"), -0.0):
        assert_same_bits(lambda x, n=number: (x + n) * n - x, x)


@on_cuda
def test_tensors_of_two_devices_are_refused_as_without():
    x, y = rand(N).cuda(), rand(N)

    with gb.fuse(), pytest.raises(gb.DeviceError):
        (x + 1) * y


@on_cuda
def test_gradients_are_those_of_the_ops():
    for sizes in ((3000,), (3, 1000)):
        a = rand(3, 1000).cuda().flatten().view(*sizes).detach().requires_grad_()
        b = rand(1, sizes[-1]).cuda().view(sizes[-1]).detach().requires_grad_()

        def loss(a=a, b=b):
            return ((a * b + a).tanh() * b - 2 * a).sigmoid().sum()

        grads = {}
        for name, function in {"ops": loss, "fused": gb.fuse(loss)}.items():
            function().backward()
            grads[name] = [x.grad.cpu().numpy() for x in (a, b)]
            a.grad = b.grad = None

        for mine, theirs in zip(*grads.values(), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@on_cuda
def test_a_chain_is_closed_by_a_sum():
    x = gb.arange(4000.0, device="cuda")

    with gb.fuse():
        total = ((x + 1) * 2 - x).sum()

    assert total.item() == ((x + 1) * 2 - x).sum().item()


@on_cuda
def test_a_chain_runs_on_the_stream_of_whoever_reads_it():
    x, side = rand(N).cuda(), gb.cuda.Stream()
    side.wait_stream(gb.cuda.current_stream())

    with gb.fuse():
        with gb.cuda.stream(side):
            y = (x + 1) * x
        gb.cuda.current_stream().wait_stream(side)
        found = (y - x).cpu()

    assert bytes_of(found) == bytes_of(((x + 1) * x - x).cpu())


@on_cuda
def test_an_input_is_written_after_what_is_put_off_has_read_it():
    x = rand(2000).cuda()
    expected = bytes_of(((x + 1) * 2).cpu())

    with gb.fuse():
        y = (x + 1) * 2
        x.zero_()

    assert bytes_of(y.cpu()) == expected


@on_cuda
def test_why_not_fused_says_nothing_where_chains_are_compiled():
    reason = gb.cuda.why_not_fused()

    x = rand(2000).cuda()
    with gb.fuse():
        y = (x + 1) * 2
        assert (_engine._deferred_count() == 1) == (reason is None)

    assert y.sum().item() > 0


def test_without_a_device_the_reason_is_that_there_is_none():
    if gb.cuda.is_available():
        pytest.skip("there is a CUDA device")

    assert gb.cuda.why_not_fused() == gb.cuda.why_unavailable()


def test_where_nothing_compiles_ops_run_one_after_the_other(tmp_path: Path):
    library = simulated_library()
    if library is None:
        pytest.skip("needs the stand-in that ./run test builds with the C++ tests")
    program = """
import garboard as gb
x = gb.arange(4000.0, device="cuda")
with gb.fuse():
    y = (x + 1) * 2
    print(gb._engine._deferred_count(), gb.cuda.why_not_fused())
print((y == (x + 1) * 2).all().item())
"""

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "PYTHONPATH": str(package_with(library, tmp_path)),
            "GARBOARD_NO_CHAIN_COMPILER": "1",
        },
        capture_output=True,
        text=True,
    )

    assert done.stdout.splitlines() == ["0 fuse: the compiler was taken away", "True"], done.stderr
