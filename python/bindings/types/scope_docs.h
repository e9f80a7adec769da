// What users read about dispose scopes: python/bindings/types/scope_object.cpp. These are
// docstrings as Python's builtins have them, the signature in the first line.
#pragma once

namespace garboard::python::docs {

inline constexpr const char* dispose_scope = R"(DisposeScope(name=None, *, limit=None)
--

End what is made while the scope is open, when it closes.

A context manager, also for `async with`, and a decorator, with or without a call, which opens a
scope for each call and moves what is returned to the outer scope. `gb.dispose_scope` is the same.

The innermost open scope of a thread or asyncio task adopts every tensor born there. It holds them
weakly: one whose last reference goes dies at once. What is moved out, detached, or owned by modules
from outside, gradients and optimizers stays; so do storages that graphs, views and exports hold.

Args:
    name: What errors and reports call it. A function in its place is decorated.
    limit: The most bytes that may be born inside and live, on each device: a number, or text such
        as "2 GiB".

Raises:
    ScopeLimitError: In the block, at the op that would cross the limit.
    ShapeError: The limit is negative.
    TypeError: The name is neither text nor a function.
    GarboardError: The limit's text is no amount, or the scope is opened a second time.

>>> with gb.dispose_scope("step") as scope:
...     x = gb.ones(2)
...     y = scope.detach(x * 3)
>>> x.is_disposed, y
(True, tensor([3., 3.]))
)";

inline constexpr const char* move_to_outer = R"(move_to_outer($self, *tensors)
--

Hand tensors to the outer scope.

Without one they are detached. What is not a member of this scope is left alone. A module that moves
takes along what it registers later.

Args:
    *tensors: Tensors, packed sequences, modules, optimizers, and tuples, lists and dicts of them,
        which stand for the tensors in them.

Returns:
    What was given: the one thing, or a tuple of them.

Raises:
    GarboardError: The scope was never opened.
    TypeError: One is of another type; then none is moved.

>>> with gb.dispose_scope():
...     with gb.dispose_scope() as inner:
...         x = inner.move_to_outer(gb.ones(2))
...     print(x.is_disposed)
False
>>> x.is_disposed
True
)";

inline constexpr const char* move_to_other = R"(move_to_other($self, scope, /, *tensors)
--

Hand tensors to another scope.

What is not a member of this scope is left alone.

Args:
    scope: The other scope, which is open.
    *tensors: Tensors, packed sequences, modules, optimizers, and tuples, lists and dicts of them,
        which stand for the tensors in them.

Returns:
    What was given: the one thing, or a tuple of them.

Raises:
    GarboardError: One of the scopes was never opened, or the other one has closed.
    TypeError: `scope` is no scope, or one of the rest of another type; then none is moved.

>>> with gb.dispose_scope() as outer:
...     with gb.dispose_scope() as inner:
...         x = inner.move_to_other(outer, gb.ones(2))
...     x in outer
True
)";

inline constexpr const char* detach = R"(detach($self, *tensors)
--

Let tensors outlive every scope.

They end with their last reference then, or when they are disposed. What is not a member of this
scope is left alone, and counts nothing.

Args:
    *tensors: Tensors, packed sequences, modules, optimizers, and tuples, lists and dicts of them,
        which stand for the tensors in them.

Returns:
    What was given: the one thing, or a tuple of them.

Raises:
    GarboardError: The scope was never opened.
    TypeError: One is of another type; then none is detached.

>>> with gb.dispose_scope() as scope:
...     x = scope.detach(gb.ones(2))
>>> x
tensor([1., 1.])
)";

inline constexpr const char* attach = R"(attach($self, *tensors)
--

Make tensors members of this scope.

Those of another scope move; what is a member already stays.

Args:
    *tensors: Tensors, packed sequences, modules, optimizers, and tuples, lists and dicts of them,
        which stand for the tensors in them.

Returns:
    What was given: the one thing, or a tuple of them.

Raises:
    GarboardError: The scope was never opened, or it has closed.
    TypeError: One is of another type; then none is attached.

>>> x = gb.ones(2)
>>> with gb.dispose_scope() as scope:
...     scope.attach(x) is x
True
>>> x.is_disposed
True
)";

inline constexpr const char* dispose_everything = R"(dispose_everything($self)
--

Dispose the members, youngest first; the scope stays open.

Raises:
    GarboardError: The scope was never opened.

>>> with gb.dispose_scope() as scope:
...     x = gb.ones(2)
...     scope.dispose_everything()
...     len(scope), x.is_disposed
(0, True)
)";

inline constexpr const char* dispose_everything_but = R"(dispose_everything_but($self, *keep)
--

Dispose the members except some; the scope stays open.

Args:
    *keep: What stays, given as tensors, packed sequences, modules, optimizers, or tuples, lists
        and dicts of them.

Returns:
    What was given: the one thing, or a tuple of them.

Raises:
    GarboardError: The scope was never opened.
    TypeError: One is of another type; then none is disposed.

>>> with gb.dispose_scope() as scope:
...     x, y = gb.ones(2), gb.zeros(2)
...     scope.dispose_everything_but(x)
...     y.is_disposed
tensor([1., 1.])
True
)";

inline constexpr const char* dispose = R"(dispose($self)
--

Dispose the members, youngest first, and close the scope. Idempotent.

The end of the `with` block does it.

>>> with gb.dispose_scope() as scope:
...     x = gb.ones(2)
...     scope.dispose()
...     x.is_disposed, scope.is_open
(True, False)
)";

}  // namespace garboard::python::docs
