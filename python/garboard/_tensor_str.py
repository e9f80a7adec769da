"""Where programs of PyTorch's look for the parts of what a tensor prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._contexts.blocks import block
from garboard._engine import Tensor
from garboard._printing import _elements_text, _options, set_printoptions, tensor_text

__all__ = ["PRINT_OPTS", "printoptions"]

# What `set_printoptions` sets, to be read: another object each time it is asked for.
PRINT_OPTS: SimpleNamespace


if not TYPE_CHECKING:

    def __getattr__(name: str) -> SimpleNamespace:
        if name == "PRINT_OPTS":
            return SimpleNamespace(**_options)
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'", name=name)


@block
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Let tensors print otherwise in a block.

    Args:
        **kwargs: What `set_printoptions` takes.

    Raises:
        TypeError, ValueError: As `set_printoptions` does.

    >>> from garboard._tensor_str import printoptions
    >>> with printoptions(precision=1):
    ...     print(gb.tensor([1.25]))
    tensor([1.2])
    """
    before = dict(_options)
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        _options.update(before)


def _tensor_str(self: Tensor, indent: int) -> str:
    """Return the elements, lines after the first one indented."""
    x = check.tensor("_tensor_str", "self", self)
    return _elements_text(x.detach().cpu(), check.count("_tensor_str", "indent", indent))


def _add_suffixes(
    tensor_str: str, suffixes: Sequence[str], indent: int, force_newline: bool
) -> str:
    """Return a text with what is unusual about its tensor behind it, and a parenthesis."""
    text = tensor_str
    for number, suffix in enumerate(suffixes):
        last_line = len(text) - text.rfind("\n") - 1
        too_long = last_line + len(suffix) + 4 > _options["linewidth"]
        breaks = too_long or (force_newline and number == 0)
        text += (",\n" + " " * indent if breaks else ", ") + suffix
    return text + ")"


def _str(self: Tensor, *, tensor_contents: str | None = None) -> str:
    """Return what `repr(tensor)` shows, or what is given."""
    return tensor_text(self) if tensor_contents is None else tensor_contents


_str_intern = _str
