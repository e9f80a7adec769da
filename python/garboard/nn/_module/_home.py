"""Where a module's tensors belong: the dispose scope in which the module was born.

A scope must not end the parameters of a module that was built outside it, wherever they are made or
replaced. So what is registered on a module moves outward to the module's scope, and never inward:
lending a weight to a module that lives shortly does not shorten the weight's life.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.layouts import is_sparse
from garboard._engine import DisposeScope, Tensor

if TYPE_CHECKING:
    from garboard.nn._module._tree import Tree

__all__ = ["bring_home", "dense_in", "is_around", "move_home", "nearest_open"]


def dense_in(value: object) -> list[Tensor]:
    """Return the tensors that own the elements of what may be a parameter or a buffer."""
    if is_sparse(value):
        return list(value._scope_members())
    return [value] if isinstance(value, Tensor) else []


def nearest_open(scope: DisposeScope | None) -> DisposeScope | None:
    """Return `scope`, or the nearest open one around it where it has closed."""
    return scope.outer if scope is not None and scope.is_disposed else scope


def is_around(outer: DisposeScope | None, inner: DisposeScope | None) -> bool:
    """Tell whether `outer` is `inner` or a scope around it; None is around everything."""
    if outer is None:
        return True
    while inner is not None:
        if inner == outer:
            return True
        inner = inner.outer
    return False


def move_home(tensor: Tensor, home: DisposeScope | None) -> None:
    """Hand `tensor` to the scope `home`, or to none, unless its own scope ends later anyway."""
    scope = _engine._scope_of(tensor)
    if scope is None or is_around(scope, home):
        return
    if home is None:
        scope.detach(tensor)
    else:
        scope.move_to_other(home, tensor)


def bring_home(module: Tree, value: Any) -> None:
    """Take what is now a module's out of scopes that end before the module's own."""
    home = nearest_open(vars(module)["_home"])
    for tensor in dense_in(value):
        move_home(tensor, home)
    if hasattr(type(value), "_owned_tensors"):
        if is_around(nearest_open(vars(value).get("_home", home)), home):
            return  # what is below it came home to it before; or its `__init__` is to come
        for part in value.modules():
            if not is_around(nearest_open(vars(part)["_home"]), home):
                vars(part)["_home"] = home
        for tensor in value._owned_tensors():
            move_home(tensor, home)
