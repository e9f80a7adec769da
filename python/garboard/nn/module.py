"""Modules: trees of parameters and buffers with a function, `forward`, over them."""

from __future__ import annotations

from builtins import type as type_of  # a name that Module gives a method
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import printable
from garboard._engine import Tensor
from garboard._names.missing import refuse_missing
from garboard._ops.dtypes import type_meant
from garboard.nn._module import _convert
from garboard.nn._module._asked import ask_own_getattr
from garboard.nn._module._copied import copied_by_its_state, says_its_state
from garboard.nn._module._home import dense_in
from garboard.nn._module._hooked import TABLES
from garboard.nn._module._registered import KINDS, lend_views, take_state
from garboard.nn._module._signature import CallSignature
from garboard.nn._module._stateful import Stateful
from garboard.nn._module._tree import Tree
from garboard.nn._module._uncompiled import is_uncompiled, uncompiled
from garboard.nn._module._walk import too_deep
from garboard.nn.parameter import clear_gradients

if TYPE_CHECKING:
    from garboard._arguments.layouts import memory_format
    from garboard.types import Device, DType

__all__ = ["Module"]

# What no copy of a module has in common with it: the scope of its birth, and views of itself.
_OF_ONE = ("_home", *KINDS)


class Module(Stateful):
    """Base of all networks and their parts; a subclass defines `forward`.

    Type checkers know no relation between `forward` and a call, which to them gives Any. A subclass
    tells them by `def __call__(self, x: Tensor) -> Tensor: ...` under `if TYPE_CHECKING:`.

    A `Parameter` or a Module becomes part of the module by being assigned to an attribute; a tensor
    becomes a buffer by `register_buffer`. The module remembers the dispose scope it was born in,
    and takes what is registered on it out of scopes inside that one: a module built outside a scope
    survives it with all its parameters, buffers and gradients, and one built inside ends with it.

    Args:
        *args: Nothing; where the class says `call_super_init = True`, for the bases behind Module.
        **kwargs: The same by name.

    Raises:
        TypeError: Something is given that nothing takes.

    >>> class Scale(gb.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = gb.nn.Parameter(gb.tensor(2.0))
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> Scale()(gb.ones(2)).tolist()
    [2.0, 2.0]
    """

    training: bool

    dump_patches: bool = False  # older programs ask; files tell their versions anyway
    call_super_init: bool = False  # whether __init__ passes on to the bases behind Module

    def __init__(self, *args: object, **kwargs: object) -> None:
        if "_roles" in vars(self):
            self._forget()
        super().__init__()
        vars(self)["training"] = True
        if self.call_super_init:
            super(Tree, self).__init__(*args, **kwargs)
        elif args or kwargs:
            given = f"{len(args)} arguments, {len(kwargs)} of them by name"
            raise TypeError(f"{type(self).__name__}.__init__: {given}; Module takes none")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's output; what calling the module calls, between its hooks.

        Args:
            *args: What the module is called with.
            **kwargs: Likewise, by name.

        Returns:
            What a subclass computes.

        Raises:
            NotImplementedError: The subclass has no `forward`.

        >>> gb.nn.ReLU().forward(gb.tensor([-1.0, 2.0]))
        tensor([0., 2.])
        """
        raise NotImplementedError(
            f"{type(self).__name__}: forward() is missing; a Module that is called defines it"
        )

    # State

    def train(self, mode: bool = True) -> Self:
        """Set `training` here and in every module below: dropout acts while it is True.

        Args:
            mode: What to set it to.

        Returns:
            This module.

        Raises:
            ValueError: `mode` is no bool.

        >>> gb.nn.Dropout().train(False)(gb.ones(2))
        tensor([1., 1.])
        """
        if not isinstance(mode, bool):
            raise ValueError(f"train: mode is of type {type(mode).__name__}; a bool is needed")
        parts = list(self.modules())
        if any(
            type(part).train is not Module.train for part in parts[1:]
        ):  # one that freezes itself, say
            self.training, parts = mode, []
            for child in self.children():
                child.train(mode)
        for part in parts:
            part.training = mode
        return self

    def eval(self) -> Self:
        """Clear `training`, as `train(False)`.

        Returns:
            This module.

        >>> gb.nn.Dropout().eval()(gb.ones(2))
        tensor([1., 1.])
        """
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Ask, or no longer ask, for the gradients of all parameters.

        Args:
            requires_grad: Whether to ask.

        Returns:
            This module.

        >>> gb.nn.Linear(2, 1).requires_grad_(False)(gb.ones(2)).requires_grad
        False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters, or write zeros into them.

        Args:
            set_to_none: True drops them, and with them their memory.

        >>> layer = gb.nn.Linear(2, 1)
        >>> layer(gb.ones(2)).sum().backward()
        >>> layer.zero_grad()
        >>> print(layer.weight.grad)
        None
        """
        for parameter in self.parameters():
            clear_gradients(parameter, set_to_none)

    def to(
        self,
        device: Device | DType | Tensor | None = None,
        dtype: DType | None = None,
        non_blocking: bool = False,
        *,
        memory_format: memory_format | None = None,
    ) -> Self:
        """Convert parameters and buffers to a device, a dtype, or both.

        A dtype is taken on by floating tensors alone. A parameter stays the tensor that it is, and
        takes over the new elements and gradient: an optimizer made before trains it on. (What an
        optimizer has gathered of it by then stays where it was.) A buffer is replaced.

        Args:
            device: Where to; or the dtype, where it is given alone; or a tensor that has both.
            dtype: A floating dtype.
            non_blocking: True: a transfer from pinned memory is queued and not waited for.
            memory_format: Changes nothing: there is one layout.

        Returns:
            This module.

        Raises:
            DTypeError: A dtype that is not floating.
            DeviceError: The device is not there.
            TypeError: `memory_format` is none.

        >>> gb.nn.Linear(2, 1).to(gb.float64).weight.dtype
        garboard.float64
        """
        if isinstance(device, Tensor):
            dtype, device = device.dtype, device.device
        if isinstance(dtype, bool):  # to(float64, non_blocking)
            dtype, non_blocking = None, dtype
        check.flag("to", "non_blocking", non_blocking)
        if memory_format is not None:
            check.memory_format("to", memory_format)
        return _convert.convert(self, device, dtype, non_blocking)

    def type(self, dst_type: DType | type_of | str) -> Self:
        """Convert floating parameters and buffers to a dtype, as `to` does.

        Args:
            dst_type: A floating dtype; or a type of tensors, as `gb.FloatTensor`, or its name,
                which says where they go besides.

        Returns:
            This module.

        Raises:
            DTypeError: A dtype that is not floating, or an unknown name.
            DeviceError: The type's device is not there.
            TypeError: What is given is no dtype.

        >>> gb.nn.Linear(2, 1).type(gb.float64).weight.dtype
        garboard.float64
        """
        where, dtype = type_meant(dst_type)
        return _convert.convert(self, where, dtype)

    def to_empty(self, *, device: Device | None, recurse: bool = True) -> Self:
        """Give parameters and buffers elements on a device, which may be anything.

        Parameters stay the tensors that they are, and lose their gradients.

        Args:
            device: Where to; None for where they are.
            recurse: Go into the modules below.

        Returns:
            This module.

        Raises:
            DeviceError: The device is not there.
            TypeError: `recurse` is no bool.

        >>> gb.nn.Linear(2, 1).to_empty(device="cpu").weight.shape
        (1, 2)
        """
        return _convert.emptied(self, device, check.flag("to_empty", "recurse", recurse))

    def float(self) -> Self:
        """Convert floating parameters and buffers to float32, as `to` does.

        Returns:
            This module.

        >>> gb.nn.Linear(2, 1, dtype=gb.float64).float().weight.dtype
        garboard.float32
        """
        return _convert.convert(self, None, _engine.float32)

    def half(self) -> Self:
        """Convert floating parameters and buffers to float16, as `to` does.

        Returns:
            This module.

        >>> gb.nn.Linear(2, 1).half().weight.dtype
        garboard.float16
        """
        return _convert.convert(self, None, _engine.float16)

    def bfloat16(self) -> Self:
        """Convert floating parameters and buffers to bfloat16, as `to` does.

        Returns:
            This module.

        >>> gb.nn.Linear(2, 1).bfloat16().weight.dtype
        garboard.bfloat16
        """
        return _convert.convert(self, None, _engine.bfloat16)

    def double(self) -> Self:
        """Convert floating parameters and buffers to float64, as `to` does.

        Returns:
            This module.

        >>> gb.nn.Linear(2, 1).double().weight.dtype
        garboard.float64
        """
        return _convert.convert(self, None, _engine.float64)

    def cpu(self) -> Self:
        """Bring parameters and buffers to the CPU, as `to` does.

        Returns:
            This module.

        >>> gb.nn.Linear(2, 1).cpu().weight.device.type
        'cpu'
        """
        return _convert.convert(self, "cpu", None)

    def cuda(self, device: int | Device | None = None) -> Self:
        """Bring parameters and buffers to a CUDA device, as `to` does.

        Args:
            device: Its number, or the device; the first by default.

        Returns:
            This module.

        Raises:
            DeviceError: The device is not there.

        >>> if gb.cuda.is_available():
        ...     assert gb.nn.Linear(2, 1).cuda().weight.is_cuda
        """
        if device is None or isinstance(device, int):
            return _convert.convert(self, check.numbered_device("cuda", device), None)
        return _convert.convert(self, device, None)

    def compile(self, *given: object, **named: object) -> None:
        """Run chains of elementwise ops as one in each call, as `gb.compile` says.

        Args:
            given: PyTorch's, without effect.
            named: Likewise.

        >>> model = gb.nn.Sequential(gb.nn.Sigmoid(), gb.nn.Tanh())
        >>> model.compile(mode="max-autotune")
        >>> model(gb.zeros(1))
        tensor([0.4621])
        """
        self._fuse_calls()

    # Life

    def dispose(self) -> None:
        """End parameters, their gradients, and buffers, here and below. Idempotent.

        `with module:` does it at the end of the block.

        >>> layer = gb.nn.Linear(2, 1)
        >>> layer.dispose()
        >>> layer.weight.is_disposed
        True
        """
        for parameter in self.parameters():
            _convert.end_parameter(parameter)
        for buffer in self.buffers():
            for part in dense_in(buffer):
                part.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type_of[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.dispose()

    def __copy__(self) -> Self:
        """Copy the module over the same tensors, submodules and hooks, to register apart."""
        from copy import copy

        if says_its_state(type(self), Module):
            made: Self = copied_by_its_state(self, None, _OF_ONE)
            return made
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        for name in ("_roles", *TABLES):
            if name in vars(self):
                vars(copied)[name] = copy(vars(self)[name])
        lend_views(copied)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the tree with tensors of its own, born in the scope that is open now."""
        from copy import deepcopy

        if says_its_state(type(self), Module):
            made: Self = copied_by_its_state(self, memo, _OF_ONE)
            return made
        copied = type(self).__new__(type(self))
        check.of_type(dict, "deepcopy", "memo", memo)[id(self)] = copied
        own = vars(copied)
        own["_home"] = _engine.current_dispose_scope()
        for name, value in vars(self).items():
            if name not in _OF_ONE:
                own[name] = deepcopy(value, memo)
        lend_views(copied)
        return copied

    def __dir__(self) -> list[str]:
        """Names that can stand behind a dot, which numbers of a row cannot."""
        return sorted(name for name in object.__dir__(self) if not name[:1].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all but the scope of birth, which no other process has, and views.

        A class with a `__getstate__` of its own finds dicts for these, and may change them.
        """
        own = vars(self)
        state = {name: value for name, value in own.items() if name not in _OF_ONE}
        if type(self).__getstate__ is not Module.__getstate__:
            state |= {name: own[name].copy() for name in KINDS}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        take_state(self, check.of_type(dict, "Module.__setstate__", "state", state))
        vars(self)["_home"] = _engine.current_dispose_scope()

    if not TYPE_CHECKING:  # to a type checker it would be every name
        __signature__ = CallSignature()

        def __getattr__(self, name: str) -> Any:  # programs call it; a miss says again what it said
            if name in vars(self).get("_roles", ()) and name in vars(self):
                return vars(self)[name]  # behind a property of that name which found nothing
            if name == "_orig_mod" and self._is_fused and not is_uncompiled(self):
                return uncompiled(self)
            refuse_missing(self, "nn.Module", name)
            return object.__getattribute__(self, name)

        def __init_subclass__(cls, **options: Any) -> None:
            super().__init_subclass__(**options)
            ask_own_getattr(cls, Module.__getattr__)

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """What a function finds on each module, by paths: for classes with members of their own."""
        modules = self.named_modules(prefix=prefix) if recurse else [(prefix, self)]
        seen = set()
        for path, module in modules:
            for name, member in get_members_fn(module):
                if member is None or (remove_duplicate and id(member) in seen):
                    continue
                seen.add(id(member))
                yield f"{path}.{name}" if path else name, member

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """Return what stands between the parentheses of `repr`: a subclass's settings.

        >>> gb.nn.Dropout(0.1).extra_repr()
        'p=0.1, inplace=False'
        """
        return ""

    def __repr__(self) -> str:
        given = self.extra_repr()
        if not isinstance(given, str):
            raise TypeError(
                f"{type(self).__name__}: extra_repr() returns what is of type "
                f"{type(given).__name__}; a string is needed"
            )
        lines = [printable(line) for line in given.split("\n")] if given else []
        extra = ", ".join(lines)
        try:
            children = [
                f"({printable(name)}): " + repr(vars(self)[name]).replace("\n", "\n  ")
                for name, role in self._roles.items()
                if role == "module" and name in vars(self)
            ]
        except RecursionError:
            raise too_deep("repr", self) from None
        if not children and len(lines) < 2:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*lines, *children]) + "\n)"

    def _repr_html_(self) -> str:
        from garboard.nn._module._display import module_html

        return module_html(self)
