"""Switches of how modules are converted, as PyTorch's: they are kept, and change nothing.

`module.to(...)` keeps the objects of its parameters here, whatever they say.
"""

from __future__ import annotations

from garboard._arguments import check

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]

_switches = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Keep a switch without effect: parameters keep their objects.

    Args:
        value: True or False.

    Raises:
        TypeError: `value` is something else.

    >>> from garboard import __future__ as switches
    >>> switches.set_overwrite_module_params_on_conversion(False)
    """
    _switches["overwrite"] = check.flag("set_overwrite_module_params_on_conversion", "value", value)


def get_overwrite_module_params_on_conversion() -> bool:
    """Return what was set last; False at first.

    >>> from garboard import __future__ as switches
    >>> switches.get_overwrite_module_params_on_conversion()
    False
    """
    return _switches["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Keep a switch without effect: parameters keep their objects.

    Args:
        value: True or False.

    Raises:
        TypeError: `value` is something else.

    >>> from garboard import __future__ as switches
    >>> switches.set_swap_module_params_on_conversion(False)
    """
    _switches["swap"] = check.flag("set_swap_module_params_on_conversion", "value", value)


def get_swap_module_params_on_conversion() -> bool:
    """Return what was set last; False at first.

    >>> from garboard import __future__ as switches
    >>> switches.get_swap_module_params_on_conversion()
    False
    """
    return _switches["swap"]
