"""In-place forms that change how a handle sees its elements, and nothing else."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

FORMS = [
    ("squeeze_", (), (1, 2, 3)),
    ("squeeze_", (0,), (1, 2, 3)),
    ("unsqueeze_", (-1,), (2, 3)),
    ("t_", (), (2, 3)),
    ("transpose_", (0, 2), (2, 3, 4)),
    ("swapaxes_", (0, 1), (2, 3, 4)),
    ("swapdims_", (1, -1), (2, 3, 4)),
    ("as_strided_", ((2, 2), (1, 2)), (5,)),
]


@pytest.mark.parametrize(("name", "arguments", "sizes"), FORMS)
class TestEveryForm:
    def test_gives_the_same_handle_the_view(self, name, arguments, sizes):
        x = gb.arange(int(np.prod(sizes)) * 1.0).view(sizes)
        expected = getattr(x, name.removesuffix("_"))(*arguments).tolist()
        before = gb.memory.live()

        found = getattr(x, name)(*arguments)

        assert found is x
        assert x.tolist() == expected
        assert gb.memory.live() == before

    def test_passes_gradients(self, name, arguments, sizes):
        leaf = gb.rand(*sizes, requires_grad=True)
        x = leaf * 2

        getattr(x, name)(*arguments)
        x.sum().backward()

        assert leaf.grad is not None
        assert set(leaf.grad.flatten().tolist()) <= {0.0, 2.0}
        assert leaf.grad.sum().item() == 2 * x.numel()

    def test_refuses_a_leaf_that_requires_grad_while_gradients_are_recorded(
        self, name, arguments, sizes
    ):
        x = gb.rand(*sizes, requires_grad=True)

        with pytest.raises(gb.GradientError, match=r"_: a leaf that requires grad; use"):
            getattr(x, name)(*arguments)

        assert x.shape == sizes

    def test_turns_a_leaf_without_recording_it(self, name, arguments, sizes):
        x = gb.rand(*sizes, requires_grad=True)
        expected = getattr(x.detach(), name.removesuffix("_"))(*arguments)

        with gb.no_grad():
            found = getattr(x, name)(*arguments)
        x.sum().backward()

        assert found is x
        assert (x.is_leaf, x.requires_grad, x.grad.shape) == (True, True, expected.shape)
        assert x.tolist() == expected.tolist()

    def test_leaves_a_disposed_tensor_disposed(self, name, arguments, sizes):
        x = gb.rand(*sizes)
        x.dispose()

        with pytest.raises(gb.DisposedError):
            getattr(x, name)(*arguments)


class TestHandles:
    def test_others_see_what_they_saw(self):
        x = gb.arange(6.0).view(2, 3)
        other, view, array = x.alias(), x[0], x.numpy()

        x.t_().unsqueeze_(0).add_(1)

        assert x.shape == (1, 3, 2)
        assert other.tolist() == [[1, 2, 3], [4, 5, 6]] == array.tolist()
        assert view.tolist() == [1, 2, 3]

    def test_what_a_graph_has_kept_stays(self):
        leaf = gb.tensor([[1.0, 2.0]], requires_grad=True)
        x = leaf.exp()  # keeps its result for backward
        y = x * 1

        x.squeeze_()
        y.sum().backward()

        assert leaf.grad is not None
        assert leaf.grad.tolist() == [pytest.approx([np.e, np.e**2])]

    def test_end_with_their_scope_and_leave_nothing(self):
        before = gb.memory.live()

        with gb.dispose_scope() as scope:
            x = gb.rand(2, 3)
            x.t_()
            assert x in scope
            assert len(scope) == 1

        assert x.is_disposed
        assert gb.memory.live() == before

    def test_with_hooks_are_refused_and_those_of_gradients_change(self):
        leaf = gb.rand(1, 2, requires_grad=True)
        x = leaf * 2
        handle = x.register_hook(lambda gradient: None)
        x.sum().backward()

        with pytest.raises(gb.GradientError, match=r"squeeze_: a gradient, or .*; one without"):
            x.squeeze_()
        assert leaf.grad is not None
        gradient = leaf.grad
        assert gradient.squeeze_() is leaf.grad is gradient
        assert leaf.grad.tolist() == [2, 2]
        handle.remove()


class TestDetaching:
    def test_takes_a_tensor_out_of_its_graph(self):
        leaf = gb.ones(3, requires_grad=True)
        x = leaf * 2

        found = x.detach_()

        assert found is x
        assert not x.requires_grad
        assert x.grad_fn is None
        assert x.tolist() == [2.0, 2.0, 2.0]

    def test_frees_the_graph(self):
        x = gb.ones(3, requires_grad=True)
        state = gb.zeros(3)
        sizes = []

        for _ in range(4):
            state = (state * x).tanh()
            state.detach_()
            sizes.append(gb.memory.live().nodes)

        assert sizes == [0] * 4

    def test_of_a_gradient_with_a_history_stays_the_gradient(self):
        x = gb.tensor([1.0, 2.0], requires_grad=True)
        (x**3).sum().backward(create_graph=True)
        gradient = x.grad
        assert gradient.requires_grad

        found = gradient.detach_()

        assert found is gradient is x.grad
        assert not gradient.requires_grad
        assert gradient.grad_fn is None
        assert gradient.tolist() == [3, 12]

    def test_tells_a_leaf_to_ask_for_no_grad(self):
        x = gb.ones(3, requires_grad=True)

        assert x.detach_() is x
        assert not x.requires_grad


class Image(gb.Tensor):
    width = 3


class TestAHandleOfAnotherClass:
    def test_is_on_the_same_tensor_with_its_history(self):
        x = gb.ones(2, requires_grad=True)
        y = x * 2

        image = y.as_subclass(Image)

        assert type(image) is Image
        assert image.grad_fn == y.grad_fn
        assert image.data_ptr() == y.data_ptr()
        image.sum().backward()
        assert x.grad.tolist() == [2, 2]
        assert type(image.as_subclass(gb.Tensor)) is gb.Tensor

    def test_is_of_a_class_of_tensors(self):
        with pytest.raises(TypeError, match="cls is of type type; Tensor, or a class made of it"):
            gb.ones(1).as_subclass(int)  # type: ignore[type-var]
        with pytest.raises(TypeError, match="cls is of type int"):
            gb.ones(1).as_subclass(3)  # type: ignore[arg-type]

    def test_is_refused_of_a_disposed_tensor(self):
        x = gb.ones(1)
        x.dispose()

        with pytest.raises(gb.DisposedError, match="as_subclass"):
            x.as_subclass(Image)


def test_a_view_knows_its_base():
    x = gb.arange(6.0)
    row = x.view(2, 3)[1]

    assert row._base is not None
    assert row._base.data_ptr() == x.data_ptr()
    assert row._base.shape == x.shape
    assert row._is_view()
    assert x._base is None
    assert not x._is_view()
