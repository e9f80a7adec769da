"""Functions that compute derivatives of functions.

Each call records the function on leaves of its own. Its results have a history where they are
computed inside another such call, or come of tensors that require grad, which are arguments or
which the function reads beside them, as a module's parameters: nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, ResultError
from garboard._arguments.given import list_of
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import GradientError, ShapeError, Tensor, is_grad_enabled
from garboard.autograd._passes import grad as gradients_of
from garboard.func._levels import Level, level
from garboard.func._nest import leaves_of, mapped, rebuilt, returned

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp"]

_Function = Callable[..., Any]


class _Run:
    """A call of a function on leaves of its own for some of its arguments."""

    def __init__(
        self,
        op: str,
        func: _Function,
        given: list[Any],
        args: Any,
        has_aux: bool,
        at: Level,
        takes_complex: bool = False,
    ) -> None:
        """`args` makes the function's arguments of what stands in for `given`, a list of nests."""
        self.op, self.given, self.level = op, given, at
        leaves = leaves_of(given)
        for it in leaves:
            if not isinstance(it, Tensor):
                raise TypeError(f"{op}: an argument to differentiate for holds {type(it).__name__}")
            if not it.dtype.is_floating_point and not (it.is_complex() and takes_complex):
                raise GradientError(f"{op}: an argument of {it.dtype}; a floating dtype is needed")
        self.leaves = [
            it.view(it.shape) if it.requires_grad else it.detach().requires_grad_() for it in leaves
        ]
        pairs = zip(self.leaves, leaves, strict=True)
        at.leaves.extend(leaf for leaf, it in pairs if not it.requires_grad)
        arguments, named = args(rebuilt(given, list(self.leaves)))
        found = func(*arguments, **named)
        self.aux: Any = None
        if has_aux:
            if not isinstance(found, tuple) or len(found) != 2:
                raise ResultError(f"{op}: with has_aux the function returns a pair; it did not")
            found, self.aux = found
        self.output = found
        self.outputs: list[Tensor] = returned(op, found)
        self.keeps = any(at.has_history(it) for it in self.outputs)

    def gradients(self, outputs: list[Tensor], starts: list[Tensor] | None) -> list[Tensor]:
        """Of each leaf; zeros where there is none."""
        places = [i for i, it in enumerate(outputs) if it.requires_grad]
        found: Sequence[Tensor | None] = [None] * len(self.leaves)
        if places and self.leaves:
            found = gradients_of(
                [outputs[i] for i in places],
                self.leaves,
                None if starts is None else [starts[i] for i in places],
                retain_graph=True,
                create_graph=self.keeps,
                allow_unused=True,
            )
        pairs = zip(found, self.leaves, strict=True)
        return [_engine.zeros_like(leaf) if it is None else it for it, leaf in pairs]

    def of_given(self, found: list[Any]) -> list[Any]:
        parts: list[Any] = rebuilt(self.given, list(found))
        return parts

    def told(self, nest: Any) -> Any:
        """What is returned: with its history where that leads out of the call alone."""

        def kept(it: Tensor) -> Tensor:
            return it if not it.requires_grad or self.level.has_history(it) else it.detach()

        return mapped(kept, nest)


def _chosen(op: str, argnums: Any, args: Any) -> tuple[list[int], bool]:
    """Places of positional arguments, and whether there is one of them, not in a tuple."""
    count, is_one = len(args), not isinstance(argnums, tuple)
    places = []
    for it in (argnums,) if is_one else argnums:
        place = check.integer(op, "argnums", it)
        if not -count <= place < count:
            raise ArgumentError(
                f"{op}: argnums {place}; there are {len(args)} positional arguments"
            )
        places.append(place % count)
    if len(set(places)) != len(places) or not places:
        raise ArgumentError(f"{op}: argnums {places}; one place or more, each once, is needed")
    return places, is_one


def _run(
    op: str, func: _Function, argnums: Any, has_aux: bool, args: Any, named: Any, at: Level
) -> tuple[_Run, bool]:
    places, is_one = _chosen(op, argnums, args)

    def arguments(parts: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        full = list(args)
        for place, part in zip(places, parts, strict=True):
            full[place] = part
        return full, named

    given = [args[place] for place in places]
    return _Run(op, func, given, arguments, has_aux, at, op == "grad_and_value"), is_one


def grad_and_value(
    func: _Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> _Function:
    """Make a function that returns a function's gradient and its value.

    Args:
        func: Returns a tensor of one element; with `has_aux` a pair of it and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.

    Returns:
        A function of the same arguments. It returns the gradient, in the argument's nest, and the
        value; with `has_aux` the gradient and the pair.

    Raises:
        TypeError: `func` cannot be called.
        ShapeError: When the new function is called: `func` did not return one element.
        GradientError: Likewise: it returned a complex number.

    >>> gb.func.grad_and_value(lambda x: x * x)(gb.tensor(3.0))
    (tensor(6.), tensor(9.))
    """
    op = "grad_and_value"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)

    @wraps(func)
    def derived(*args: Any, **named: Any) -> Any:
        with level() as at:
            run, is_one = _run(op, func, argnums, has_pair, args, named, at)
            output = run.output
            if not isinstance(output, Tensor) or output.numel() != 1:
                raise ShapeError(f"{op}: the function did not return a tensor of one element")
            if output.is_complex():
                raise GradientError(
                    f"{op}: the function returned {output.dtype}; a real one has a gradient"
                )
            found = run.told(run.of_given(run.gradients([output], [_engine.ones_like(output)])))
            value = run.told((output, run.aux) if has_pair else output)
            return found[0] if is_one else tuple(found), value

    return derived


def grad(func: _Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> _Function:
    """Make a function that returns a function's gradient.

    Args:
        func: Returns a tensor of one element; with `has_aux` a pair of it and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.

    Returns:
        A function of the same arguments. It returns the gradient, in the argument's nest; with
        `has_aux` also what else `func` returned.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.grad(gb.func.grad(gb.sin))(gb.tensor(0.5))
    tensor(-0.4794)
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def derived(*args: Any, **named: Any) -> Any:
        found, value = both(*args, **named)
        return (found, value[1]) if has_aux else found

    return derived


def vjp(func: _Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Call a function, and make another that multiplies vectors with its Jacobian.

    Args:
        func: Takes the primals; returns a tensor or a nest of them, with `has_aux` a pair of that
            and anything else.
        *primals: Tensors, or nests of them.
        has_aux: Whether `func` returns a pair.

    Returns:
        What `func` returned, and a function of one such nest, of v, that returns v J as a tuple
        of one for each primal; with `has_aux` also what else `func` returned. The function keeps
        the graph as long as it lives.

    Raises:
        TypeError: `func` cannot be called, or returns something else.
        ShapeError: When the new function is called: v has other sizes than what `func` returned.

    >>> value, back = gb.func.vjp(gb.exp, gb.zeros(2))
    >>> back(gb.tensor([1.0, 2.0]))
    (tensor([1., 2.]),)
    """
    op = "vjp"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)
    with level() as at:
        run = _Run(op, func, list(primals), lambda parts: (parts, {}), has_pair, at, True)

    def back(cotangents: Any) -> tuple[Any, ...]:
        starts = list_of(Tensor, op, "the vector", leaves_of(cotangents), "Tensors")
        if [it.shape for it in starts] != [it.shape for it in run.outputs]:
            raise ShapeError(f"{op}: a vector of other sizes than what the function returned")
        with enable_grad():
            run.keeps |= any(it.requires_grad for it in starts)
            made = run.told(run.of_given(run.gradients(run.outputs, starts)))
        return tuple(made if is_grad_enabled() else mapped(Tensor.detach, made))

    return (run.told(run.output), back, *((run.told(run.aux),) if has_pair else ()))


def _forward(run: _Run, tangents: list[Tensor]) -> list[Tensor]:
    """J v, from v's product with what is linear in another vector: two passes back."""
    dummies = [_engine.zeros_like(it).requires_grad_() for it in run.outputs]
    run.level.leaves.extend(dummies)
    keeps, run.keeps = run.keeps, True
    linear = run.gradients(run.outputs, dummies)
    run.keeps = keeps
    used = [i for i, it in enumerate(linear) if it.requires_grad]
    found: Sequence[Tensor | None] = [None] * len(dummies)
    if used:
        found = gradients_of(
            [linear[i] for i in used],
            dummies,
            [tangents[i] for i in used],
            retain_graph=True,
            create_graph=keeps,
            allow_unused=True,
        )
    pairs = zip(found, run.outputs, strict=True)
    return [_engine.zeros_like(of) if it is None else it for it, of in pairs]


def jvp(
    func: _Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """Call a function, and multiply its Jacobian with a vector.

    Args:
        func: Takes the primals; returns a tensor or a nest of them, with `has_aux` a pair of that
            and anything else.
        primals: A tuple of tensors, or of nests of them.
        tangents: v, of the same sizes.
        strict: Raise where an output does not depend on the primals.
        has_aux: Whether `func` returns a pair.

    Returns:
        What `func` returned, and J v in the same nest; with `has_aux` also what else it returned.

    Raises:
        ShapeError: The tangents have other sizes.
        GradientError: `strict`, and an output does not depend on the primals.
        TypeError: `func` cannot be called, or an argument is something else.

    >>> gb.func.jvp(gb.square, (gb.tensor(3.0),), (gb.tensor(1.0),))
    (tensor(9.), tensor(6.))
    """
    op = "jvp"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)
    if not isinstance(primals, (list, tuple)) or not isinstance(tangents, (list, tuple)):
        raise TypeError(f"{op}: primals and tangents are tuples, one part an argument")
    vectors = list_of(Tensor, op, "tangents", leaves_of(tangents), "Tensors")
    with level() as at:
        run = _Run(op, func, list(primals), lambda parts: (parts, {}), has_pair, at)
        if [it.shape for it in vectors] != [it.shape for it in run.leaves]:
            raise ShapeError(f"{op}: tangents of other sizes than the primals")
        if check.flag(op, "strict", strict) and not all(it.requires_grad for it in run.outputs):
            raise GradientError(f"{op}: an output does not depend on the primals")
        run.keeps |= any(it.requires_grad for it in vectors)
        moved = run.told(rebuilt(run.output, list(_forward(run, vectors))))
        return (run.told(run.output), moved, *((run.told(run.aux),) if has_pair else ()))


def linearize(func: _Function, *primals: Any) -> tuple[Any, _Function]:
    """Call a function, and make another that multiplies its Jacobian with vectors.

    Args:
        func: Takes the primals; returns a tensor or a nest of them.
        *primals: Tensors, or nests of them.

    Returns:
        What `func` returned, and a function of as many vectors that returns J v. It calls `func`
        again each time.

    Raises:
        TypeError: `func` cannot be called, or returns something else.

    >>> value, forward = gb.func.linearize(gb.square, gb.tensor(3.0))
    >>> forward(gb.tensor(2.0))
    tensor(12.)
    """
    check.function("linearize", "func", func)
    zeros = mapped(_engine.zeros_like, primals)
    return jvp(func, primals, zeros)[0], lambda *tangents: jvp(func, primals, tangents)[1]


def jacrev(
    func: _Function,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> _Function:
    """Make a function that returns a function's Jacobian, by a pass back for each output element.

    Args:
        func: Returns a tensor or a nest of them; with `has_aux` a pair of that and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.
        chunk_size: Heard, and not needed.

    Returns:
        A function of the same arguments. It returns, in the nest of the output and inside of it in
        that of the argument, tensors [*output's sizes, *input's sizes]; with `has_aux` also what
        else `func` returned.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.jacrev(gb.square)(gb.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    op = "jacrev"
    check.function(op, "func", func)
    has_pair = check.flag(op, "has_aux", has_aux)
    if chunk_size is not None:
        check.count(op, "chunk_size", chunk_size, 1)

    @wraps(func)
    def derived(*args: Any, **named: Any) -> Any:
        with level() as at:
            run, is_one = _run(op, func, argnums, has_pair, args, named, at)

            def of_output(output: Tensor) -> Any:
                rows = [
                    run.gradients([it], None) if output.requires_grad else run.gradients([], None)
                    for it in output.reshape(-1)
                ]
                joined = [
                    _engine.stack([row[i] for row in rows]).view(*output.shape, *leaf.shape)
                    if rows
                    else leaf.new_zeros((*output.shape, *leaf.shape))
                    for i, leaf in enumerate(run.leaves)
                ]
                parts = run.of_given(joined)
                return run.told(parts[0] if is_one else tuple(parts))

            found = rebuilt(run.output, [of_output(it) for it in run.outputs])
            return (found, run.told(run.aux)) if has_pair else found

    return derived


def jacfwd(
    func: _Function,
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> _Function:
    """Make a function that returns a function's Jacobian: `jacrev`, as passes go back alone.

    Args:
        func: Returns a tensor or a nest of them; with `has_aux` a pair of that and anything else.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.
        has_aux: Whether `func` returns a pair.
        randomness: Heard, and not needed: `func` is called once.

    Returns:
        A function of the same arguments; see `jacrev`.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.jacfwd(gb.exp)(gb.zeros(1))
    tensor([[1.]])
    """
    check.choice("jacfwd", "randomness", randomness, "error", "same", "different")
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func: _Function, argnums: int | tuple[int, ...] = 0) -> _Function:
    """Make a function that returns a function's second derivatives.

    Args:
        func: Returns a tensor or a nest of them.
        argnums: For which positional argument, or arguments; each a tensor or a nest of them.

    Returns:
        A function of the same arguments. It returns the Jacobian of the Jacobian.

    Raises:
        TypeError: `func` cannot be called.

    >>> gb.func.hessian(lambda x: (x**3).sum())(gb.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    check.function("hessian", "func", func)
    return jacfwd(jacrev(func, argnums), argnums)
