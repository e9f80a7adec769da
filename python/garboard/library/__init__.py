"""Ops that programs name: functions under `namespace::name`, found again as `ops.namespace.name`.

They run as they are called, so an op is its kernel for the device, and the formula of its gradient.
What PyTorch's compiler asks of an op (shapes without values, tags) is kept and never used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._names.missing import module_getattr
from garboard.library._ops import CustomOpDef, devices_of, found, no_formula, ops, qualified

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
    "triton_op",
]


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Sequence[object] | None = None,
) -> Any:
    """Make an op of a function.

    Args:
        name: "namespace::name".
        fn: What it does. Also by decorating it.
        mutates_args: The names of arguments that it writes, for readers.
        device_types: For tensors of which devices; None for any.
        schema: PyTorch's types of its arguments, without effect.
        tags: Likewise.

    Returns:
        A `CustomOpDef`; without `fn` a decorator that makes it.

    Raises:
        ValueError: The name has no namespace, or a device is unknown.
        TypeError: `fn` cannot be called.

    >>> @gb.library.custom_op("docs::cube", mutates_args=())
    ... def cube(x: gb.Tensor) -> gb.Tensor:
    ...     return gb.from_numpy(x.numpy() ** 3)
    >>> def backward(ctx, gradient):
    ...     return gradient * 3 * ctx.saved_tensors[0] ** 2
    >>> def setup_context(ctx, inputs, output):
    ...     ctx.save_for_backward(inputs[0])
    >>> cube.register_autograd(backward, setup_context=setup_context)
    >>> x = gb.tensor([2.0], requires_grad=True)
    >>> cube(x).backward()
    >>> x.grad
    tensor([12.])
    """

    full = qualified("custom_op", name)
    keys = devices_of("custom_op", device_types)

    def make(fn: Callable[..., Any]) -> CustomOpDef:
        check.function("custom_op", "fn", fn)
        made = CustomOpDef(full)
        made._kernels.update(dict.fromkeys(keys, fn))
        made.__doc__ = fn.__doc__
        made.register_autograd(no_formula(full))
        ops[full] = made
        return made

    return make if fn is None else make(fn)


triton_op = custom_op  # PyTorch's compiler looks into these


def define(qualname: str, schema: str = "", *, lib: object = None, tags: object = ()) -> None:
    """Make an op that does nothing yet: `impl` gives it what it does.

    Args:
        qualname: "namespace::name".
        schema: PyTorch's types of its arguments, without effect.
        lib: Without effect.
        tags: Likewise.

    Raises:
        ValueError: The name has no namespace.

    >>> gb.library.define("docs::half", "(Tensor x) -> Tensor")
    >>> gb.library.impl("docs::half", "cpu", lambda x: x / 2)
    >>> gb.ops.docs.half(gb.ones(1))
    tensor([0.5000])
    """
    found("define", qualname, make=True)


def impl(
    qualname: str | Library,
    types: str | Sequence[str],
    func: Any = None,
    *,
    lib: object = None,
) -> Any:
    """Give an op what it does with tensors of a device.

    Args:
        qualname: "namespace::name"; or a `Library`, and then `types` is the name in it and `func`
            PyTorch's key of a device, "CPU" or "CUDA".
        types: "cpu", "cuda", several of them, or "default" for any.
        func: The function; without it a decorator is returned.
        lib: Without effect.

    Returns:
        The decorator, or nothing.

    Raises:
        ValueError: No op has that name, or a device is unknown.
        TypeError: `func` cannot be called.
    """
    if isinstance(qualname, Library):
        library, name, key = qualname, str(types), str(func or "")
        return lambda fn: library.impl(name, fn, key)
    registered = found("impl", qualname).register_kernel(types, func)
    return registered if func is None else None


def register_kernel(
    op: str | CustomOpDef,
    device_types: str | Sequence[str] | None,
    func: Any = None,
    /,
    *,
    lib: object = None,
) -> Any:
    """Give an op what it does with tensors of a device: `CustomOpDef.register_kernel`.

    Args:
        op: The op, or its name.
        device_types: "cpu", "cuda", several of them, or None for any.
        func: The function; without it a decorator is returned.
        lib: Without effect.

    Raises:
        ValueError: No op has that name, or a device is unknown.
    """
    return found("register_kernel", op).register_kernel(device_types, func)


def register_fake(
    op: str | CustomOpDef, func: Any = None, /, *, lib: object = None, **options: object
) -> Any:
    """Return a function that would tell an op's shapes without values: nothing asks for it.

    Args:
        op: The op, or its name; there need be none.
        func: The function; without it a decorator is returned.
        lib: Without effect.
        options: Likewise.

    Raises:
        ValueError: The name has no namespace.

    >>> gb.library.register_fake("docs::half", len) is len
    True
    """
    if not isinstance(op, CustomOpDef):
        qualified("register_fake", op)
    return (lambda fn: fn) if func is None else func


def register_autograd(
    op: str | CustomOpDef,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: object = None,
) -> None:
    """Give an op the formula of its gradient: `CustomOpDef.register_autograd`.

    Args:
        op: The op, or its name.
        backward: See there.
        setup_context: See there.
        lib: Without effect.

    Raises:
        ValueError: No op has that name.
    """
    found("register_autograd", op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op: str | CustomOpDef, func: Any = None, /, *, lib: object = None) -> Any:
    """Give an op what it does inside of `vmap`: `CustomOpDef.register_vmap`.

    Args:
        op: The op, or its name.
        func: The function; without it a decorator is returned.
        lib: Without effect.

    Returns:
        The function, or the decorator.

    Raises:
        ValueError: No op has that name.
        TypeError: `func` cannot be called.
    """
    return found("register_vmap", op).register_vmap(func)


class Library:
    """A namespace whose ops are defined and given what they do one by one.

    Args:
        ns: The namespace.
        kind: "DEF", "FRAGMENT" or "IMPL": PyTorch's, without effect.
        dispatch_key: For which device functions are that name none: "CPU", "CUDA" or "" for any.

    >>> mine = gb.library.Library("docs", "FRAGMENT")
    >>> mine.define("third(Tensor x) -> Tensor")
    'third'
    >>> mine.impl("third", lambda x: x / 3, "CPU")
    >>> gb.ops.docs.third(gb.full((1,), 3.0))
    tensor([1.])
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        self.ns: str = check.text("Library", "ns", ns)
        self.kind: str = check.choice("Library", "kind", kind, "DEF", "FRAGMENT", "IMPL")
        self.dispatch_key: str = check.text("Library", "dispatch_key", dispatch_key)

    def define(self, schema: str, alias_analysis: str = "", *, tags: object = ()) -> str:
        """Make an op that does nothing yet.

        Args:
            schema: Its name, and PyTorch's types of its arguments, which have no effect.
            alias_analysis: Without effect.
            tags: Likewise.

        Returns:
            The name.

        Raises:
            ValueError: There is no name in `schema`.
        """
        name = check.text("define", "schema", schema).partition("(")[0].strip()
        found("define", f"{self.ns}::{name}", make=True)
        return name

    def impl(
        self, op_name: str, fn: Callable[..., Any], dispatch_key: str = "", **options: object
    ) -> None:
        """Give an op what it does with tensors of a device.

        Args:
            op_name: Its name, without the namespace or with it.
            fn: The function.
            dispatch_key: "CPU", "CUDA" or "" for the library's own.
            options: PyTorch's, without effect.

        Raises:
            ValueError: A key of another kind.
            TypeError: `fn` cannot be called.
        """
        name = op_name if "::" in op_name else f"{self.ns}::{op_name}"
        key = dispatch_key or self.dispatch_key
        found("impl", name, make=True).register_kernel(key, fn)


impl_abstract = register_fake

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
