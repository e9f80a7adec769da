"""The base of modules, and hooks of all of them in the process."""

from __future__ import annotations

from collections.abc import Callable

from garboard._arguments import check
from garboard._hooks import RemovableHandle
from garboard.nn._module._hooked import EVERY_MODULE
from garboard.nn._module._hooks import REGISTRATIONS, KwargsHook
from garboard.nn._module._state import _EXTRA as _EXTRA_STATE_KEY_SUFFIX  # noqa: F401
from garboard.nn._module._state import LoadResult as _IncompatibleKeys  # noqa: F401
from garboard.nn.module import Module

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

# The tables of hooks of all modules, by PyTorch's names.
_global_forward_hooks = EVERY_MODULE["_forward_hooks"]
_global_forward_pre_hooks = EVERY_MODULE["_forward_pre_hooks"]
_global_backward_hooks = EVERY_MODULE["_backward_hooks"]
_global_backward_pre_hooks = EVERY_MODULE["_backward_pre_hooks"]
_global_buffer_registration_hooks = REGISTRATIONS["buffer"]
_global_module_registration_hooks = REGISTRATIONS["module"]
_global_parameter_registration_hooks = REGISTRATIONS["parameter"]


def _registered(op: str, kind: str, hook: Callable[..., object]) -> RemovableHandle:
    check.function(op, "hook", hook)
    return EVERY_MODULE[kind].add(hook)


def register_module_forward_pre_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(module, args)` before the forward of every module.

    Args:
        hook: What it returns, unless None, replaces `args`.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_forward_pre_hook
    >>> with register_module_forward_pre_hook(lambda module, args: print(type(module).__name__)):
    ...     _ = gb.nn.ReLU()(gb.ones(1))
    ReLU
    """
    return _registered("register_module_forward_pre_hook", "_forward_pre_hooks", hook)


def register_module_forward_hook(
    hook: Callable[..., object], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the forward of every module.

    Args:
        hook: What it returns, unless None, replaces the output.
        with_kwargs: Call `hook(module, args, kwargs, output)`.
        always_call: Call it where forward has raised too, with None for the output.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_forward_hook
    >>> with register_module_forward_hook(lambda module, args, output: output * 2):
    ...     gb.nn.ReLU()(gb.ones(1))
    tensor([2.])
    """
    op = "register_module_forward_hook"
    check.function(op, "hook", hook)
    takes, always = (
        check.flag(op, "with_kwargs", with_kwargs),
        check.flag(op, "always_call", always_call),
    )
    return _registered(
        op, "_forward_hooks", KwargsHook(hook, takes, always) if takes or always else hook
    )


def register_module_full_backward_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` when a backward pass leaves any module.

    Args:
        hook: What it returns, unless None, replaces `grad_input`.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_full_backward_hook
    >>> x = gb.ones(1, requires_grad=True)
    >>> with register_module_full_backward_hook(lambda module, given, got: print("left")):
    ...     gb.nn.Tanh()(x).sum().backward()
    left
    """
    return _registered("register_module_full_backward_hook", "_backward_hooks", hook)


def register_module_full_backward_pre_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(module, grad_output)` when a backward pass comes to any module.

    Args:
        hook: What it returns, unless None, replaces `grad_output`.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_full_backward_pre_hook
    >>> x = gb.ones(1, requires_grad=True)
    >>> with register_module_full_backward_pre_hook(lambda module, got: print("came")):
    ...     gb.nn.Tanh()(x).sum().backward()
    came
    """
    return _registered("register_module_full_backward_pre_hook", "_backward_pre_hooks", hook)


def register_module_backward_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call a hook as `register_module_full_backward_hook` does, of which this is the older name.

    Args:
        hook: Called with the module, `grad_input` and `grad_output`.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_backward_hook
    >>> x = gb.ones(1, requires_grad=True)
    >>> with register_module_backward_hook(lambda module, given, got: print("left")):
    ...     gb.nn.Tanh()(x).sum().backward()
    left
    """
    return _registered("register_module_backward_hook", "_backward_hooks", hook)


def register_module_parameter_registration_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` when a parameter is registered on any module.

    Args:
        hook: What it returns, unless None, is registered instead.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_parameter_registration_hook
    >>> with register_module_parameter_registration_hook(lambda module, name, it: print(name)):
    ...     _ = gb.nn.Linear(1, 1)
    weight
    bias
    """
    check.function("register_module_parameter_registration_hook", "hook", hook)
    return REGISTRATIONS["parameter"].add(hook)


def register_module_buffer_registration_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` when a buffer is registered on any module.

    Args:
        hook: What it returns, unless None, is registered instead.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_buffer_registration_hook
    >>> with register_module_buffer_registration_hook(lambda module, name, it: print(name)):
    ...     _ = gb.nn.CrossEntropyLoss(weight=gb.ones(2))
    weight
    """
    check.function("register_module_buffer_registration_hook", "hook", hook)
    return REGISTRATIONS["buffer"].add(hook)


def register_module_module_registration_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Call `hook(module, name, module)` when a module is registered on any module.

    Args:
        hook: What it returns, unless None, is registered instead.

    Returns:
        A handle, whose `remove()` takes the hook off again.

    Raises:
        TypeError: The hook cannot be called.

    >>> from garboard.nn.modules.module import register_module_module_registration_hook
    >>> with register_module_module_registration_hook(lambda module, name, it: print(name)):
    ...     _ = gb.nn.Sequential(gb.nn.ReLU())
    0
    """
    check.function("register_module_module_registration_hook", "hook", hook)
    return REGISTRATIONS["module"].add(hook)


def _addindent(s_: str, numSpaces: int) -> str:  # noqa: N803
    """The lines of a text, all but the first one moved to the right."""
    return s_.replace("\n", "\n" + " " * numSpaces)
