"""What PyTorch's programs ask of classes that stand in for tensors.

A class made of Tensor is asked before each function of the engine that is given an object of it,
as is a block; another class with a `__torch_function__` where the engine refuses what it is given.
Functions written in Python ask all of them before they begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import TYPE_CHECKING, Any, TypeVar

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor
from garboard._names.missing import module_getattr

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "wrap_torch_function",
]

_F = TypeVar("_F", bound=Callable[..., Any])
_R = TypeVar("_R")
_MAKERS = """
arange as_tensor asarray empty empty_permuted empty_strided eye from_file from_numpy frombuffer full
linspace logspace ones rand randint randn randperm range scalar_tensor tensor tril_indices
triu_indices zeros broadcast_shapes
"""


class TorchFunctionMode(_engine._OverrideBlock):
    """A block that takes over the calls of ops in it: a program derives its own.

    Its `__torch_function__` is given each function of tensors, with what that is called with, on
    this thread; what it calls itself goes to the block around it.

    >>> class Counting(gb.overrides.TorchFunctionMode):
    ...     count = 0
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         self.count += 1
    ...         return func(*args, **(kwargs or {}))
    >>> with Counting() as counting:
    ...     _ = gb.zeros(2) + 1
    >>> counting.count
    2
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function, which is what a mode does that has no say of its own."""
        return func(*args, **(kwargs or {}))


BaseTorchFunctionMode = TorchFunctionMode


def is_tensor_like(inp: object) -> bool:
    """Tell whether something is a Tensor, or says that it stands in for one.

    Args:
        inp: Anything.

    Returns:
        A bool.

    >>> gb.overrides.is_tensor_like(gb.ones(1)), gb.overrides.is_tensor_like(1.0)
    (True, False)
    """
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def is_tensor_method_or_property(func: Callable[..., object]) -> bool:
    """Tell whether a function is a method of tensors.

    Args:
        func: Any function.

    Returns:
        A bool.

    >>> gb.overrides.is_tensor_method_or_property(gb.Tensor.exp)
    True
    """
    name = getattr(func, "__name__", "")
    return getattr(Tensor, name, None) is func


def _classes(arguments: Iterable[object]) -> list[type]:
    """The classes that take calls over, each before those that it is made of."""
    found: list[type] = []
    is_on = _engine._set_overriding(None)
    for cls in map(type, arguments if is_on else ()):
        method = getattr(cls, "__torch_function__", _engine._disabled_torch_function_impl)
        plain = cls is Tensor or method is _engine._disabled_torch_function_impl
        if plain or cls in found:
            continue
        later = (i for i, other in enumerate(found) if issubclass(cls, other))
        found.insert(next(later, len(found)), cls)
    return found


def has_torch_function(relevant_args: Iterable[object]) -> bool:
    """Tell whether the class of an argument takes calls over.

    Args:
        relevant_args: What a function was called with.

    Returns:
        True or False.

    >>> gb.overrides.has_torch_function((gb.ones(1),))
    False
    """
    return bool(_classes(relevant_args))


def handle_torch_function(
    public_api: Callable[..., _R], relevant_args: Iterable[object], *args: Any, **kwargs: Any
) -> _R:
    """Have the class of an argument take a call over; where none does, call the function.

    Args:
        public_api: The function.
        relevant_args: The arguments whose classes are asked.
        args: What it is called with.
        kwargs: Likewise.

    Returns:
        What the first class that does not answer NotImplemented returns, or the function.

    Raises:
        TypeError: Each class that was asked answers NotImplemented.

    >>> gb.overrides.handle_torch_function(gb.exp, (), gb.zeros(1))
    tensor([1.])
    """
    classes = tuple(_classes(relevant_args))
    for cls in classes:
        answer: Any = cls.__torch_function__(  # type: ignore[attr-defined]
            public_api, classes, args, kwargs
        )
        if answer is not NotImplemented:
            return answer  # type: ignore[no-any-return]
    if classes:
        name = getattr(public_api, "__name__", "handle_torch_function")
        raise TypeError(
            f"{name}: each class that was asked declines; one that takes the call is needed"
        )
    return public_api(*args, **kwargs)


def wrap_torch_function(dispatcher: Callable[..., Iterable[object]]) -> Callable[[_F], _F]:
    """Return a decorator: the function's calls are taken over by the classes of its arguments.

    Args:
        dispatcher: Gives, of what the function is called with, the arguments whose classes are
            asked.

    Returns:
        The decorator.

    Raises:
        TypeError: It cannot be called.

    >>> gb.overrides.wrap_torch_function(lambda x: (x,))(len)([1])
    1
    """

    check.function("wrap_torch_function", "dispatcher", dispatcher)

    def decorate(func: _F) -> _F:
        @wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped  # type: ignore[return-value]

    return decorate


def get_ignored_functions() -> set[Callable[..., object]]:
    """Return the functions that are given no tensor, so that no class takes their calls over.

    >>> gb.zeros in gb.overrides.get_ignored_functions()
    True
    """
    import garboard

    return {getattr(garboard, name) for name in _MAKERS.split()}


def get_overridable_functions() -> dict[object, list[Callable[..., object]]]:
    """Return the functions whose calls classes take over, by the module or class that has them.

    >>> gb.exp in gb.overrides.get_overridable_functions()[gb]
    True
    """
    import garboard

    ignored, names = get_ignored_functions(), set(garboard._functions.OPS)
    found: dict[object, list[Callable[..., object]]] = {}
    others = garboard.nn.functional, garboard.fft, garboard.linalg, garboard.special
    for home in (garboard, *others):
        ops: list[Callable[..., object]] = []
        for name in home.__all__:
            it = getattr(home, name)
            is_op = isinstance(it, BuiltinFunctionType) and (home is not garboard or name in names)
            if (is_op or isinstance(it, _engine._Overridable)) and it not in ignored:
                ops.append(it)
                names.add(name)
        found[home] = list(dict.fromkeys(ops))
    methods = (getattr(Tensor, name, None) for name in dir(Tensor) if name.rstrip("_") in names)
    found[Tensor] = [it for it in methods if isinstance(it, MethodDescriptorType | FunctionType)]
    return found


def get_testing_overrides() -> dict[Callable[..., object], Callable[..., int]]:
    """Return a function for each whose calls classes take over: of its arguments, it gives -1.

    >>> import inspect
    >>> stub = gb.overrides.get_testing_overrides()[gb.mul]
    >>> stub(1, 2), inspect.signature(stub) == inspect.signature(gb.mul)
    (-1, True)
    """
    found = (it for functions in get_overridable_functions().values() for it in functions)
    return {it: _stub(it) for it in found}


def _stub(function: Callable[..., object]) -> Callable[..., int]:
    import inspect

    def stub(*given: object, **named: object) -> int:
        return -1

    with suppress(TypeError, ValueError):  # it tells no signature
        vars(stub)["__signature__"] = inspect.signature(function)
    return stub


def has_torch_function_variadic(*relevant_args: object) -> bool:
    """Tell the same of arguments that are given one by one.

    Args:
        relevant_args: What a function was called with.

    >>> gb.overrides.has_torch_function_variadic(gb.ones(1), 2)
    False
    """
    return bool(_classes(relevant_args))


has_torch_function_unary: Callable[..., bool] = has_torch_function_variadic

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
