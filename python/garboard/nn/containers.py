"""Modules made of modules in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self, overload

from garboard._arguments import check
from garboard._arguments.given import keys_of, list_of
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, Tensor
from garboard.nn import functional
from garboard.nn._activations.activations import ReLU, Sigmoid, Tanh
from garboard.nn._activations.gates import Hardsigmoid, Hardswish, Mish, SiLU
from garboard.nn._activations.rectifiers import ELU, SELU, Hardtanh, LeakyReLU, ReLU6
from garboard.nn._convolutions.convolution import Conv1d, Conv2d, Conv3d
from garboard.nn._convolutions.transposed_convolution import (
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from garboard.nn._norms.channel_norms import BatchNorm1d, BatchNorm2d, BatchNorm3d
from garboard.nn._norms.normalization import GroupNorm, LayerNorm
from garboard.nn.linear import Linear
from garboard.nn.module import Module

__all__ = ["ModuleList", "Sequential"]

# Backward needs their outputs, and of what comes before them nothing.
_OVERWRITING: dict[type[Module], Callable[[Tensor], Tensor]] = {
    ReLU: Tensor.relu_,
    Sigmoid: Tensor.sigmoid_,
    Tanh: Tensor.tanh_,
}
# Told to write over what nobody else has a share of, they return a tensor of their own instead:
# for backward they would have to copy first what they write over.
_SPARED: dict[type[Module], Callable[[Any, Tensor], Tensor]] = {
    ELU: lambda layer, x: functional.elu(x, layer.alpha),
    Hardsigmoid: lambda _, x: functional.hardsigmoid(x),
    Hardswish: lambda _, x: functional.hardswish(x),
    Hardtanh: lambda layer, x: functional.hardtanh(x, layer.min_val, layer.max_val),
    LeakyReLU: lambda layer, x: functional.leaky_relu(x, layer.negative_slope),
    Mish: lambda _, x: functional.mish(x),
    ReLU6: lambda _, x: functional.relu6(x),
    SELU: lambda _, x: functional.selu(x),
    SiLU: lambda _, x: functional.silu(x),
}
# What they return nobody else has a share of, their own rules neither.
_OVERWRITTEN: frozenset[type[Module]] = frozenset(
    {
        *(Linear, Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d),
        *(BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, LayerNorm),
    }
)

# What is run of each while a program has put nothing else in its place, as a mock or a tracer does.
_CALL = Module.__call__
_FORWARDS: dict[type[Module], Callable[..., Any]] = {
    kind: kind.forward for kind in (*_OVERWRITING, *_SPARED, *_OVERWRITTEN)
}


def _are_as_they_were(a: type[Module], b: type[Module]) -> bool:
    return (
        a.forward is _FORWARDS[a]
        and b.forward is _FORWARDS[b]
        and a.__call__ is _CALL
        and b.__call__ is _CALL
    )


class _Row(Module):
    """Children in a row, reached and replaced by place; those without a name are named 0, 1, ..."""

    def _names(self) -> list[str]:
        return [name for name, role in self._roles.items() if role == "module"]

    def _name_at(self, index: int) -> str:
        names = self._names()
        place = check.integer(type(self).__name__, "index", index)
        if not -len(names) <= place < len(names):
            raise IndexOutOfRangeError(
                f"{type(self).__name__}: index {shown(place)} of {len(names)} modules; "
                f"one in [{-len(names)}, {len(names)}) is needed"
            )
        return names[place]

    def _get_abs_string_index(self, idx: int) -> str:
        return self._name_at(idx)

    def _renew(self, modules: Iterable[Module]) -> None:
        """Let `modules` be all there are, named by their places."""
        kept = list(modules)
        for name in self._names():
            delattr(self, name)
        for place, module in enumerate(kept):
            self.add_module(str(place), module)

    def append(self, module: Module) -> Self:
        """Add `module` at the end.

        Returns:
            The container.

        Raises:
            TypeError: It is no Module.

        >>> len(gb.nn.Sequential(gb.nn.ReLU()).append(gb.nn.Tanh()))
        2
        """
        place = len(self)
        while str(place) in self._roles:  # a name that was given
            place += 1
        self.add_module(str(place), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add `modules` at the end.

        Returns:
            The container.

        Raises:
            TypeError: One is no Module; none is added then.
            ValueError: What is no list gives modules again, over and over.

        >>> len(gb.nn.Sequential().extend([gb.nn.ReLU(), gb.nn.Tanh()]))
        2
        """
        op = f"{type(self).__name__}.extend"
        given = list(_Row.__iter__(modules)) if isinstance(modules, _Row) else modules
        for module in list_of((Module, type(None)), op, "modules", given, "Modules"):
            self.append(module)  # type: ignore[arg-type]
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put `module` before the one at `index`; those from there on are named anew.

        Args:
            index: As for a list.
            module: The module.

        Returns:
            This one.

        Raises:
            TypeError: It is no Module.
            IndexError: There is no such place.

        >>> row = gb.nn.Sequential(gb.nn.ReLU()).insert(0, gb.nn.Tanh())
        >>> row[0], row[1]
        (Tanh(), ReLU())
        """
        modules = list(self)
        place = check.integer("insert", "index", index)
        if not -len(modules) <= place <= len(modules):
            raise IndexError(f"insert: index {place}; one of a row of {len(modules)} is needed")
        modules.insert(place, module)
        self._renew(modules)
        return self

    def pop(self, key: int = -1) -> Module:
        """Take a module out; those behind it are named anew.

        Args:
            key: Its place, the last by default.

        Returns:
            The module.

        Raises:
            IndexOutOfRangeError: There is none.

        >>> row = gb.nn.Sequential(gb.nn.ReLU(), gb.nn.Tanh())
        >>> row.pop(0), len(row)
        (ReLU(), 1)
        """
        module: Module = vars(self)[self._name_at(key)]
        del self[key]
        return module

    def __add__(self, other: Iterable[Module]) -> Self:
        """A new one of the modules of both."""
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._of([])._joined(self, other)

    def __iadd__(self, other: Iterable[Module]) -> Self:
        return self._joined(other)

    def _joined(self, *rows: Iterable[Module]) -> Self:
        for row in rows:
            self.extend(row)
        return self

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Module | Self:
        if isinstance(index, slice):
            return self._of(self._names()[index])
        module: Module = vars(self)[self._name_at(index)]
        return module

    def _of(self, names: list[str]) -> Self:
        raise NotImplementedError

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = self._names()
        dropped = names[index] if isinstance(index, slice) else [self._name_at(index)]
        self._renew(vars(self)[name] for name in names if name not in dropped)

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[Module]:
        own = vars(self)
        return iter([own[name] for name, role in self._roles.items() if role == "module"])


def _times(given: int) -> int:
    times = check.integer("Sequential", "times", given)
    if times < 1:
        raise ValueError(f"Sequential: {shown(times)} times; at least once is needed")
    return times


class Sequential(_Row):
    """Call modules one after the other, each with what the one before returned.

    Nothing here keeps an intermediate result: where no gradient needs it, its memory is free again
    as soon as the next module has returned. Sequentials inside are walked through, not called, as
    long as they have no hooks and nothing has replaced the class's `forward` or `__call__`, so
    their input is not kept while they run either.

    Args:
        args: Modules; or one dict of them, whose keys become their names.

    >>> gb.nn.Sequential(gb.nn.Flatten(), gb.nn.Linear(4, 2))
    Sequential(
      (0): Flatten(start_dim=1, end_dim=-1)
      (1): Linear(in_features=4, out_features=2, bias=True)
    )
    """

    def __init__(self, *args: Module | Mapping[str, Module]) -> None:
        super().__init__()
        for place, given in enumerate(args):
            if isinstance(given, Mapping):
                for name in keys_of(str, "Sequential", f"argument {place}", given, "Modules"):
                    self.add_module(name, given[name])
            else:
                self.add_module(str(place), given)

    def _of(self, names: list[str]) -> Self:
        return type(self)({name: vars(self)[name] for name in names})

    def __mul__(self, times: int) -> Self:
        """A new one that calls the same modules several times."""
        return self._of([])._joined(*[self] * _times(times))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        return self._joined(*[list(self)] * (_times(times) - 1))

    def _steps(self) -> list[Module]:
        steps: list[Module] = []
        for module in self:
            if (
                type(module) is Sequential
                and module._is_called_plainly()
                and _are_as_they_were(Sequential, Sequential)
            ):
                steps += module._steps()
            else:
                steps.append(module)
        return steps

    def forward(self, input: Any) -> Any:
        """Return what the last module returns; `input` itself where there are none.

        What a `Linear`, a convolution or a norm returns is overwritten by the `ReLU`, `Sigmoid` or
        `Tanh` after it, unless one of the two has hooks, is a subclass of its own, or is called by
        what a program has put in place of its `forward` or `__call__`. Of another activation there
        `inplace` is not heard.

        >>> gb.nn.Sequential(gb.nn.ReLU(), gb.nn.Tanh())(gb.zeros(2))
        tensor([0., 0.])
        """
        before: Module | None = None
        for module in self._steps():
            write, spared = _OVERWRITING.get(type(module)), _SPARED.get(type(module))
            if (
                before is None
                or not isinstance(input, Tensor)  # as where a tracer is to be told of each module
                or type(before) not in _OVERWRITTEN
                or not (write or spared)
                or not _are_as_they_were(type(before), type(module))
                or not before._is_called_plainly()
                or not module._is_called_plainly()
            ):
                input = module(input)
            elif write:
                input = write(input)
            elif spared:
                input = spared(module, input)
            before = module
        return input


_FORWARDS[Sequential] = Sequential.forward


class ModuleList(_Row):
    """Hold modules in a list, so that their parameters are found; calling them is up to you.

    Args:
        modules: The first of them.

    Raises:
        TypeError: One is no Module.
        ValueError: What is no list gives modules again, over and over.

    >>> layers = gb.nn.ModuleList(gb.nn.Linear(2, 2) for _ in range(3))
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def _of(self, names: list[str]) -> Self:
        return type(self)(vars(self)[name] for name in names)

    def __repr__(self) -> str:
        """Show a run of modules that look alike once."""
        shown_once: list[tuple[list[str], str]] = []
        for name in self._names():
            text = repr(vars(self)[name]).replace("\n", "\n  ")
            if shown_once and shown_once[-1][1] == text:
                shown_once[-1][0].append(name)
            else:
                shown_once.append(([name], text))
        lines = [
            f"({names[0]}-{names[-1]}): {len(names)} x {text}"
            if len(names) > 1
            else f"({names[0]}): {text}"
            for names, text in shown_once
        ]
        return (
            f"{type(self).__name__}("
            + "".join(f"\n  {it}" for it in lines)
            + "\n" * bool(lines)
            + ")"
        )
