"""Modules as functions of their parameters."""

from typing import TYPE_CHECKING

from garboard._missing import module_getattr
from garboard.nn.utils.stateless import functional_call

__all__ = ["functional_call"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
