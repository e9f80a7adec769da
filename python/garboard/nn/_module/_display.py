"""Modules as notebooks show them: a tree with parameters and bytes."""

from __future__ import annotations

from typing import NamedTuple

from garboard._arguments.texts import printable
from garboard._engine import human_bytes
from garboard._shown.html import code, folded, grey, paragraph
from garboard.nn._module._tree import Tree
from garboard.nn.parameter import is_lazy

__all__ = ["module_html"]

_OF_TENSORS = ("parameter", "buffer", "transient buffer")


class _Size(NamedTuple):
    parameters: int
    nbytes: int


def module_html(module: Tree) -> str:
    """Return the tree, the outermost level open; a tensor that several modules share counts once
    for each, and once for the module around them."""
    return _tree("", module, is_open=True, above=())


def _tree(name: str, module: Tree, *, is_open: bool, above: tuple[int, ...]) -> str:
    size = _size(_tensors(module, ()))
    called = f"{printable(name)}: " if name else ""
    count = f"{size.parameters:,}".replace(",", " ")
    figures = f"{count} parameters, {human_bytes(size.nbytes)}"
    head = f"{code(called + _said(module))} {grey(figures)}"
    inner = [
        _tree(part, child, is_open=False, above=(*above, id(module)))
        for part, child in module._places()
        if id(child) not in above
    ]
    if not inner:
        return paragraph(head)
    body = f'<div style="margin-left:1.5em">{"".join(inner)}</div>'
    return folded(head, body, is_open=is_open)


def _said(module: Tree) -> str:
    """`Linear(in_features=2, out_features=3)`; the class alone where its own words fail."""
    name = type(module).__name__
    try:
        extra = module.extra_repr()  # type: ignore[attr-defined]
        return f"{name}({printable(extra)})" if isinstance(extra, str) and extra else name
    except Exception as error:
        return f"{name}, whose extra_repr raises {type(error).__name__}"


def _tensors(module: Tree, above: tuple[int, ...]) -> dict[int, tuple[int, int]]:
    """Return elements (of parameters) and bytes of each tensor below, by identity."""
    found: dict[int, tuple[int, int]] = {}
    own = vars(module)
    for name, role in own["_roles"].items():
        part = own[name]
        if part is None or id(part) in above:
            continue
        if role in _OF_TENSORS and not part.is_disposed:
            count = 0 if role != "parameter" or is_lazy(part) else part.numel()
            found[id(part)] = (count, 0 if is_lazy(part) else part.nbytes)
        elif isinstance(part, Tree):
            found |= _tensors(part, (*above, id(module)))
    return found


def _size(tensors: dict[int, tuple[int, int]]) -> _Size:
    return _Size(sum(it[0] for it in tensors.values()), sum(it[1] for it in tensors.values()))
