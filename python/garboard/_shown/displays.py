"""Tensors and scopes as notebooks show them: static HTML, set on the native types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from garboard import _engine
from garboard._engine import DisposeScope, Tensor, human_bytes
from garboard._native import add_methods
from garboard._printing import small_table

__all__: list[str] = []

_MOST_LINES = 5


def _tensor_html(self: Tensor) -> str:
    from garboard._shown.html import code, matrix, paragraph

    if self.is_disposed:
        return paragraph(code("disposed tensor"))
    facts = [f"{str(self.dtype).rpartition('.')[2]}{list(self.shape)}", str(self.device)]
    facts.append(human_bytes(self.nbytes))
    scope = _engine._scope_of(self)
    if scope is not None:
        facts.append(f'scope "{scope.name}"' if scope.name else "in a scope")
    if self.grad_fn is not None:
        facts.append(f"grad_fn {self.grad_fn.name()}")
    elif self.requires_grad:
        facts.append("requires_grad")
    rows = small_table(self)
    shown = matrix(rows) if rows else ""
    return shown + paragraph(" · ".join(map(code, facts)))


def _scope_html(self: DisposeScope) -> str:
    from garboard._shown.html import Table, code, paragraph

    state = "open" if self.is_open else "closed" if self.is_disposed else "not open"
    live, peak = (sum(it.values()) for it in (self.live_bytes, self.peak_bytes))
    facts = [
        f'scope "{self.name}"' if self.name else "scope",
        state,
        f"{len(self)} tensor{'' if len(self) == 1 else 's'}",
        f"{human_bytes(live)} live",
        f"{human_bytes(peak)} at the peak",
    ]
    table = Table(("bytes", "tensors", "born"), ("bytes", "tensors"))
    lines = sorted(_by_line(self.disposables).items(), key=lambda it: -it[1][1])
    for line, (count, nbytes) in lines[:_MOST_LINES]:
        table.rows.append((human_bytes(nbytes), str(count), line))
    if more := lines[_MOST_LINES:]:
        count, nbytes = (sum(it[1][i] for it in more) for i in (0, 1))
        table.rows.append((human_bytes(nbytes), str(count), f"{len(more)} other lines"))
    return paragraph(" · ".join(map(code, facts))) + (table.html if table.rows else "")


def _by_line(things: Iterable[Any]) -> dict[str, tuple[int, int]]:
    """Count tensors and their bytes, by the line of birth."""
    from garboard._scopes import tensors_in
    from garboard._shown.site import site_of

    found: dict[str, tuple[int, int]] = {}
    for tensor in tensors_in(list(things)):
        line = str(site_of(_engine._birth(tensor)[1]))
        count, nbytes = found.get(line, (0, 0))
        found[line] = (count + 1, nbytes + tensor.nbytes)
    return found


add_methods(Tensor, {"_repr_html_": _tensor_html})
add_methods(DisposeScope, {"_repr_html_": _scope_html})
