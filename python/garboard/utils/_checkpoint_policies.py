"""What programs say of single ops inside a checkpoint: here backward computes all of them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from enum import Enum
from typing import Any

from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._contexts.blocks import block
from garboard.utils._device_states import noop_context_fn

__all__ = [
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
    "set_checkpoint_debug_enabled",
]


class CheckpointPolicy(Enum):
    """What a policy asks for: that an op's output be kept, made again, or kept on the CPU."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """What PyTorch gives a policy first; no policy is asked here.

    Args:
        is_recompute: Whether backward asks.
        op_output: What the op returned.

    Raises:
        TypeError: `is_recompute` is neither True nor False.

    >>> gb.utils.checkpoint.SelectiveCheckpointContext(is_recompute=False).is_recompute
    False
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        name = "SelectiveCheckpointContext"
        self.is_recompute: bool = check.flag(name, "is_recompute", is_recompute)
        self.op_output: Any = op_output


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | list[Any], allow_cache_entry_mutation: bool = False
) -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Return what `checkpoint(..., context_fn=)` takes, for a policy that has no effect yet.

    Backward computes all that is inside once more, whatever the policy says: values and gradients
    are the same, for more time and less memory than PyTorch takes. The policy is never called.

    Args:
        policy_fn_or_list: A function that would return a `CheckpointPolicy`, or a list of the ops
            whose outputs would be kept.
        allow_cache_entry_mutation: Ignored.

    Returns:
        Two context managers that do nothing.

    Raises:
        TypeError: It is neither a function nor a list of functions.

    >>> from functools import partial
    >>> from garboard.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> contexts = partial(create_selective_checkpoint_contexts, [gb.mm])
    >>> x = gb.ones(2, 2, requires_grad=True)
    >>> y = checkpoint(lambda x: x.mm(x).sin(), x, use_reentrant=False, context_fn=contexts)
    >>> y.shape
    (2, 2)
    """
    op, name = "create_selective_checkpoint_contexts", "policy_fn_or_list"
    check.flag(op, "allow_cache_entry_mutation", allow_cache_entry_mutation)
    if isinstance(policy_fn_or_list, list):
        for at, one in enumerate(items_of(policy_fn_or_list)):
            check.function(op, f"{name}[{at}]", one, "an op")
    else:
        check.function(op, name, policy_fn_or_list, "a function, or a list of ops,")
    return noop_context_fn()


@block
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Open a block that changes nothing: errors of checkpoints name the op in any case.

    Args:
        enabled: True, False or None.

    Yields:
        Nothing.

    Raises:
        TypeError: `enabled` is none of these.

    >>> with gb.utils.checkpoint.set_checkpoint_debug_enabled(True):
    ...     y = gb.utils.checkpoint.checkpoint(gb.sin, gb.ones(2, requires_grad=True))
    """
    if enabled is not None:
        check.flag("set_checkpoint_debug_enabled", "enabled", enabled)
    yield
