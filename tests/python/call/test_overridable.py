"""Functions written in Python ask classes and blocks before they begin, as those of the engine."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import garboard as gb
import pytest
from garboard.nn import functional

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Told:
    """Answers every call with the function that was called."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func


class Declining:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


# Written in Python, and asking nobody: they take no tensor, or make one of anything.
SILENT = {
    gb: "as_strided_ asarray bartlett_window blackman_window broadcast_shapes can_cast compile "
    "detach_ empty_permuted from_dlpack from_file frombuffer fuse hamming_window hann_window "
    "is_storage is_tensor kaiser_window load load_ipython_extension save sparse_bsc_tensor "
    "sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
    "sparse_csr_tensor to_dlpack typename unload_ipython_extension vmap",
    gb.fft: "fftfreq rfftfreq",
}
WRITTEN_IN_PYTHON = (FunctionType, gb._engine._Overridable)
SETTINGS = ("_contexts.", "_settings", "_printing")


def asking() -> list[tuple[ModuleType, str]]:
    """The public functions that are written in Python, but those that ask nobody."""
    found = []
    for module in (gb, gb.linalg, gb.fft, gb.special, functional):
        silent = SILENT.get(module, "").split()
        for name in module.__all__:
            function = getattr(module, name)
            home = getattr(function, "__module__", "").removeprefix("garboard.")
            if not isinstance(function, WRITTEN_IN_PYTHON) or home.startswith(SETTINGS):
                continue
            if name not in silent and home != "sparse._functions":
                found.append((module, name))
    return found


def needed(function: Callable[..., Any]) -> int:
    """How many arguments a function needs at least, and one."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = inspect.signature(function).parameters.values()
    return max(1, sum(it.default is it.empty and it.kind in kinds for it in given))


@pytest.mark.parametrize(("module", "name"), asking(), ids=lambda it: getattr(it, "__name__", it))
def test_each_public_function_of_tensors_is_taken_over_by_its_argument(module, name):
    function = getattr(module, name)

    assert function(*[Told()] * needed(function)) is function


def test_what_asks_nobody_is_there():
    for module, names in SILENT.items():
        assert set(names.split()) <= set(dir(module))


@pytest.mark.parametrize(
    ("call", "needs"),
    [
        (lambda x: gb.einsum("i->", x), "einsum"),
        (lambda x: gb.linalg.solve(x, x), "solve"),
        (lambda x: functional.dropout(x, 0.5), "dropout"),
    ],
)
def test_a_class_that_declines_leaves_the_function_to_refuse_its_object(call, needs):
    with pytest.raises(TypeError, match=needs):
        call(Declining())


def test_an_object_within_a_list_or_behind_a_name_is_asked():
    assert gb.linalg.multi_dot([gb.ones(2, 2), Told()]) is gb.linalg.multi_dot
    assert functional.dropout(input=Told(), p=0.1) is functional.dropout


def test_a_block_is_given_the_function_and_not_the_ops_that_it_is_made_of():
    class Noting(gb.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    seen: list[Any] = []
    x, y = gb.ones(2, 2), gb.zeros(2)
    with Noting():
        gb.einsum("ij->j", x)
        functional.mse_loss(y, y)

    assert seen == [gb.einsum, functional.mse_loss]


def test_a_class_made_of_tensor_is_given_the_function_and_what_it_returns_is_of_the_class():
    class Noting(gb.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return super().__torch_function__(func, types, args, kwargs)

    seen: list[Any] = []
    x = gb.ones(2, 2).as_subclass(Noting)

    assert type(gb.linalg.norm(x)) is Noting
    assert seen[-1] is gb.linalg.norm
    assert type(functional.silu(x)) is Noting


def test_what_a_class_raises_is_raised():
    class Raising:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise LookupError(func.__name__)

    with pytest.raises(LookupError, match="einsum"):
        gb.einsum("i->", Raising())


@pytest.mark.parametrize("function", [gb.einsum, gb.linalg.solve, functional.silu, gb.fft.fft])
def test_such_a_function_is_what_it_was_to_inspection_and_pickles(function):
    assert pickle.loads(pickle.dumps(function)) is function
    assert "input" in str(inspect.signature(function)) or function.__name__ in ("einsum", "solve")
    assert function.__doc__
    assert "def " + function.__name__ in inspect.getsource(function)


def test_such_a_function_is_not_bound_and_takes_attributes_and_weak_references():
    class Holder:
        activation = functional.silu

    assert Holder().activation is functional.silu
    assert inspect.isroutine(functional.silu)
    assert repr(functional.silu).startswith("<function silu")
    assert copy.deepcopy(functional.silu) is functional.silu
    assert weakref.ref(functional.silu)() is functional.silu
    functional.silu.speed = 1
    assert functional.silu.__dict__.pop("speed") == 1


def test_such_a_function_that_nobody_needs_ends_with_what_it_holds():
    class Called:
        def __call__(self):
            return 1

    one = Called()
    made = gb._engine._Overridable(one)
    made.itself = made
    assert made() == 1
    ended = weakref.ref(one)
    del one, made
    gc.collect()

    assert ended() is None


def test_only_a_function_is_made_one():
    with pytest.raises(TypeError, match="_Overridable: of type int; a function is needed"):
        gb._engine._Overridable(1)
    with pytest.raises(TypeError):
        gb._engine._Overridable()
