"""The handle that takes a hook off again: a tensor's, or a module's."""

from types import TracebackType
from typing import Protocol, Self
from weakref import ref

__all__ = ["RemovableHandle"]


class _Hooks(Protocol):
    def remove(self, number: int, /) -> object: ...


class RemovableHandle:
    """Takes a hook off: by `remove()`, or at the end of a `with` block.

    It keeps neither the hook alive nor what the hook is on. A tensor's works while a graph alone
    holds the tensor.

    Args:
        hooks: The table that the hook is in; held weakly.
        number: The hook's number there.

    >>> layer = gb.nn.ReLU()
    >>> with layer.register_forward_hook(lambda module, args, output: output * 10):
    ...     layer(gb.ones(1))
    tensor([10.])
    >>> layer(gb.ones(1))
    tensor([1.])
    """

    def __init__(self, hooks: _Hooks, number: int) -> None:
        self._hooks = ref(hooks)
        self._number = number

    def remove(self) -> None:
        """Forget the hook. Idempotent.

        >>> layer = gb.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, args, output: output * 10)
        >>> handle.remove()
        >>> layer(gb.ones(1))
        tensor([1.])
        """
        hooks = self._hooks()
        if hooks is not None:
            hooks.remove(self._number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()
