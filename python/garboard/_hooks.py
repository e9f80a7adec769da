"""Handles that take a hook off again."""

from types import TracebackType
from typing import Any
from weakref import ref

__all__ = ["TensorHookHandle"]


class TensorHookHandle:
    """Takes a gradient hook off a tensor: by `remove()`, or at the end of a `with` block.

    It keeps neither the tensor nor the hook alive, and works while a graph alone holds the tensor.
    """

    def __init__(self, hooks: Any, number: int) -> None:
        self._hooks = ref(hooks)
        self._number = number

    def remove(self) -> None:
        """Forget the hook. Idempotent."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.remove(self._number)

    def __enter__(self) -> "TensorHookHandle":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()
