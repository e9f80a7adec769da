"""The gradient of logits is written over them where nothing else sees them any more."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest
from garboard import Tensor, memory
from garboard.nn import functional

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

ROWS, CLASSES = 64, 1000
BYTES = 4 * ROWS * CLASSES
#: How logits come to the loss, of [ROWS, CLASSES], and targets of its sizes.
LAYOUTS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "rows": (lambda x: x, (ROWS,)),
    "flattened": (lambda x: x.view(8, 8, CLASSES).flatten(0, 1), (ROWS,)),
    "images": (lambda x: x.view(16, 10, 20, 20), (16, 20, 20)),
    "short rows": (lambda x: x.view(-1, 10), (ROWS * 100,)),
    "long rows": (lambda x: x.view(4, -1), (4,)),
}


def made(seed: int) -> Tensor:
    generator = gb.Generator().manual_seed(seed)
    return gb.randn(ROWS, CLASSES, generator=generator) * 3


def targets(sizes: tuple[int, ...], classes: int) -> Tensor:
    return gb.arange(gb.Size(sizes).numel()).remainder(classes).view(sizes)


def gradient_where_logits_are_held(layout: str, dtype: gb.dtype, smoothing: float) -> Tensor:
    arranged, sizes = LAYOUTS[layout]
    x = made(1).to(dtype).requires_grad_()
    logits = arranged(x * 1.0)
    functional.cross_entropy(
        logits, targets(sizes, logits.shape[1]), label_smoothing=smoothing
    ).backward()
    assert x.grad is not None
    assert logits.equal(arranged(x.detach()))  # which are still what they were
    return x.grad


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.bfloat16, gb.float16], ids=str)
def test_is_the_same_to_the_bit(layout, smoothing, dtype):
    arranged, sizes = LAYOUTS[layout]
    x = made(1).to(dtype).requires_grad_()
    classes = arranged(x.detach()).shape[1]

    functional.cross_entropy(
        arranged(x * 1.0), targets(sizes, classes), label_smoothing=smoothing
    ).backward()

    assert x.grad is not None
    assert x.grad.equal(gradient_where_logits_are_held(layout, dtype, smoothing))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_takes_no_memory(layout):
    arranged, sizes = LAYOUTS[layout]
    x = made(1).requires_grad_()
    y = targets(sizes, arranged(x.detach()).shape[1])
    loss = functional.cross_entropy(arranged(x.relu()), y)
    before = memory.memory_allocated()
    memory.reset_peak_memory_stats()

    loss.backward()

    assert memory.max_memory_allocated() - before < BYTES // 4
    assert x.grad is not None
    assert x.grad.data_ptr() != x.data_ptr()


def test_leaves_the_logits_where_the_graph_is_kept():
    x = made(1).requires_grad_()
    loss = functional.cross_entropy(x * 1.0, targets((ROWS,), CLASSES))

    loss.backward(retain_graph=True)
    assert x.grad is not None
    first = x.grad.clone()
    x.grad = None
    loss.backward()

    assert x.grad.equal(first)


def test_leaves_logits_that_another_node_keeps():
    x = made(1).requires_grad_()
    logits = x * 1.0
    loss = functional.cross_entropy(logits, targets((ROWS,), CLASSES)) + logits.square().mean()
    del logits

    loss.backward()

    expected = gradient_where_logits_are_held("rows", gb.float32, 0.0)
    expected = expected + 2 * x.detach() / x.numel()
    assert x.grad is not None
    gb.testing.assert_close(x.grad, expected)


def test_leaves_logits_that_a_view_looks_into():
    x = made(1).requires_grad_()
    logits = x * 1.0
    seen = logits.detach()[:, :3]
    loss = functional.cross_entropy(logits, targets((ROWS,), CLASSES))
    del logits
    before = seen.clone()

    loss.backward()

    assert seen.equal(before)


def test_leaves_a_leaf():
    x = made(1)
    before = x.clone()
    loss = functional.cross_entropy(x.detach().requires_grad_(), targets((ROWS,), CLASSES))

    loss.backward()

    assert x.equal(before)


def test_leaves_memory_that_is_not_the_librarys():
    array = made(1).numpy().copy()
    before = array.copy()

    class OfArray(gb.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return gb.from_numpy(array)

        @staticmethod
        def backward(ctx, gradient):
            return gradient

    x = made(1).requires_grad_()
    functional.cross_entropy(OfArray.apply(x), targets((ROWS,), CLASSES)).backward()

    assert np.array_equal(array, before)


def test_no_gradient_is_written_into_an_array_that_a_function_gave():
    array = np.full(3, 2.0, np.float32)

    class GivesArray(gb.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            return gb.from_numpy(array)

    x = gb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    GivesArray.apply(x.exp()).sum().backward()

    assert array.tolist() == [2.0, 2.0, 2.0]


def test_can_be_differentiated_again():
    x = made(1)[:4, :6].clone().requires_grad_()
    y = targets((4,), 6)

    (first,) = gb.autograd.grad(functional.cross_entropy(x * 1.0, y), [x], create_graph=True)
    (second,) = gb.autograd.grad(first.square().sum(), [x])

    assert gb.autograd.gradgradcheck(
        lambda x: functional.cross_entropy(x * 1.0, y), (x.detach().double().requires_grad_(),)
    )
    assert second.shape == x.shape


def test_a_pass_that_failed_over_them_is_not_tried_again():
    x = made(1).requires_grad_()
    numbers = np.arange(ROWS)
    loss = functional.cross_entropy(x * 1.0, gb.from_numpy(numbers))
    numbers[3] = CLASSES

    with pytest.raises(gb.VersionError, match="target of row 3"):
        loss.backward()
    numbers[3] = 3

    with pytest.raises(gb.GradientError, match="freed"):
        loss.backward()
    assert x.grad is None


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("op", [gb.softmax, gb.log_softmax], ids=["softmax", "log_softmax"])
class TestSoftmax:
    def test_writes_over_the_gradient_it_is_given(self, op, dim):
        x = made(1).requires_grad_()
        y = op(x * 1.0, dim) * 1.0
        seed = gb.ones(ROWS, CLASSES)
        before = memory.memory_allocated()
        memory.reset_peak_memory_stats()

        y.backward(seed)

        assert memory.max_memory_allocated() - before <= BYTES

    def test_leaves_a_gradient_that_somebody_else_has(self, op, dim):
        x = made(1).requires_grad_()
        seed = made(2)
        before = seed.clone()

        op(x * 1.0, dim).backward(seed)

        assert seed.equal(before)
        assert x.grad is not None
        held = x.grad.clone()
        x.grad = None
        (op(x * 1.0, dim) * seed).sum().backward()
        gb.testing.assert_close(x.grad, held)


#: Layers whose gradient for the input has the input's sizes, and those.
LAYERS: dict[str, tuple[Callable[[], gb.nn.Module], tuple[int, ...]]] = {
    "linear": (lambda: gb.nn.Linear(96, 48), (300, 96)),
    "linear of more dims": (lambda: gb.nn.Linear(96, 48, bias=False), (3, 100, 96)),
    "linear of one column": (lambda: gb.nn.Linear(96, 1), (300, 96)),
    "1 x 1": (lambda: gb.nn.Conv2d(32, 16, 1), (4, 32, 14, 14)),
    "1 x 1 by twos": (lambda: gb.nn.Conv2d(32, 16, 1, 2), (4, 32, 14, 14)),
    "3 x 3": (lambda: gb.nn.Conv2d(32, 48, 3, padding=1), (4, 32, 14, 14)),
    "3 x 3 by twos": (lambda: gb.nn.Conv2d(32, 48, 3, 2, padding=1), (4, 32, 14, 14)),
    "5 x 5 of few channels": (lambda: gb.nn.Conv2d(3, 8, 5, padding=2), (4, 3, 40, 40)),
    "groups": (lambda: gb.nn.Conv2d(32, 48, 3, groups=4), (4, 32, 14, 14)),
    "depthwise": (lambda: gb.nn.Conv2d(32, 32, 3, padding=1, groups=32), (4, 32, 14, 14)),
    "dilated": (lambda: gb.nn.Conv2d(16, 16, 3, dilation=2), (4, 16, 20, 20)),
    "a line": (lambda: gb.nn.Conv1d(16, 24, 5), (6, 16, 300)),
    "a volume": (lambda: gb.nn.Conv3d(8, 8, 3, padding=1), (2, 8, 8, 8, 8)),
    "layer norm": (lambda: gb.nn.LayerNorm(96), (300, 96)),
    "layer norm without parameters": (
        lambda: gb.nn.LayerNorm(96, elementwise_affine=False),
        (300, 96),
    ),
    "batch norm": (lambda: gb.nn.BatchNorm2d(32), (4, 32, 14, 14)),
    "group norm": (lambda: gb.nn.GroupNorm(4, 32), (4, 32, 14, 14)),
}


@pytest.mark.parametrize("name", LAYERS)
class TestLayers:
    def gradients(self, name: str, dtype: gb.dtype, is_held: bool) -> list[Tensor]:
        make, sizes = LAYERS[name]
        gb.manual_seed(3)
        layer = make().to(dtype)
        x = gb.randn(sizes).to(dtype).requires_grad_()
        given = x.relu()
        out = layer(given) * 1.5
        held = given.detach() if is_held else None
        expected = given.detach().clone()
        del given
        out.square().sum().backward()
        assert held is None or held.equal(expected)
        assert x.grad is not None
        return [x.grad, *(it.grad for it in layer.parameters() if it.grad is not None)]

    @pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.bfloat16], ids=str)
    def test_have_the_same_gradients_over_what_is_held_and_what_is_not(self, name, dtype):
        alone, held = (self.gradients(name, dtype, is_held) for is_held in (False, True))

        assert len(alone) == len(held)
        assert all(one.equal(other) for one, other in zip(alone, held, strict=True))

    def test_take_no_memory_of_the_inputs_size(self, name):
        if name in ("1 x 1 by twos", "a volume"):
            pytest.skip("its kernel has memory of its own")
        make, sizes = LAYERS[name]
        layer = make()
        x = gb.randn(sizes).requires_grad_()
        out = layer(x.relu()) * 1.5
        seed = gb.ones(out.shape)
        before = memory.memory_allocated()
        memory.reset_peak_memory_stats()

        out.backward(seed)

        of_weights = sum(it.nbytes for it in layer.parameters())
        most = seed.nbytes + of_weights + x.nbytes // 2 + 4096
        assert memory.max_memory_allocated() - before < most


def test_a_layer_whose_weight_asks_for_nothing_keeps_nothing_to_write_over():
    layer = gb.nn.Linear(8, 4).requires_grad_(False)
    x = gb.randn(5, 8).requires_grad_()
    given = x.relu()
    out = layer(given)
    expected = given.detach().clone()
    given = given.detach()

    out.sum().backward()

    assert given.equal(expected)
