"""Jacobians, Hessians, and their products with vectors.

Functions take one tensor or a tuple of them and return one or a tuple. What they are given are new
leaves, or, with `create_graph`, views of the inputs, so that results can be differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard._arguments.check import choice, flag, function, tensor
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import list_of
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import GradientError, ShapeError, Tensor, ones_like, stack, zeros_like
from garboard.autograd._functional_parts import as_tuple as _as_tuple
from garboard.autograd._functional_parts import (
    construct_standard_basis_for as _construct_standard_basis_for,
)
from garboard.autograd._functional_parts import grad_postprocess as _grad_postprocess
from garboard.autograd._functional_parts import tuple_postprocess as _tuple_postprocess
from garboard.autograd._passes import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

# Libraries import these from here.
_PARTS = (_as_tuple, _construct_standard_basis_for, _grad_postprocess, _tuple_postprocess)

_Tensors = Tensor | Sequence[Tensor]
_Function = Callable[..., Any]


def _listed(op: str, name: str, given: Any) -> tuple[list[Tensor], bool]:
    """Return tensors, and whether there was a tuple of them."""
    if isinstance(given, Tensor):
        return [tensor(op, name, given)], False
    return list_of(Tensor, op, name, given, "Tensors"), True


def _leaves(given: list[Tensor], create_graph: bool) -> list[Tensor]:
    return [
        it.view(it.shape) if create_graph and it.requires_grad else it.detach().requires_grad_()
        for it in given
    ]


class _Pass:
    """One call of a function, recorded, on leaves of its own."""

    def __init__(
        self, op: str, func: _Function, inputs: _Tensors, create_graph: bool, strict: bool
    ) -> None:
        function(op, "func", func)
        self.op = op
        self.create_graph = flag(op, "create_graph", create_graph)
        self.strict = flag(op, "strict", strict)
        given, self.has_many_inputs = _listed(op, "inputs", inputs)
        self.inputs = _leaves(given, self.create_graph)
        found = func(*self.inputs)
        self.outputs, self.has_many_outputs = _listed(op, "what the function returned", found)
        for place, output in enumerate(self.outputs):
            if self.strict and not output.requires_grad:
                raise GradientError(
                    f"{op}: output {place} does not depend on the inputs; leave strict=True out "
                    "for zeros"
                )

    def gradients(
        self, outputs: list[Tensor], starts: list[Tensor] | None, recorded: bool
    ) -> list[Tensor]:
        """Return the gradients for the inputs; zeros where there are none."""
        pairs = [
            (it, None if starts is None else starts[i])
            for i, it in enumerate(outputs)
            if it.requires_grad
        ]
        found: Sequence[Tensor | None] = [None] * len(self.inputs)
        if pairs:
            found = grad(
                [it for it, _ in pairs],
                self.inputs,
                [start for _, start in pairs],
                retain_graph=True,
                create_graph=recorded,
                allow_unused=True,
            )
        for place, it in enumerate(found):
            if self.strict and it is None:
                raise GradientError(
                    f"{self.op}: the outputs do not depend on input {place}; leave strict=True out "
                    "for zeros"
                )
        return [
            zeros_like(of) if it is None else it for it, of in zip(found, self.inputs, strict=True)
        ]

    def as_outputs(self, found: list[Any]) -> Any:
        return tuple(found) if self.has_many_outputs else found[0]

    def as_inputs(self, found: list[Any]) -> Any:
        return tuple(found) if self.has_many_inputs else found[0]

    def slopes(self, tensors: list[Tensor]) -> list[Tensor]:
        """Return derivatives as they are given out; where asked to, all depend on the inputs."""
        for place, it in enumerate(tensors):
            if self.strict and self.create_graph and not it.requires_grad:
                raise GradientError(
                    f"{self.op}: derivative {place} does not depend on the inputs; leave "
                    "strict=True or create_graph=True out"
                )
        return self.finished(tensors)

    def finished(self, tensors: list[Tensor]) -> list[Tensor]:
        return tensors if self.create_graph else [it.detach() for it in tensors]

    def one_output(self) -> Tensor:
        output = self.outputs[0]
        if len(self.outputs) != 1 or output.numel() != 1:
            raise ShapeError(
                f"{self.op}: {len(self.outputs)} outputs, the first of sizes {output.shape}; one "
                "output of one element is needed"
            )
        return output.reshape(())


def _vectors(op: str, given: Any, of: list[Tensor]) -> list[Tensor]:
    """Return `v`: tensors as those it is multiplied with; for one element 1 may be left out."""
    if given is None:
        if len(of) == 1 and of[0].numel() == 1:
            return [zeros_like(of[0]) + 1]
        raise GradientError(f"{op}: no v; it can be left out for one tensor of one element alone")
    vectors, _ = _listed(op, "v", given)
    if len(vectors) != len(of):
        raise GradientError(f"{op}: {len(vectors)} tensors in v; {len(of)} are needed, one each")
    for place, (vector, it) in enumerate(zip(vectors, of, strict=True)):
        if vector.shape != it.shape:
            raise ShapeError(
                f"{op}: tensor {place} of v has sizes {vector.shape} for one of sizes {it.shape}; "
                "they must be equal"
            )
    return vectors


def _refuse_strict(op: str, strict: bool, vectorize: bool) -> None:
    if strict and vectorize:
        raise ArgumentError(f"{op}: strict=True with vectorize=True; one of them is needed")


def jacobian(
    func: Callable[..., Any],
    inputs: _Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the derivative of each element of the outputs for each element of the inputs.

    J[i, j] = d out_i / d in_j, a backward pass for each i.

    Args:
        func: Called with the inputs; it returns a tensor or a tuple of them.
        inputs: A floating tensor, or a tuple of them.
        create_graph: Record all of it, so that the result can be differentiated.
        strict: Refuse outputs that do not depend on an input; else they get zeros.
        vectorize: Either: there is one way here.
        strategy: "reverse-mode" or "forward-mode", which gives the same, and goes the same way.

    Returns:
        A tensor of the output's sizes and behind them the input's; a tuple of them for a tuple of
        inputs, and a tuple of that for a tuple of outputs.

    Raises:
        TypeError: The function cannot be called, or something is no tensor.
        GradientError: With `strict`, an output does not depend on an input; an input is not
            floating.
        ValueError: Another `strategy`; or `vectorize` with `strict`.

    >>> x = gb.tensor([1.0, 2.0])
    >>> gb.autograd.functional.jacobian(lambda x: x * x, x)
    tensor([[2., 0.],
            [0., 4.]])
    """
    op = "jacobian"
    _refuse_strict(op, strict, flag(op, "vectorize", vectorize))
    choice(op, "strategy", strategy, "reverse-mode", "forward-mode")
    with enable_grad():
        at = _Pass(op, func, inputs, create_graph, strict)
        found = [_rows(at, output) for output in at.outputs]
    return at.as_outputs([at.as_inputs(at.slopes(rows)) for rows in found])


def _rows(at: _Pass, output: Tensor) -> list[Tensor]:
    """Return the Jacobian of one output for each input."""
    flat = output.reshape(-1)
    each = [at.gradients([flat[i]], None, at.create_graph) for i in range(flat.numel())]
    columns = zip(*each, strict=True) if each else ([] for _ in at.inputs)
    return [
        stack(list(column)).reshape((*output.shape, *of.shape))
        if column
        else zeros_like(of).expand((0, *of.shape)).reshape((*output.shape, *of.shape))
        for column, of in zip(columns, at.inputs, strict=True)
    ]


def hessian(
    func: Callable[..., Any],
    inputs: _Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of a function of one element.

    H[i, j] = d^2 f / d in_i d in_j, the Jacobian of the gradient.

    Args:
        func: Called with the inputs; it returns a tensor of one element.
        inputs: A floating tensor, or a tuple of them.
        create_graph: Record all of it, so that the result can be differentiated.
        strict: Refuse a gradient that does not depend on an input; else it gets zeros.
        vectorize: Either: there is one way here.
        outer_jacobian_strategy: As `strategy` of `jacobian`.

    Returns:
        A tensor of the input's sizes twice; a tuple of tuples for a tuple of inputs.

    Raises:
        ShapeError: The function returns more than one element.
        TypeError: The function cannot be called, or something is no tensor.
        GradientError: As for `jacobian`.
        ValueError: Another strategy; or `vectorize` with `strict`.

    >>> x = gb.tensor([1.0, 2.0])
    >>> gb.autograd.functional.hessian(lambda x: (x**3).sum(), x)
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    op = "hessian"
    _refuse_strict(op, strict, flag(op, "vectorize", vectorize))
    strategy = outer_jacobian_strategy
    choice(op, "outer_jacobian_strategy", strategy, "reverse-mode", "forward-mode")
    with enable_grad():
        at = _Pass(op, func, inputs, create_graph, strict)
        first = at.gradients([at.one_output()], None, True)
        found = [_rows(at, it) for it in first]
    return at.as_inputs([at.as_inputs(at.finished(rows)) for rows in found])


def vjp(
    func: Callable[..., Any],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs, and a vector times the Jacobian: one backward pass.

    Args:
        func: Called with the inputs; it returns a tensor or a tuple of them.
        inputs: A floating tensor, or a tuple of them.
        v: The vector, as the outputs are; 1 for one output of one element.
        create_graph: Record all of it, so that the results can be differentiated.
        strict: Refuse outputs that do not depend on an input; else they get zeros.

    Returns:
        What the function returned, and the product, as the inputs are.

    Raises:
        ShapeError: `v` has other sizes than the outputs.
        GradientError: `v` is missing, or has more or fewer tensors; with `strict`, an output does
            not depend on an input.
        TypeError: The function cannot be called, or something is no tensor.

    >>> x = gb.tensor([1.0, 2.0])
    >>> gb.autograd.functional.vjp(lambda x: x * x, x, gb.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        at = _Pass("vjp", func, inputs, create_graph, strict)
        vectors = _vectors("vjp", v, at.outputs)
        found = at.gradients(at.outputs, vectors, at.create_graph)
    return at.as_outputs(at.finished(at.outputs)), at.as_inputs(at.slopes(found))


def jvp(
    func: Callable[..., Any],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs, and the Jacobian times a vector.

    Two backward passes: u J is linear in u, and its derivative times v is J v.

    Args:
        func: Called with the inputs; it returns a tensor or a tuple of them, and its gradients can
            be differentiated.
        inputs: A floating tensor, or a tuple of them.
        v: The vector, as the inputs are; 1 for one input of one element.
        create_graph: Record all of it, so that the results can be differentiated.
        strict: Refuse outputs that do not depend on an input; else they get zeros.

    Returns:
        What the function returned, and the product, as the outputs are.

    Raises:
        ShapeError: `v` has other sizes than the inputs.
        GradientError: As for `vjp`.
        TypeError: The function cannot be called, or something is no tensor.

    >>> x = gb.tensor([1.0, 2.0])
    >>> gb.autograd.functional.jvp(lambda x: x * x, x, gb.tensor([1.0, 0.0]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with enable_grad():
        at = _Pass("jvp", func, inputs, create_graph, strict)
        vectors = _vectors("jvp", v, at.inputs)
        # At ones: at zeros a pass may leave out what it has no logarithm of.
        weights = [ones_like(it).requires_grad_() for it in at.outputs]
        products = at.gradients(at.outputs, weights, True)
        used = [(it, to) for it, to in zip(products, vectors, strict=True) if it.requires_grad]
        found: Sequence[Tensor | None] = [None] * len(weights)
        if used:
            found = grad(
                [it for it, _ in used],
                weights,
                [to for _, to in used],
                create_graph=at.create_graph,
                allow_unused=True,
            )
        made = [zeros_like(of) if it is None else it for it, of in zip(found, weights, strict=True)]
    return at.as_outputs(at.finished(at.outputs)), at.as_outputs(at.slopes(made))


def vhp(
    func: Callable[..., Any],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of a function of one element, and a vector times its Hessian.

    Args:
        func: Called with the inputs; it returns a tensor of one element.
        inputs: A floating tensor, or a tuple of them.
        v: The vector, as the inputs are; 1 for one input of one element.
        create_graph: Record all of it, so that the results can be differentiated.
        strict: Refuse a gradient that does not depend on an input; else it gets zeros.

    Returns:
        What the function returned, and the product, as the inputs are.

    Raises:
        ShapeError: `v` has other sizes than the inputs, or there is more than one element.
        GradientError: As for `vjp`.
        TypeError: The function cannot be called, or something is no tensor.

    >>> x = gb.tensor([1.0, 2.0])
    >>> gb.autograd.functional.vhp(lambda x: (x**3).sum(), x, gb.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Callable[..., Any],
    inputs: _Tensors,
    v: _Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of a function of one element, and its Hessian times a vector.

    A Hessian is symmetric, so this is `vhp`, which PyTorch does in one pass less.

    Args:
        func: Called with the inputs; it returns a tensor of one element.
        inputs: A floating tensor, or a tuple of them.
        v: The vector, as the inputs are; 1 for one input of one element.
        create_graph: Record all of it, so that the results can be differentiated.
        strict: Refuse a gradient that does not depend on an input; else it gets zeros.

    Returns:
        What the function returned, and the product, as the inputs are.

    Raises:
        ShapeError: `v` has other sizes than the inputs, or there is more than one element.
        GradientError: As for `vjp`.
        TypeError: The function cannot be called, or something is no tensor.

    >>> x = gb.tensor([1.0, 2.0])
    >>> gb.autograd.functional.hvp(lambda x: (x**3).sum(), x, gb.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)


def _hessian_product(
    op: str,
    func: _Function,
    inputs: _Tensors,
    v: _Tensors | None,
    create_graph: bool,
    strict: bool,
) -> tuple[Any, Any]:
    with enable_grad():
        at = _Pass(op, func, inputs, create_graph, strict)
        output = at.one_output()
        vectors = _vectors(op, v, at.inputs)
        first = at.gradients([output], None, True)
        found = at.gradients(first, vectors, at.create_graph)
    return at.as_outputs(at.finished(at.outputs)), at.as_inputs(at.finished(found))
