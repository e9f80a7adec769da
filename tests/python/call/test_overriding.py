"""Classes made of Tensor, and blocks: they are asked before the engine."""

from __future__ import annotations

import copy
import inspect
import operator
import threading
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.nn import functional
from garboard.overrides import TorchFunctionMode, handle_torch_function, has_torch_function

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Image(gb.Tensor):
    """A class without a say of its own."""


class Thumbnail(Image):
    """One that is made of it."""


class Sound(gb.Tensor):
    """One that has nothing to do with them."""


class Noted(gb.Tensor):
    """One that passes a note on to what is computed from it."""

    note: str

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        result = super().__torch_function__(func, types, args, kwargs)
        if isinstance(result, cls):
            result.note = next(it.note for it in args if hasattr(it, "note"))
        return result


def image() -> Image:
    return gb.arange(4.0).as_subclass(Image)


class TestWhatIsComputedFromAClass:
    @pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow", "matmul", "lt", "eq"])
    def test_is_of_it_by_operators_with_either_operand(self, name):
        call, x, y = getattr(operator, name), image(), gb.ones(4)

        assert type(call(x, y)) is Image
        assert type(call(y, x)) is Image
        if name != "matmul":
            assert type(call(x, 2)) is Image
            assert call(2, x).tolist() == call(2, x.as_subclass(gb.Tensor)).tolist()

    def test_is_of_it_by_functions_methods_and_layers(self):
        x = image()

        for made in (
            gb.exp(x),
            x.mean(),
            gb.where(gb.ones(4) > 0, gb.ones(4), x),
            gb.stack([gb.ones(4), x]),
            gb.zeros_like(x),
            functional.interpolate(x.view(1, 1, 4), scale_factor=2),
            gb.nn.Linear(4, 2)(x),
            gb.nn.LSTM(4, 2)(x[None])[0],
        ):
            assert type(made) is Image

    def test_is_of_it_by_indexing_iterating_and_properties(self):
        x = image().view(2, 2)

        assert {type(it) for it in (x[0], x[:, 1], x[x > 1], x.T, x.mT, x.data, *x)} == {Image}

    def test_is_of_it_in_tuples_and_lists(self):
        values = image().view(2, 2).max(1)

        assert type(values.values) is type(values.indices) is Image
        assert values.indices.tolist() == [1, 1]
        assert {type(it) for it in image().split(2)} == {Image}

    def test_is_the_same_object_in_place(self):
        x = before = image()

        x += 1
        x[0] = 5

        assert x.mul_(2) is x is before
        assert x.tolist() == [10, 4, 6, 8]

    def test_has_the_gradients_of_a_tensor(self):
        x = gb.ones(4, requires_grad=True)

        (x.as_subclass(Image) * 3).sum().backward()

        assert type(x.grad) is gb.Tensor
        assert x.grad.tolist() == [3] * 4

    def test_is_of_the_class_that_is_made_of_the_others(self):
        small = gb.ones(4).as_subclass(Thumbnail)

        assert type(image() + small) is type(small + image()) is Thumbnail
        assert type(gb.cat([image(), small])) is Thumbnail

    def test_is_refused_where_neither_class_is_made_of_the_other(self):
        sound = gb.ones(4).as_subclass(Sound)

        with pytest.raises(TypeError, match=r"^add: each class that was asked declines"):
            image() + sound

    def test_is_a_tensor_where_a_copy_of_elements_is_asked_for(self):
        assert type(gb.tensor(image())) is gb.Tensor
        assert np.asarray(image()).tolist() == image().tolist() == [0, 1, 2, 3]

    def test_of_parameters_and_buffers_are_tensors(self):
        class Scale(gb.nn.Parameter):
            pass

        for one in (Scale(gb.ones(2)), gb.nn.Parameter(gb.ones(2)), gb.nn.Buffer(gb.ones(2))):
            assert type(one * 2) is type(one[0]) is gb.Tensor

    def test_prints_and_copies_as_the_class(self):
        assert repr(image()) == "Image([0., 1., 2., 3.])"
        assert repr(image().view(2, 2)) == "Image([[0., 1.],\n       [2., 3.]])"
        assert type(copy.deepcopy(image())) is Image
        assert type(gb.Tensor._make_subclass(Image, gb.ones(2), True)) is Image

    def test_is_copied_without_a_call_of_it_that_its_attributes_are_missing_from(self):
        class Length(gb.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                units = {it.unit for it in args if isinstance(it, cls)}
                made = super().__torch_function__(func, types, args, kwargs or {})
                if isinstance(made, cls) and units:
                    (made.unit,) = units
                return made

        length = gb.ones(2).as_subclass(Length)
        length.unit = "m"
        length.requires_grad_()

        copied = copy.deepcopy(length)

        assert type(copied) is Length
        assert copied.unit == (copied * 2).unit == "m"
        assert copied.requires_grad

    def test_compares_with_what_is_no_number_as_tensors_do(self):
        x = image()

        assert x != None  # noqa: E711
        assert (x == "text") is False
        with pytest.raises(TypeError, match="unsupported operand"):
            x + "text"  # type: ignore[operator]

    def test_raises_the_errors_of_the_engine(self):
        with pytest.raises(gb.ShapeError, match=r"^add: sizes \[4\] and \[3\] differ"):
            image() + gb.ones(3)
        with pytest.raises(TypeError, match="no parameter is named 'axes'"):
            image().mean(axes=0)


class TestAClassWithASayOfItsOwn:
    def test_passes_on_what_it_knows(self):
        x = gb.ones(2).as_subclass(Noted)
        x.note = "here"

        made: list[Any] = [x + 1, gb.exp(x), gb.ones(2) * x, x[0], x.T]

        assert [it.note for it in made] == ["here"] * 5

    def test_is_given_the_function_as_programs_name_it(self):
        seen: list[Any] = []

        class Seen(gb.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                seen.append((func, types, kwargs))
                return super().__torch_function__(func, types, args, kwargs)

        x = gb.ones(2).as_subclass(Seen)
        x + 1
        gb.add(1, x)
        x.sum(dim=0)
        x[0]
        x -= 1
        functional.gelu(x)

        functions = [func for func, _, _ in seen]
        tensor = gb.Tensor
        assert functions[:4] == [tensor.add, gb.add, tensor.sum, tensor.__getitem__]
        assert functions[4:] == [tensor.sub_, functional.gelu]
        assert seen[2][1:] == ((Seen,), {"dim": 0})

    def test_returns_what_it_likes_and_raises_what_it_raises(self):
        class Odd(gb.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                if func is gb.Tensor.add:
                    return "sum"
                raise KeyError("mine")

        x = gb.ones(2).as_subclass(Odd)

        assert x + 1 == "sum"
        with pytest.raises(KeyError, match="mine"):
            x * 2
        assert repr(x) == "Odd([1., 1.])"

    def test_that_calls_itself_for_ever_is_stopped(self):
        class Endless(gb.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        with pytest.raises(RecursionError):
            gb.ones(2).as_subclass(Endless) + 1

    def test_is_not_asked_in_a_block_that_says_so(self):
        with gb._C.DisableTorchFunctionSubclass():
            plain = image() + 1

        assert type(plain) is gb.Tensor
        assert type(image() + 1) is Image

    @pytest.mark.parametrize(
        ("given", "message"),
        [((), "missing required argument"), ((gb.exp, 3), "not iterable"), ((3, ()), "callable")],
    )
    def test_refuses_what_is_no_call(self, given, message):
        with pytest.raises(TypeError, match=message):
            Image.__torch_function__(*given)
        with pytest.raises(TypeError, match="kwargs is of type int; a dict is needed"):
            Image.__torch_function__(gb.exp, (), (), 3)  # type: ignore[arg-type]


class Listing(TorchFunctionMode):
    def __init__(self) -> None:
        self.names: list[str] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


class TestABlock:
    def test_is_given_each_call_in_it_and_the_one_around_it_what_it_calls(self):
        with Listing() as outer, Listing() as inner:
            gb.ones(2).add(1)
            gb.exp(gb.zeros(1))

        gb.ones(1)
        assert inner.names == outer.names == ["ones", "add", "zeros", "exp"]

    def test_changes_what_is_called(self):
        class Doubles(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                named = dict(kwargs or {}, **({"dtype": gb.float64} if func is gb.ones else {}))
                return func(*args, **named)

        with Doubles():
            assert gb.ones(2).dtype == gb.float64
            assert gb.zeros(2).dtype == gb.float32

    def test_goes_before_classes(self):
        with Listing() as listing:
            assert type(image() + 1) is Image

        assert listing.names[-1] == "add"

    def test_sees_nothing_of_printing_and_of_other_threads(self):
        x = gb.ones(2)
        with Listing() as listing:
            repr(x)
            thread = threading.Thread(target=lambda: gb.exp(x))
            thread.start()
            thread.join()

        assert listing.names == []

    def test_ends_by_an_error_in_it(self):
        listing = Listing()
        with pytest.raises(gb.ShapeError), listing:
            gb.ones(2) + gb.ones(3)

        gb.ones(1)
        assert listing.names == ["ones", "ones", "add"]


class TestWhoAsks:
    def test_hears_of_classes_that_take_calls_over(self):
        assert has_torch_function((gb.ones(1), image()))
        assert not has_torch_function((gb.ones(1), gb.nn.Parameter(gb.ones(1)), 3))

    def test_has_the_class_take_the_call_over(self):
        def double(x):
            if has_torch_function((x,)):
                return handle_torch_function(double, (x,), x)
            return x.as_subclass(gb.Tensor) * 2

        assert type(double(image())) is Image
        assert type(double(gb.ones(1))) is gb.Tensor

    def test_hears_that_all_decline(self):
        class Declines:
            @classmethod
            def __torch_function__(cls, *given):
                return NotImplemented

        with pytest.raises(TypeError, match=r"^exp: each class that was asked declines"):
            handle_torch_function(gb.exp, (Declines(),), Declines())

    def test_refuses_to_wrap_by_what_cannot_be_called(self):
        with pytest.raises(TypeError, match="wrap_torch_function: dispatcher is of type bytes"):
            gb.overrides.wrap_torch_function(b"")

    def test_wraps_a_function(self):
        @gb.overrides.wrap_torch_function(lambda x: (x,))
        def first(x):
            return x.as_subclass(gb.Tensor)[0]

        assert type(first(image())) is Image
        assert type(first(gb.ones(2))) is gb.Tensor


def test_a_block_that_nobody_leaves_ends_with_its_thread():
    class Holding(TorchFunctionMode):
        def __init__(self, held: gb.Tensor) -> None:
            self.held = held

    before = gb.memory.live()
    thread = threading.Thread(target=lambda: Holding(gb.ones(3)).__enter__())
    thread.start()
    thread.join()

    assert gb.memory.live() == before
    assert gb.ones(2).sum().item() == 2.0


def test_functions_that_classes_take_over_are_told_by_where_they_are():
    told = gb.overrides.get_overridable_functions()

    assert gb.add in told[gb]
    assert functional.cross_entropy in told[functional]
    assert gb.linalg.qr in told[gb.linalg]
    assert gb.Tensor.add_ in told[gb.Tensor]
    assert gb.zeros in gb.overrides.get_ignored_functions()
    assert not gb.overrides.get_ignored_functions() & {*told[gb]}
    assert gb.is_grad_enabled not in told[gb]


def test_each_of_them_has_a_stub_with_its_signature():
    stubs = gb.overrides.get_testing_overrides()

    assert stubs.keys() >= {gb.add, gb.einsum, functional.relu, gb.Tensor.exp}
    assert stubs[gb.einsum]("i->", gb.ones(1)) == -1
    assert list(inspect.signature(stubs[functional.relu]).parameters) == ["input", "inplace"]
