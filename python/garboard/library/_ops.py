"""Ops of one's own: the kernel that runs, the formula of backward, the rule for batches."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._engine import DeviceError, GradientError, Tensor, is_grad_enabled
from garboard.autograd._function_ctx import open_batches
from garboard.autograd.function import Function

__all__ = ["CustomOpDef", "devices_of", "found", "no_formula", "ops", "qualified"]

_F = TypeVar("_F", bound=Callable[..., Any])

# Keys of PyTorch's dispatcher and types of devices, by the device whose tensors they are for.
_DEVICES = {"cpu": "cpu", "cuda": "cuda", "default": None, "": None}
_DEVICES |= dict.fromkeys(("compositeexplicitautograd", "compositeimplicitautograd"))
# Keys for what is never asked for here: tensors without values, and what a tracer records.
_UNUSED = ("meta", "fake", "functionalize", "python", "autocast", "autocastcpu", "autocastcuda")

ops: dict[str, CustomOpDef] = {}


def qualified(op: str, name: str) -> str:
    space, colons, last = check.text(op, "name", name).partition("::")
    last = last.partition(".")[0]  # behind it stands which of several overloads
    if not (colons and space.isidentifier() and last.isidentifier()):
        raise ValueError(f"{op}: name {shown(name)}; 'namespace::name' is needed")
    return f"{space}::{last}"


def devices_of(op: str, given: str | Sequence[str] | None) -> list[str | None]:
    names = [given] if given is None or isinstance(given, str) else list(given)
    keys = ["" if it is None else check.text(op, "device_types", it).lower() for it in names]
    for key in keys:
        if key not in _DEVICES and key not in _UNUSED and not key.startswith("autograd"):
            raise ValueError(f"{op}: {shown(key)}; 'cpu' or 'cuda' is needed")
    return [_DEVICES.get(key, key) for key in keys]


def found(op: str, name: str | CustomOpDef, *, make: bool = False) -> CustomOpDef:
    if isinstance(name, CustomOpDef):
        return name
    full = qualified(op, name)
    if full not in ops:
        if not make:
            raise ValueError(f"{op}: no op is called {shown(full)}; custom_op or define() makes it")
        ops[full] = CustomOpDef(full)
    return ops[full]


class CustomOpDef:
    """An op with a name, which `custom_op` or `define` makes.

    Args:
        name: Its name, with its namespace.

    >>> @gb.library.custom_op("docs::twice", mutates_args=())
    ... def twice(x: gb.Tensor) -> gb.Tensor:
    ...     return x * 2
    >>> twice
    <CustomOpDef(docs::twice)>
    >>> gb.ops.docs.twice(gb.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, name: str) -> None:
        self._qualname = qualified("CustomOpDef", name)
        self._namespace, _, self._name = self._qualname.partition("::")
        self.__name__: str = self._name
        self._kernels: dict[str | None, Callable[..., Any]] = {}
        self._wrapper: type[Function] | None = None
        self._rule: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    @property
    def default(self) -> CustomOpDef:
        """The op itself: a name stands for one op."""
        return self

    def register_kernel(
        self, device_types: str | Sequence[str] | None, func: _F | None = None, /
    ) -> Any:
        """Give the op what it does with tensors of a device.

        Args:
            device_types: "cpu", "cuda", several of them, or None for any.
            func: The function; without it a decorator is returned.

        Raises:
            ValueError: Another type of device.
            TypeError: `func` cannot be called.
        """
        keys = devices_of("register_kernel", device_types)

        def register(func: _F) -> _F:
            check.function("register_kernel", "func", func)
            self._kernels.update(dict.fromkeys(keys, func))
            return func

        return register if func is None else register(func)

    def register_fake(self, fn: _F, /) -> _F:
        """Return a function that would tell shapes without values: nothing here asks for it.

        Args:
            fn: The function. Also by decorating it.

        Raises:
            TypeError: It cannot be called.
        """
        given: _F = check.function("register_fake", "fn", fn)
        return given

    def register_vmap(self, func: _F | None = None, /) -> Any:
        """Give the op what it does inside of `vmap`; without it, it is called for each sample.

        Args:
            func: Called with an `info`, which has a `batch_size` and a `randomness`, a dim of the
                samples for each argument given by place, or None, and the arguments; it returns
                the output and the dim of the samples in it. Also by decorating it.

        Raises:
            TypeError: It cannot be called.
        """

        def register(func: _F) -> _F:
            self._rule = check.function("register_vmap", "func", func)
            return func

        return register if func is None else register(func)

    def register_autograd(
        self,
        backward: Callable[..., Any],
        /,
        *,
        setup_context: Callable[..., Any] | None = None,
    ) -> None:
        """Give the op the formula of its gradient.

        Args:
            backward: Called with a context and a gradient for each output; it returns a gradient,
                or None, for each argument, but for those that have to be named.
            setup_context: Called with the context, the arguments and the output, to save what
                `backward` needs; where arguments have to be named, by names: `ctx`, `inputs`,
                `keyword_only_inputs`, a dict of those, and `output`.

        Raises:
            TypeError: A function cannot be called.
        """
        check.function("register_autograd", "backward", backward)
        if setup_context is not None:
            check.function("register_autograd", "setup_context", setup_context)

        def forward(ctx: Any, *given: Any, **named: Any) -> Any:
            output = self._run(_detached(given), named)
            if setup_context is not None and named:
                setup_context(ctx=ctx, inputs=given, keyword_only_inputs=named, output=output)
            elif setup_context is not None:
                setup_context(ctx, given, output)
            return output

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        self._wrapper = type(self._name, (Function,), members)

    def _run(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        tensors = (it for it in (*given, *named.values()) if is_really(it, Tensor))
        device = next((it.device.type for it in tensors), None)
        kernel = self._kernels.get(device) or self._kernels.get(None)
        if kernel is None and device is None and self._kernels:  # makes tensors from none
            kernel = next(iter(self._kernels.values()))
        if kernel is None:
            text = f"custom_op: {shown(self._qualname)} for {device or 'no tensor'}"
            raise DeviceError(f"{text}; no kernel is there, register_kernel() gives it one")
        return kernel(*given, **named)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Run the kernel for the device of the first tensor that is given.

        Raises:
            DeviceError: There is none.
            GradientError: A tensor that has to be named requires grad.
        """
        for batch in reversed(open_batches.get()):
            if batch.has_samples(given, named):
                if self._rule is not None:
                    given, named = self._in_order(given, named)
                return batch.computed(self, self._rule, given, named)
        differentiable = is_grad_enabled() and any(
            is_really(it, Tensor) and it.requires_grad for it in (*given, *named.values())
        )
        if not differentiable:
            values = dict(zip(named, _detached(tuple(named.values())), strict=True))
            return self._run(_detached(given), values)
        if self._wrapper is None:
            return self._run(given, named)
        given, named = self._in_order(given, named)
        for name, it in named.items():
            if is_really(it, Tensor) and it.requires_grad:
                raise GradientError(
                    f"custom_op: {shown(name)} of {shown(self._qualname)} has to be named and "
                    "requires grad; one given by place, or without grad, is needed"
                )
        return self._wrapper.apply(*given, **named)

    def _in_order(
        self, given: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments by place, with what was left out, and those that have to be named."""
        kernel = next(iter(self._kernels.values()))
        bound = inspect.signature(kernel).bind(*given, **named)
        bound.apply_defaults()
        return bound.args, bound.kwargs


def _detached(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a kernel is given: it stands below the graph, and may ask tensors for arrays."""
    return tuple(
        [it.detach() if is_really(it, Tensor) and it.requires_grad else it for it in given]
    )


def no_formula(full: str) -> Callable[..., Any]:
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise GradientError(
            f"custom_op: {shown(full)} has no formula; register_autograd() gives it one"
        )

    return backward
