"""Ops that programs name: functions under `namespace::name`, found again as `ops.namespace.name`.

They run as they are called, so an op is its kernel for the device, and the formula of its gradient.
What PyTorch's compiler asks of an op (shapes without values, tags) is kept and never used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import DeviceError, GradientError, Tensor, is_grad_enabled
from garboard._names.missing import module_getattr
from garboard.autograd._function_ctx import open_batches
from garboard.autograd.function import Function

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "triton_op",
]

_F = TypeVar("_F", bound=Callable[..., Any])

# Keys of PyTorch's dispatcher and types of devices, by the device whose tensors they are for.
_DEVICES = {"cpu": "cpu", "cuda": "cuda", "default": None, "": None}
_DEVICES |= dict.fromkeys(("compositeexplicitautograd", "compositeimplicitautograd"))
# Keys for what is never asked for here: tensors without values, and what a tracer records.
_UNUSED = ("meta", "fake", "functionalize", "python", "autocast", "autocastcpu", "autocastcuda")

_ops: dict[str, CustomOpDef] = {}


def _qualified(op: str, name: str) -> str:
    space, colons, last = check.text(op, "name", name).partition("::")
    last = last.partition(".")[0]  # behind it stands which of several overloads
    if not (colons and space.isidentifier() and last.isidentifier()):
        raise ValueError(f"{op}: name {shown(name)}; 'namespace::name' is needed")
    return f"{space}::{last}"


def _devices_of(op: str, given: str | Sequence[str] | None) -> list[str | None]:
    names = [given] if given is None or isinstance(given, str) else list(given)
    keys = ["" if it is None else check.text(op, "device_types", it).lower() for it in names]
    for key in keys:
        if key not in _DEVICES and key not in _UNUSED and not key.startswith("autograd"):
            raise ValueError(f"{op}: {shown(key)}; 'cpu' or 'cuda' is needed")
    return [_DEVICES.get(key, key) for key in keys]


def _found(op: str, name: str | CustomOpDef, *, make: bool = False) -> CustomOpDef:
    if isinstance(name, CustomOpDef):
        return name
    full = _qualified(op, name)
    if full not in _ops:
        if not make:
            raise ValueError(f"{op}: no op is called {shown(full)}; custom_op or define() makes it")
        _ops[full] = CustomOpDef(full)
    return _ops[full]


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
        self._qualname = _qualified("CustomOpDef", name)
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
        keys = _devices_of("register_kernel", device_types)

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
                samples for each argument, or None, and the arguments; it returns the output and
                the dim of the samples in it. Also by decorating it.

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
                or None, for each argument.
            setup_context: Called with the context, the arguments and the output, to save what
                `backward` needs.

        Raises:
            TypeError: A function cannot be called.
        """
        check.function("register_autograd", "backward", backward)
        if setup_context is not None:
            check.function("register_autograd", "setup_context", setup_context)
        members = {
            "forward": staticmethod(lambda *given: self._run(_detached(given), {})),
            "setup_context": staticmethod(setup_context or _saves_nothing),
            "backward": staticmethod(backward),
        }
        self._wrapper = type(self._name, (Function,), members)

    def _run(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        tensors = (it for it in (*given, *named.values()) if isinstance(it, Tensor))
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
        """
        for batch in reversed(open_batches.get()):
            if batch.has_samples(given, named):
                return batch.computed(self, self._rule, given, named)
        differentiable = is_grad_enabled() and any(
            isinstance(it, Tensor) and it.requires_grad for it in (*given, *named.values())
        )
        if not differentiable:
            values = dict(zip(named, _detached(tuple(named.values())), strict=True))
            return self._run(_detached(given), values)
        if self._wrapper is None:
            return self._run(given, named)
        return self._wrapper.apply(*self._in_order(given, named))

    def _in_order(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments by place, as a `Function` takes them."""
        import inspect

        kernel = next(iter(self._kernels.values()))
        bound = inspect.signature(kernel).bind(*given, **named)
        bound.apply_defaults()
        return (*bound.args, *bound.kwargs.values())


def _detached(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a kernel is given: it stands below the graph, and may ask tensors for arrays."""
    return tuple(
        [it.detach() if isinstance(it, Tensor) and it.requires_grad else it for it in given]
    )


def _saves_nothing(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    """Where a formula needs nothing of the call."""


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

    full = _qualified("custom_op", name)
    keys = _devices_of("custom_op", device_types)

    def make(fn: Callable[..., Any]) -> CustomOpDef:
        check.function("custom_op", "fn", fn)
        made = CustomOpDef(full)
        made._kernels.update(dict.fromkeys(keys, fn))
        made.__doc__ = fn.__doc__
        made.register_autograd(_no_formula(full))
        _ops[full] = made
        return made

    return make if fn is None else make(fn)


triton_op = custom_op  # PyTorch's compiler looks into these


def _no_formula(full: str) -> Callable[..., Any]:
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise GradientError(
            f"custom_op: {shown(full)} has no formula; register_autograd() gives it one"
        )

    return backward


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
    _found("define", qualname, make=True)


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
    registered = _found("impl", qualname).register_kernel(types, func)
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
    return _found("register_kernel", op).register_kernel(device_types, func)


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
        _qualified("register_fake", op)
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
    _found("register_autograd", op).register_autograd(backward, setup_context=setup_context)


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
        _found("define", f"{self.ns}::{name}", make=True)
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
        _found("impl", name, make=True).register_kernel(key, fn)


impl_abstract = register_fake

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
