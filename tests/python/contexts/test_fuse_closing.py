"""`gb.fuse` with a reduction at the end of a chain: one pass, nothing as large as an operand."""

import garboard as gb
import pytest
from garboard import _engine

from tests.python.contexts.fused_chains import CHAINS, N, blend, bytes_of, rand

CLOSINGS = {
    "sum": lambda y: y.sum(),
    "mean": lambda y: y.mean(),
    "function": gb.sum,
    "negated": lambda y: -y.mean(),
}


def closed(chain, closing):
    return lambda a, b: closing(chain(a, b))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("closing", CLOSINGS)
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.float16, gb.bfloat16])
@pytest.mark.parametrize("count", [N, N + 77, 3 * 65536 + 1024, 1 << 20])
def test_a_closed_chain_has_the_same_bits(count, dtype, closing, threads):
    before = gb.get_num_threads()
    gb.set_num_threads(threads)
    a, b = rand(count, dtype=dtype), rand(1, count, dtype=dtype).flatten()
    function = closed(blend, CLOSINGS[closing])

    eager, fused = function(a, b), gb.fuse(function)(a, b)

    gb.set_num_threads(before)
    assert (fused.dtype, fused.shape) == (eager.dtype, ())
    assert bytes_of(fused) == bytes_of(eager)


@pytest.mark.parametrize("name", [name for name in CHAINS if name != "test at the end"])
def test_every_chain_can_be_closed(name):
    function = closed(CHAINS[name], gb.mean)
    a, b = rand(), rand(1, N).flatten()

    assert bytes_of(gb.fuse(function)(a, b)) == bytes_of(function(a, b))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((1024, 300), (300,)),
        ((1024, 300), (1024, 1)),
        ((7, 1, 90, 300), (5, 1, 300)),
        ((1, 70000, 3), (2, 1, 1)),
        ((3, 100001), ()),
        ((3, 100001), (3, 1)),
    ],
)
def test_pieces_that_are_not_those_of_the_sum_give_its_bits(left, right):
    a, b = rand(*left), rand(*right) if right else gb.tensor(1.5)
    function = closed(blend, gb.sum)

    assert bytes_of(gb.fuse(function)(a, b)) == bytes_of(function(a, b))


@pytest.mark.parametrize("seen", [lambda x: x.t(), lambda x: x[::2], lambda x: x[1:, 5:]])
def test_views_are_closed(seen):
    a, b = seen(rand(600, 500)), seen(rand(600, 500) + 1)
    function = closed(blend, gb.sum)

    # What a chain makes of turned operands lies in the order of its dims.
    assert bytes_of(gb.fuse(function)(a, b)) == bytes_of(gb.sum(blend(a, b).contiguous()))


def test_truths_and_integers_are_counted():
    a, b = rand(1 << 18), rand(1, 1 << 18).flatten()
    whole = (a * 100).to(gb.int64)

    def count(a, b):
        return ((a > b) & (a < 1)).sum()

    fused, total = gb.fuse(count)(a, b), gb.fuse(lambda x: (x * x).sum())(whole)

    assert (fused.dtype, fused.item()) == (gb.int64, count(a, b).item())
    assert (total.dtype, total.item()) == (gb.int64, (whole * whole).sum().item())
    with gb.fuse(), pytest.raises(gb.DTypeError, match=r"^mean: dtype int64; a floating one"):
        (whole * whole).mean()


def test_nothing_large_is_allocated():
    a, b = rand(1 << 20), rand(1, 1 << 20).flatten()

    gb.memory.reset_peak_memory_stats("cpu")
    before = gb.memory.memory_allocated("cpu")
    fused = gb.fuse(closed(blend, gb.mean))(a, b)
    peak = gb.memory.max_memory_allocated("cpu") - before

    assert fused.item() == blend(a, b).mean().item()
    assert peak < 4096


def test_a_step_that_has_a_name_is_a_tensor_and_summed_as_one():
    a, b = rand(), rand(1, N).flatten()

    with gb.fuse():
        y = blend(a, b)
        total = y.sum()
        assert _engine._deferred_count() == 2

    assert bytes_of(y) == bytes_of(blend(a, b))
    assert bytes_of(total) == bytes_of(blend(a, b).sum())


@pytest.mark.parametrize(
    "call",
    [
        lambda y: y.sum(0),
        lambda y: y.sum(dtype=gb.float64),
        lambda y: y.mean(-1, keepdim=True),
        lambda y: y.max(),
    ],
)
def test_other_reductions_read_the_chain_as_usual(call):
    a, b = rand(512, 400), rand(1, 400)
    function = closed(blend, call)

    assert bytes_of(gb.fuse(function)(a, b)) == bytes_of(function(a, b))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.bfloat16])
@pytest.mark.parametrize("closing", ["sum", "mean", "negated"])
@pytest.mark.parametrize("sizes", [((N + 77,), (N + 77,)), ((1024, 300), (300,))])
def test_gradients_of_what_is_closed_have_the_same_bits(sizes, closing, dtype, threads):
    before = gb.get_num_threads()
    gb.set_num_threads(threads)
    a = rand(*sizes[0], dtype=dtype, requires_grad=True)
    b = (rand(*sizes[1], dtype=dtype) + 1).detach().requires_grad_()
    function = closed(blend, CLOSINGS[closing])
    found = []

    for way in (function, gb.fuse(function)):
        a.grad = b.grad = None
        loss = way(a, b)
        loss.backward()
        found.append([bytes_of(it) for it in (loss, a.grad, b.grad)])

    gb.set_num_threads(before)
    assert found[1] == found[0]


def test_second_gradients_of_what_is_closed_are_those_of_the_ops():
    a, b = rand(requires_grad=True), (rand() + 1).requires_grad_()

    def second(function):
        first = gb.autograd.grad(function(a, b), (a, b), create_graph=True)
        return [bytes_of(it) for it in gb.autograd.grad((first[0] * first[1]).sum(), (a, b))]

    function = closed(blend, gb.mean)

    assert second(gb.fuse(function)) == second(function)


def test_a_loss_keeps_the_inputs_alone():
    a, b = rand(requires_grad=True), rand(1, N).flatten()

    before = gb.memory.memory_allocated("cpu")
    loss = gb.fuse(lambda: ((a - b) ** 2).mean())()
    held = gb.memory.memory_allocated("cpu") - before

    assert held < 4096
    loss.backward()
    assert bytes_of(a.grad) == bytes_of(2 * (a - b) * (gb.ones_like(a) * (1 / N)))


def test_an_input_that_is_written_after_the_call_is_read_before():
    a, b = rand(), rand(1, N).flatten()
    expected = blend(a, b).sum().item()

    with gb.fuse():
        total = blend(a, b).sum()
        a.zero_()

    assert total.item() == expected


def test_one_that_runs_out_of_memory_can_be_read_later():
    a, b = rand(), rand(1, N).flatten()
    expected = blend(a, b).sum().item()

    with gb.fuse():
        total = blend(a, b).sum()
        with gb.memory.fail_allocation(1), pytest.raises(gb.OutOfMemoryError):
            total.item()
        assert total.item() == expected


@pytest.mark.parametrize("requires_grad", [False, True])
def test_nothing_leaks(requires_grad):
    a, b = rand(requires_grad=requires_grad), rand(1, N).flatten()

    with gb.leaks.no_leaks():
        for _ in range(3):
            with gb.fuse():
                loss = blend(a, b).mean()
                blend(a, b).sum()  # nobody reads it
            if requires_grad:
                loss.backward()
                a.grad = None
            del loss
