"""Parameters computed from others whenever they are read: symmetric, of norm 1, orthogonal.

The module gets a class of its own, in which the parameter's name is a property: it computes what
`module.parametrizations.name` says from what is learned instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, NoReturn, TypeVar

from garboard._arguments import check
from garboard._arguments.errors import ChoiceError, MissingMethodError, ResultError
from garboard._arguments.texts import shown
from garboard._contexts.blocks import block
from garboard._contexts.grad_mode import no_grad
from garboard._engine import GarboardError, ShapeError, Tensor
from garboard.nn.containers import ModuleList
from garboard.nn.keyed import ModuleDict
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

_M = TypeVar("_M", bound=Module)

# What `cached` has computed so far, by what computes it; None outside.
_computed: ContextVar[dict[Module, Tensor] | None] = ContextVar("_computed", default=None)


@block
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once in a block, however often it is read.

    For weights that a recurrent network reads at each step. What is learned must not change inside.

    Returns:
        A context manager.

    >>> class Symmetric(gb.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = gb.nn.Linear(3, 3)
    >>> _ = gb.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> with gb.nn.utils.parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    outer = _computed.get()
    try:
        _computed.set({} if outer is None else outer)
        yield
    finally:
        _computed.set(outer)


def _inverse(module: Any, made: Any) -> Any:
    """What a module makes its argument of; the argument where that cannot be told."""
    try:
        return module.right_inverse(made)
    except NotImplementedError as error:  # as are refusals of dtypes and devices
        if isinstance(error, GarboardError) and not isinstance(error, ChoiceError):
            raise
        return made


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in order, and what is learned instead of it.

    `original` is that; where the last parametrization is made of several tensors, they are
    `original0`, `original1` and so on. Calling the list computes the tensor.

    Args:
        modules: The parametrizations: modules that are called with a tensor and return one.
        original: The tensor that they stand for.
        unsafe: Let sizes and dtype change.

    Raises:
        TypeError: A `right_inverse` that returns neither a tensor nor several of them.

    >>> layer = gb.nn.utils.parametrizations.weight_norm(gb.nn.Linear(3, 2))
    >>> layer.get_parameter("parametrizations.weight.original0").shape
    (2, 1)
    """

    def __init__(self, modules: list[Module], original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe: bool = check.flag("ParametrizationList", "unsafe", unsafe)
        made: Any = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    made = _inverse(module, made)
        self.is_tensor: bool = isinstance(made, Tensor)
        self.ntensors: int = 1
        learns = isinstance(original, Parameter)
        if self.is_tensor:
            self._own("original", original if made is original else made, learns, original)
            return
        if not isinstance(made, (list, tuple)) or not all(isinstance(it, Tensor) for it in made):
            raise ResultError(
                f"register_parametrization: right_inverse() returns what is of type "
                f"{type(made).__name__}; a Tensor, or a tuple of them, is needed"
            )
        self.ntensors = len(made)
        for place, one in enumerate(made):
            self._own(f"original{place}", one, learns, original)

    def _own(self, name: str, tensor: Tensor, learns: bool, original: Tensor) -> None:
        if not learns:
            self.register_buffer(name, tensor)
            return
        if not isinstance(tensor, Parameter):
            has_slope = tensor.is_floating_point() or tensor.is_complex()
            asks = original.requires_grad and has_slope
            tensor = Parameter(tensor.detach().contiguous(), asks)
        self.register_parameter(name, tensor)

    def originals(self) -> list[Tensor]:
        """Return what is learned.

        Returns:
            A list of tensors, one unless a parametrization is made of several.

        >>> kind = gb.nn.utils.parametrize.ParametrizationList
        >>> len(kind([gb.nn.Identity()], gb.ones(2)).originals())
        1
        """
        if self.is_tensor:
            return [vars(self)["original"]]
        return [getattr(self, f"original{place}") for place in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Let `value` be what is computed: what assigning to the parametrized tensor does.

        Args:
            value: Of the tensor's sizes.

        Raises:
            TypeError: A parametrization has no `right_inverse`, which is a RuntimeError too, or
                `value` is no Tensor.

        >>> layer = gb.nn.utils.parametrizations.weight_norm(gb.nn.Linear(2, 1))
        >>> setattr(layer, "weight", gb.tensor([[3.0, 4.0]]))
        >>> layer.get_parameter("parametrizations.weight.original0").item()
        5.0
        """
        check.tensor("right_inverse", "value", value)
        with no_grad():
            made: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise MissingMethodError(
                        f"right_inverse: {type(module).__name__} cannot be inverted; a method "
                        "right_inverse() is needed, to assign to what it computes"
                    )
                made = module.right_inverse(made)
            several = [made] if isinstance(made, Tensor) else made
            for own, one in zip(self.originals(), several, strict=True):
                own.copy_(one)

    def forward(self) -> Tensor:
        first, *others = self
        made: Tensor = first(*self.originals())
        for module in others:
            made = module(made)
        return made

    def __call__(self) -> Tensor:
        made: Tensor = super().__call__()
        return made


def register_parametrization(
    module: _M, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> _M:
    """Compute a parameter or buffer of a module by a parametrization, whenever it is read.

    `parametrization` is called with what is learned, and returns what the module reads. Where it
    has a method `right_inverse`, that is called with the tensor of now, and returns what is learned
    from now on; one that returns several tensors makes all of them arguments of the
    parametrization. Several registered on one tensor are computed in their order.

    Args:
        module: Whose tensor it is.
        tensor_name: The parameter's or buffer's name.
        parametrization: A module that is called with a tensor and returns one.
        unsafe: Let sizes and dtype change, and do not compute it once to see whether it works.

    Returns:
        `module`, whose class is a new one from now on, of the same name with "Parametrized" before.

    Raises:
        ValueError: The module has no such parameter or buffer.
        ShapeError: Unless `unsafe`, the sizes change.
        TypeError: Unless `unsafe`, the dtype changes or no tensor is returned; or an argument is of
            a wrong type.

    >>> class Symmetric(gb.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = gb.nn.Linear(3, 3)
    >>> _ = gb.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> gb.allclose(layer.weight, layer.weight.T)
    True
    """
    op = "register_parametrization"
    check.of_type(Module, op, "module", module)
    check.of_type(Module, op, "parametrization", parametrization)
    name = check.text(op, "tensor_name", tensor_name)
    is_unsafe = check.flag(op, "unsafe", unsafe)
    parametrization.train(module.training)
    if is_parametrized(module, name):
        _add(module, name, parametrization, is_unsafe)
        return module
    role = module._roles.get(name)
    original = vars(module).get(name)
    if role not in ("parameter", "buffer", "transient buffer") or not isinstance(original, Tensor):
        there = [one for one, it in module._roles.items() if it != "module"]
        raise ValueError(
            f"{op}: {type(module).__name__} has no tensor {shown(name)}; there are "
            f"[{', '.join(map(shown, there[:20]))}]"
        )
    computing = ParametrizationList([parametrization], original, is_unsafe)
    if not is_unsafe:
        _check_alike(op, original, computing())
    if not is_parametrized(module):
        _give_class(module)
        module.add_module("parametrizations", ModuleDict())
    delattr(module, name)
    _computed_tensors(module)[name] = computing
    _give_class(module)
    return module


def _computed_tensors(module: Module) -> Any:
    """A ModuleDict of ParametrizationLists, by the tensor's name."""
    return vars(module)["parametrizations"]


def _check_alike(op: str, original: Tensor, made: Any) -> None:
    if not isinstance(made, Tensor) or made.dtype != original.dtype:
        told = made.dtype if isinstance(made, Tensor) else f"of type {type(made).__name__}"
        raise ResultError(
            f"{op}: a tensor of dtype {original.dtype} becomes {told}; the same dtype is needed, "
            "or unsafe=True"
        )
    if made.shape != original.shape:
        raise ShapeError(
            f"{op}: a tensor of sizes {original.shape} becomes {made.shape}; the same sizes are "
            "needed, or unsafe=True"
        )


def _add(module: Module, name: str, parametrization: Module, is_unsafe: bool) -> None:
    """Compute one more behind those that are there."""
    computing: ParametrizationList = _computed_tensors(module)[name]
    if not is_unsafe:
        with no_grad():
            now = computing()
            made = parametrization(now)
            _check_alike("register_parametrization", now, made)
            if hasattr(parametrization, "right_inverse"):
                given = parametrization.right_inverse(made)
                if not isinstance(given, Tensor):
                    raise ResultError(
                        "register_parametrization: only the first parametrization of a tensor can "
                        f"be made of several; right_inverse() returns what is of type "
                        f"{type(given).__name__}"
                    )
                _check_alike("register_parametrization", now, given)
    computing.append(parametrization)
    computing.unsafe |= is_unsafe


def _refuse_pickling(self: Any) -> NoReturn:
    raise MissingMethodError(
        f"{type(self).__name__}: a parametrized module cannot be pickled; save its state_dict()"
    )


def _give_class(module: Module) -> None:
    """Let a module be of a class of its own, with a property for each tensor that is computed.

    A copy of a module shares its class: so none is ever changed.
    """
    plain = type_before_parametrizations(module)
    computed = vars(module).get("parametrizations", ())
    made = type(
        f"Parametrized{plain.__name__}",
        (plain,),
        {
            "__getstate__": _refuse_pickling,
            "_copies_its_dict": True,
            "__module__": plain.__module__,
            "_plain_class": plain,
            **{name: _property(name) for name in computed},
        },
    )
    module.__class__ = made


def _property(name: str) -> property:
    def read(self: Any) -> Tensor:
        computing: ParametrizationList = vars(self)["parametrizations"][name]
        known = _computed.get()
        if known is None:
            return computing()
        found = known.get(computing)
        if found is None or found.is_disposed:
            found = known[computing] = computing()
        return found

    def write(self: Any, value: Tensor) -> None:
        vars(self)["parametrizations"][name].right_inverse(value)

    return property(read, write)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Tell whether a module, or a tensor of it, is parametrized.

    Args:
        module: The module.
        tensor_name: The tensor's name; None for any.

    Returns:
        A bool.

    Raises:
        TypeError: An argument of a wrong type.

    >>> gb.nn.utils.parametrize.is_parametrized(gb.nn.Linear(2, 1))
    False
    """
    op = "is_parametrized"
    there = vars(check.of_type(Module, op, "module", module)).get("parametrizations")
    if not isinstance(there, ModuleDict) or not hasattr(type(module), "_plain_class"):
        return False
    return (
        len(there) > 0
        if tensor_name is None
        else check.text(op, "tensor_name", tensor_name) in there
    )


def type_before_parametrizations(module: Module) -> type:
    """Return the class that a module had before anything of it was parametrized.

    Args:
        module: The module, parametrized or not.

    Returns:
        A class.

    Raises:
        TypeError: `module` is no Module.

    >>> layer = gb.nn.utils.parametrizations.weight_norm(gb.nn.Linear(3, 2))
    >>> gb.nn.utils.parametrize.type_before_parametrizations(layer) is gb.nn.Linear
    True
    """
    check.of_type(Module, "type_before_parametrizations", "module", module)
    plain: type = getattr(type(module), "_plain_class", type(module))
    return plain


def remove_parametrizations(module: _M, tensor_name: str, leave_parametrized: bool = True) -> _M:
    """Let a tensor be an ordinary parameter or buffer again.

    Args:
        module: The module.
        tensor_name: The tensor's name.
        leave_parametrized: It is what was computed; else what was learned, of one tensor alone.

    Returns:
        `module`, of its old class where no other tensor of it is parametrized.

    Raises:
        ValueError: The tensor is not parametrized, or made of several and not to be left so.
        TypeError: An argument of a wrong type.

    >>> layer = gb.nn.utils.parametrizations.weight_norm(gb.nn.Linear(3, 2))
    >>> _ = gb.nn.utils.parametrize.remove_parametrizations(layer, "weight")
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'weight']
    """
    op = "remove_parametrizations"
    check.of_type(Module, op, "module", module)
    name = check.text(op, "tensor_name", tensor_name)
    leaves = check.flag(op, "leave_parametrized", leave_parametrized)
    if not is_parametrized(module, name):
        raise ValueError(f"{op}: {shown(name)} of {type(module).__name__} is not parametrized")
    computing: ParametrizationList = _computed_tensors(module)[name]
    originals = computing.originals()
    learns = isinstance(originals[0], Parameter)
    if not computing.is_tensor and not leaves:
        raise ValueError(
            f"{op}: {shown(name)} is computed from {len(originals)} tensors; leave_parametrized is "
            "needed"
        )
    kept = originals[0]
    if leaves:
        with no_grad():
            made = computing()
            is_alike = made.shape == kept.shape and made.dtype == kept.dtype
            if computing.is_tensor and is_alike:
                kept.copy_(made)  # the same object: an optimizer that knows it goes on
            else:
                asks = any(one.requires_grad for one in originals)
                kept = Parameter(made.detach(), asks) if learns else made.detach()
    del _computed_tensors(module)[name]
    if len(_computed_tensors(module)):
        _give_class(module)
    else:
        delattr(module, "parametrizations")
        module.__class__ = type_before_parametrizations(module)
    if learns:
        assert isinstance(kept, Parameter)
        module.register_parameter(name, kept)
    else:
        module.register_buffer(name, kept)
    return module
