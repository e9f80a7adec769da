"""An op for each tensor of a list: `gb.foreach.add(tensors, 2)`; in place where a name ends in `_`.

What stands beside the tensors is one number for all, one number each, or one tensor each. In-place
forms return the list that they were given, the others a tuple. Each tensor is computed as the op
alone computes it; a number may stand where PyTorch wants one, and a list may be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard._root.foreach import for_each_named

if TYPE_CHECKING:
    from garboard._engine import Tensor

_FUNCTIONS = for_each_named("foreach.")

__all__ = sorted(_FUNCTIONS)

globals().update(_FUNCTIONS)
for _each in _FUNCTIONS.values():
    _each.__module__ = __name__

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., Sequence[Tensor]]: ...

else:
    __getattr__ = module_getattr(__name__)
