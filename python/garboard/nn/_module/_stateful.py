"""Modules that are saved, loaded and converted, by methods that a subclass may have of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn._module import _convert, _state
from garboard.nn._module._hooked import Hooked
from garboard.nn._module._walk import too_deep

__all__ = ["Stateful"]


class Stateful(Hooked):
    """The part of a Module that says what it consists of, and takes it back."""

    # Stands in a state dict's `_metadata`, so that what loads it knows how it was written.
    _version: ClassVar[int] = 1

    def _redefines(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(Stateful, method)

    def state_dict(
        self,
        destination: dict[str, Tensor] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Tensor]:
        """Return parameters and persistent buffers by path.

        The tensors share the module's storages, without history: what training writes is seen in
        them, and while they live, so do the storages. `clone()` them for a snapshot. Where a class
        defines `get_extra_state()`, what it returns stands behind its tensors as `_extra_state`.
        The dict has `_metadata`: of each module its `_version`.

        Args:
            destination: A dict to which they are added, and which is returned; a new one by
                default.
            prefix: Stands before every path.
            keep_vars: Return the parameters and buffers themselves.

        Raises:
            TypeError: `prefix` is no string.

        >>> {name: tensor.shape for name, tensor in gb.nn.Linear(3, 2).state_dict().items()}
        {'weight': (2, 3), 'bias': (2,)}
        """
        this: Any = self
        return _state.state_of(this, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _state.LoadResult:
        """Copy tensors into the parameters and persistent buffers of the same paths.

        Nothing is written unless everything fits, but for modules whose class loads by a
        `_load_from_state_dict` of its own. Values are converted to the module's dtypes. What
        stands there as `_extra_state` is given to the `set_extra_state(state)` of its module.

        Args:
            state_dict: Tensors by path, of the sizes of their targets.
            strict: Refuse paths that are missing or unexpected; else they are returned.
            assign: Let the given tensors be the parameters and buffers from now on, in their own
                dtypes and on their own devices, instead of copying them. An optimizer that was made
                before knows the old ones.

        Returns:
            A named tuple `(missing_keys, unexpected_keys)` of lists of paths.

        Raises:
            StateDictError: `strict`, and paths are missing or unexpected; the message names them,
                and each tensor of other sizes than its target.
            ShapeError: Tensors have other sizes than their targets, and nothing else is wrong.
            TypeError: `state_dict` is no mapping from strings, or a value is no tensor.

        >>> layer = gb.nn.Linear(2, 1)
        >>> layer.load_state_dict({"weight": gb.ones(1, 2)}, strict=False).missing_keys
        ['bias']
        >>> layer.weight.tolist()
        [[1.0, 1.0]]
        """
        this: Any = self
        return _state.load_state(
            this, state_dict, strict, check.flag("load_state_dict", "assign", assign)
        )

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Let `fn` make the elements of all parameters and buffers; what conversions call."""
        if recurse:
            try:
                for child in self.children():
                    child._apply(fn)
            except RecursionError:
                raise too_deep("_apply", self) from None
        this: Any = self
        made: Self = _convert.applied(this, fn)
        return made

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        """Put what this module itself saves into `destination`, those below it left out."""
        this: Any = self
        _state.save_own(this, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load what this module itself has, those below it left out, and list what does not fit."""
        this: Any = self
        _state.load_own(
            this,
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    def _complete_state(self, state: dict[str, Any], prefix: str, notes: dict[str, Any]) -> None:
        """Put in what an older version of the class has not saved."""

    def get_extra_state(self) -> Any:
        """Return what is saved besides tensors; a class that has such defines this.

        Returns:
            What `set_extra_state()` takes. It can be saved in a file if it is made of numbers,
            texts, lists, dicts and tensors.

        Raises:
            NotImplementedError: The class does not define it.

        >>> class Counting(gb.nn.Module):
        ...     count = 3
        ...
        ...     def get_extra_state(self):
        ...         return {"count": self.count}
        >>> Counting().state_dict()["_extra_state"]
        {'count': 3}
        """
        raise NotImplementedError(
            f"{type(self).__name__}: get_extra_state() is missing; a Module that has one saves it"
        )

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state()` has returned; a class that has such defines this.

        Args:
            state: What was saved.

        Raises:
            NotImplementedError: The class does not define it.

        >>> class Counting(gb.nn.Module):
        ...     def set_extra_state(self, state):
        ...         self.count = state["count"]
        >>> counting = Counting()
        >>> counting.load_state_dict({"_extra_state": {"count": 3}})
        <All keys matched successfully>
        >>> counting.count
        3
        """
        raise NotImplementedError(
            f"{type(self).__name__}: set_extra_state() is missing; a Module that has one loads by "
            "it"
        )
