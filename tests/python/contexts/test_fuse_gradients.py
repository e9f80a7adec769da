"""Gradients of what `gb.fuse` has fused: in pieces, with the bits of the ops by themselves."""

import garboard as gb
import pytest

from tests.python.contexts.fused_chains import CHAINS, N, blend, bytes_of, rand

RECORDED = [name for name in CHAINS if name != "test at the end"]


def gradients(function, *inputs):
    """The value, and the gradient of each input that asks for one."""
    for it in inputs:
        it.grad = None
    y = function(*inputs)
    (y * gb.linspace(-1, 1, y.numel()).view(y.shape).to(y.dtype)).sum().backward()
    return [bytes_of(y), *[bytes_of(it.grad) for it in inputs if it.requires_grad]]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.bfloat16])
@pytest.mark.parametrize("name", RECORDED)
def test_gradients_have_the_same_bits(name, dtype, threads):
    before = gb.get_num_threads()
    gb.set_num_threads(threads)
    a = rand(N + 77, dtype=dtype, requires_grad=True)
    b = rand(1, N + 77, dtype=dtype).flatten().detach().requires_grad_()

    eager, fused = gradients(CHAINS[name], a, b), gradients(gb.fuse(CHAINS[name]), a, b)

    gb.set_num_threads(before)
    assert fused == eager


@pytest.mark.parametrize("right", [(300,), (1024, 1), (1, 1), ()])
@pytest.mark.parametrize("asking", ["left", "right", "both"])
def test_gradients_of_broadcast_operands_have_the_same_bits(right, asking):
    a = rand(1024, 300, requires_grad=asking != "right")
    b = (rand(*right) if right else gb.tensor(1.5)).requires_grad_(asking != "left")

    assert gradients(gb.fuse(blend), a, b) == gradients(blend, a, b)


def test_gradients_of_views_have_the_same_bits():
    a, b = rand(600, 500, requires_grad=True), rand(600, 500) + 1

    def through_views(a, b):
        return blend(a.t() * 1, b.t())[::2]

    assert gradients(gb.fuse(through_views), a, b) == gradients(through_views, a, b)


def test_second_gradients_are_those_of_the_ops():
    a, b = rand(requires_grad=True), (rand() + 1).requires_grad_()

    def second(function):
        y = function(a, b)
        first = gb.autograd.grad(y.sum(), (a, b), create_graph=True)
        return [bytes_of(it) for it in gb.autograd.grad((first[0] * first[1]).sum(), (a, b))]

    for chain in (blend, CHAINS["functions"], CHAINS["powers"]):
        assert second(gb.fuse(chain)) == second(chain)


def test_a_use_without_a_gradient_has_none_rather_than_zeros():
    a, c = (rand() - 1).detach().requires_grad_(), rand(requires_grad=True)

    @gb.fuse
    def choose(a, c):
        root = a.sqrt()  # its slope is NaN below 0, and NaN times 0 too
        return gb.where(root > 0.1, a, a) * (c > 0), root

    choose(a, c)[0].sum().backward()

    assert c.grad is None
    assert a.grad.sum().item() == N


def test_a_named_step_has_a_history_of_its_own():
    a, b = rand(requires_grad=True), rand() + 1

    def with_name(a, b):
        s = a + b
        s.retain_grad()
        y = s * a - b
        y.sum().backward()
        return bytes_of(s.grad), bytes_of(a.grad)

    eager = with_name(a, b)
    a.grad = None
    assert gb.fuse(with_name)(a, b) == eager


def test_the_graph_keeps_inputs_and_no_temporaries():
    a, b = rand(requires_grad=True), rand() + 1
    before = gb.memory.memory_allocated("cpu")

    y = gb.fuse(lambda a, b: ((a * b).exp() + a).tanh() * b)(a, b)

    assert gb.memory.memory_allocated("cpu") - before == y.nbytes
    y.sum().backward()
    assert a.grad is not None


def test_grad_mode_is_that_of_the_call():
    a = rand(requires_grad=True)

    with gb.fuse():
        with gb.no_grad():
            y = a * 2
        z = a * 2
        with gb.inference_mode():
            w = a * 2

    assert (y.requires_grad, z.requires_grad, w.requires_grad) == (False, True, False)
    assert w.is_inference()
    assert not y.is_inference()


def test_an_input_that_backward_reads_must_not_be_written():
    a, b = rand(requires_grad=True), rand() + 1

    y = gb.fuse(blend)(a, b)
    b.add_(1)

    with pytest.raises(gb.VersionError, match=r"fuse: .*an input of a fused chain"):
        y.sum().backward()


def test_an_input_that_backward_does_not_read_may_be_written():
    a, b = rand(requires_grad=True), rand() + 1

    y = gb.fuse(lambda a, b: a + b - 3)(a, b)
    b.add_(1)
    y.sum().backward()

    assert a.grad is not None
    assert a.grad[0].item() == 1


def test_saved_tensor_hooks_see_the_inputs():
    a, b, packed = rand(requires_grad=True), rand() + 1, []

    with gb.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t.shape) or t, lambda t: t):
        y = gb.fuse(blend)(a, b)
    y.sum().backward()

    assert packed == [(N,), (N,)]
    eager = blend(a.detach().requires_grad_(), b)
    assert bytes_of(y) == bytes_of(eager)


def test_an_optimizer_writes_after_what_was_put_off():
    w = gb.nn.Parameter(rand().detach())
    sgd = gb.optim.SGD([w], lr=0.1)
    w.grad = gb.ones(N)
    expected = w.detach() * 2 + 1

    with gb.fuse():
        with gb.no_grad():
            y = w * 2 + 1
        sgd.step()

    assert bytes_of(y) == bytes_of(expected)
