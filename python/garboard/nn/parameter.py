"""Parameters: leaf tensors that a module registers when they are assigned to it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, Self, SupportsIndex

from garboard._arguments import check
from garboard._arguments.classes import class_of
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really, is_sparse
from garboard._engine import Tensor, _disabled_torch_function_impl, empty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from garboard.types import Device, DType

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "clear_gradients",
    "is_lazy",
]


# What can be asked of parameters and buffers whose sizes are not known yet. The rest is refused.
_ASKED = """
alias bfloat16 char copy_ cpu cuda data device dispose double dtype float get_device grad grad_fn
half int is_complex is_cpu is_cuda is_disposed is_floating_point is_leaf is_meta is_quantized
is_sparse itemsize layout long names ndim register_hook register_post_accumulate_grad_hook
requires_grad requires_grad_ retains_grad short size to type
"""
_WITHOUT_SIZES = frozenset(_ASKED.split())
_OPERATORS = """
add sub mul truediv floordiv mod pow matmul and or xor lshift rshift eq ne lt le gt ge len getitem
setitem iter contains neg pos abs invert bool int float complex index array radd rsub rmul rtruediv
rfloordiv rmod rpow rmatmul iadd isub imul itruediv
"""


# What gives another handle on the same tensor where there is nothing to change.
_CHANGING = "bfloat16 contiguous cpu cuda double float half long positive to to_dense type type_as"


class _ParameterMeta(type):
    """Has an object of another class made of Tensor be a Parameter, where it was made into one."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return (
            cls is Parameter
            and is_really(instance, Tensor)
            and getattr(instance, "_is_param", False) is True
        )


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A leaf tensor that becomes a module's parameter by being assigned to an attribute of it.

    It shares `data`'s storage, without history: what is written into one is seen in the other.
    Made inside a dispose scope, it belongs to that scope until a module owns it.

    Of an object of a class made of Tensor it is another object of that class, which is told to be
    a Parameter: what is computed from it is of that class, too.

    Args:
        data: A tensor of any shape; a floating one where a gradient is asked for. An empty
            float32 tensor by default.
        requires_grad: Ask for a gradient.

    Raises:
        GradientError: `requires_grad` for a dtype that has no gradients.
        TypeError: `data` is sparse.
        DisposedError: `data` has ended.

    >>> weight = gb.nn.Parameter(gb.zeros(2))
    >>> weight.requires_grad, isinstance(weight, gb.Tensor)
    (True, True)
    """

    __torch_function__ = _disabled_torch_function_impl  # what is computed from one is a Tensor

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        if is_really(data, Tensor) and (
            class_of(data) is not Tensor or not getattr(data, "_gives_its_class", True)
        ):
            made: Self = _of_its_class(data, requires_grad)
            return made
        if is_sparse(data):
            raise TypeError(
                "Parameter: a sparse tensor; take to_dense(), or register x.requires_grad_() as a "
                "buffer"
            )
        parameter = Tensor.__new__(cls) if data is None else Tensor.__new__(cls, data)
        parameter.requires_grad_(requires_grad)
        return parameter

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the elements into a parameter of its own; the gradient is not copied."""
        if id(self) not in check.of_type(dict, "deepcopy", "memo", memo):
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        copied: Self = memo[id(self)]
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def _unless_changed(name: str) -> Any:
    """The method, which gives the parameter itself where nothing changes: a module can take it."""
    plain = getattr(Tensor, name)

    @wraps(plain)
    def method(self: Parameter, *given: Any, **named: Any) -> Any:
        made = plain(self, *given, **named)
        is_another = is_really(made, Tensor) and type(made) is not type(self)
        return self if is_another and made._cdata == self._cdata else made

    return method


for _name in _CHANGING.split():
    setattr(Parameter, _name, _unless_changed(_name))


def _of_its_class(data: Tensor, requires_grad: bool) -> Any:
    """A Parameter of the class of `data`, as `detach` gives it."""
    made: Any = data.detach()
    if type(made) is not type(data):
        raise ArgumentError(
            f"Parameter: data of type {type(data).__name__}, whose detach() gives "
            f"{type(made).__name__}; a detach() of its own class is needed"
        )
    made.requires_grad_(requires_grad)
    vars(made)["_is_param"] = True
    return made


class Buffer(Tensor):
    """A tensor that becomes a module's buffer by being assigned to an attribute of it.

    It shares `data`'s storage, without history. What `register_buffer` does, said by assigning.

    Args:
        data: A tensor of any shape and dtype. An empty float32 tensor by default.
        persistent: Save it in `state_dict()`.

    Raises:
        DisposedError: `data` has ended.
        TypeError: `persistent` is no bool.

    >>> module = gb.nn.Module()
    >>> module.mean = gb.nn.Buffer(gb.zeros(2))
    >>> list(module.state_dict())
    ['mean']
    """

    persistent: bool
    __torch_function__ = _disabled_torch_function_impl

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        is_saved = check.flag("Buffer", "persistent", persistent)
        buffer = Tensor.__new__(cls) if data is None else Tensor.__new__(cls, data)
        buffer.persistent = is_saved
        return buffer

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the elements into a buffer of its own."""
        if id(self) not in check.of_type(dict, "deepcopy", "memo", memo):
            memo[id(self)] = type(self)(self.detach().clone(), persistent=self.persistent)
        copied: Self = memo[id(self)]
        return copied


class UninitializedTensorMixin:
    """What parameters and buffers are whose sizes are not known yet.

    What needs them, or elements, raises: methods, operators, `shape` and `len()`. Moving one,
    `requires_grad` and a state dict with it need none.

    Raises:
        ArgumentError: Something needs sizes; it is a RuntimeError and a ValueError.

    >>> from garboard.nn.parameter import UninitializedTensorMixin
    >>> isinstance(gb.nn.LazyLinear(2).weight, UninitializedTensorMixin)
    True
    """

    if not TYPE_CHECKING:  # which would take any name for one that is there

        def __getattribute__(self, name: str) -> object:
            if not name.startswith("_") and name not in _WITHOUT_SIZES and hasattr(Tensor, name):
                _refuse_unknown(type(self), name)
            return super().__getattribute__(name)

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Iterable[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Refuse functions of the package, and methods asked of Tensor, likewise."""
        name = getattr(func, "__name__", str(func))
        if name not in _WITHOUT_SIZES and name != "detach" and not name.startswith("__"):
            _refuse_unknown(cls, name)
        return _disabled_torch_function_impl(func, types, args, kwargs or {})

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[type, tuple[object, ...]]:
        this: Any = self
        if not is_really(self, Tensor):
            return type(self), ()
        return type(self), (this.requires_grad, str(this.device), this.dtype)


def _refuse_unknown(waiting: type, name: str) -> NoReturn:
    """Say how to come to know the sizes."""
    raise ArgumentError(
        f"{name}: the sizes of an {waiting.__name__} are not known yet; call the module with "
        "an input first, or materialize() it"
    )


def _refusing(name: str) -> Any:
    def refuse(self: object, *given: object) -> NoReturn:
        _refuse_unknown(type(self), name)

    return refuse


for _name in _OPERATORS.split():  # which Python looks up in the class
    setattr(UninitializedTensorMixin, f"__{_name}__", _refusing(f"__{_name}__"))
UninitializedTensorMixin.__hash__ = Tensor.__hash__  # type: ignore[method-assign, assignment]


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose sizes are not known yet: that of a lazy layer before its first call.

    It has no elements. It becomes a Parameter when the layer is called, and stays the same object,
    so that optimizers may be made before that.

    Args:
        requires_grad: Whether the parameter will ask for a gradient.
        device: Where it will lie, the CPU by default.
        dtype: Its dtype, float32 by default.

    Raises:
        TypeError: `requires_grad` is no bool.

    >>> layer = gb.nn.LazyLinear(2)
    >>> layer.weight
    <UninitializedParameter>
    >>> _ = layer(gb.ones(1, 3))
    >>> layer.weight.shape
    (2, 3)
    """

    def __new__(
        cls,
        requires_grad: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> Self:
        asks = check.flag("UninitializedParameter", "requires_grad", requires_grad)
        return super().__new__(cls, empty(0, device=device, dtype=dtype), asks)

    def converted(self, device: Device, dtype: DType) -> Self:
        """Return another one, elsewhere or in another dtype.

        Args:
            device: Where the parameter will lie.
            dtype: Its dtype.

        >>> gb.nn.UninitializedParameter().converted("cpu", gb.float64).dtype
        garboard.float64
        """
        return type(self)(self.requires_grad, device, dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Make another one."""
        if id(self) not in check.of_type(dict, "deepcopy", "memo", memo):
            memo[id(self)] = self.converted(self.device, self.dtype)
        copied: Self = memo[id(self)]
        return copied

    def materialize(
        self,
        shape: int | Sequence[int],
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        """Become a Parameter with sizes, whose elements are not set. It stays the same object.

        Args:
            shape: The sizes.
            device: Where it will lie; where it was meant to lie by default.
            dtype: Its dtype, the one it was made with by default.

        >>> p = gb.nn.UninitializedParameter()
        >>> p.materialize((2, 3))
        >>> type(p), p.shape
        (<class 'garboard.nn.parameter.Parameter'>, (2, 3))
        """
        sizes = check.sizes("materialize", "shape", shape)
        self._become(empty(sizes, device=device or self.device, dtype=dtype or self.dtype))

    def _become(self, made: Tensor) -> None:
        self.data = made
        self.__class__ = Parameter  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<UninitializedParameter>"


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose sizes are not known yet: that of a lazy layer before its first call.

    Args:
        requires_grad: False alone.
        device: Where it will lie, the CPU by default.
        dtype: Its dtype, float32 by default.

    Raises:
        TypeError: `requires_grad` is no bool.

    >>> gb.nn.LazyBatchNorm1d().running_mean
    <UninitializedBuffer>
    """

    persistent: bool = True

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> Self:
        check.flag("UninitializedBuffer", "requires_grad", requires_grad)
        return Tensor.__new__(cls, empty(0, device=device, dtype=dtype))

    def converted(self, device: Device, dtype: DType) -> Self:
        """Return another one, elsewhere or in another dtype.

        Args:
            device: Where the buffer will lie.
            dtype: Its dtype.

        >>> gb.nn.UninitializedBuffer().converted("cpu", gb.float64).dtype
        garboard.float64
        """
        return type(self)(False, device, dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Make another one."""
        if id(self) not in check.of_type(dict, "deepcopy", "memo", memo):
            memo[id(self)] = self.converted(self.device, self.dtype)
        copied: Self = memo[id(self)]
        return copied

    def materialize(
        self,
        shape: int | Sequence[int],
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        """Become a buffer with sizes, whose elements are not set. It stays the same object.

        Args:
            shape: The sizes.
            device: Where it will lie; where it was meant to lie by default.
            dtype: Its dtype, the one it was made with by default.

        >>> b = gb.nn.UninitializedBuffer()
        >>> b.materialize((2, 3))
        >>> isinstance(b, gb.nn.UninitializedBuffer), b.shape
        (False, (2, 3))
        """
        sizes = check.sizes("materialize", "shape", shape)
        this: Any = self
        this.data = empty(sizes, device=device or self.device, dtype=dtype or self.dtype)
        this.__class__ = Buffer
        this.persistent = True

    def __repr__(self) -> str:
        return "<UninitializedBuffer>"


def is_lazy(tensor: object) -> bool:
    """Tell whether a parameter's or buffer's sizes are not known yet.

    Args:
        tensor: Anything.

    Returns:
        A bool.

    >>> from garboard.nn.parameter import is_lazy
    >>> is_lazy(gb.nn.LazyLinear(2).weight)
    True
    """
    return isinstance(tensor, UninitializedTensorMixin)


def clear_gradients(parameter: Tensor, set_to_none: bool) -> None:
    """Drop the gradient of `parameter`, or write zeros into it, without its history.

    Args:
        parameter: A leaf, with a gradient or without.
        set_to_none: True drops it.

    Raises:
        DisposedError: The parameter is disposed.

    >>> from garboard.nn.parameter import clear_gradients
    >>> x = gb.nn.Parameter(gb.ones(2))
    >>> x.sum().backward()
    >>> clear_gradients(x, set_to_none=False)
    >>> x.grad
    tensor([0., 0.])
    """
    if set_to_none:
        parameter.grad = None
        return
    gradient = parameter.grad
    if gradient is None:
        return
    if gradient.requires_grad:  # of a pass with create_graph: zeros must not hang on that graph
        gradient.detach_().requires_grad_(False)
    gradient.zero_()
