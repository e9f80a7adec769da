"""Ops of one's own: what they compute, and how their gradients are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar

from garboard import _engine
from garboard._arguments.layouts import is_really
from garboard._arguments.overriding import overridable
from garboard._contexts.grad_mode import no_grad
from garboard._engine import GradientError, Tensor, is_grad_enabled
from garboard.autograd._function_ctx import FunctionCtx, current_level, open_batches
from garboard.autograd._function_outputs import claim, echoed, stand_ins
from garboard.autograd.forward_ad import carry, tangents_of

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

_B = TypeVar("_B", bound=Callable[..., Any])


class Function:
    """An op of one's own: a class with `forward` and `backward`, called by `apply`.

    `forward(ctx, *args)` computes; its arguments and results may be anything, and tensors among
    them take part in the graph. `backward(ctx, *grads)` is given a gradient for each result and
    returns one for each argument, None where there is none. Where it is made of ops it can itself
    be differentiated. Instead of `ctx`, forward may leave to `setup_context(ctx, inputs, output)`
    what is to be remembered.

    Args:
        *args, **kwargs: Nothing: there are no instances.

    Raises:
        TypeError: An instance is asked for.

    >>> class Exp(gb.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         (y,) = ctx.saved_tensors
    ...         return gradient * y
    >>> x = gb.zeros(2, requires_grad=True)
    >>> Exp.apply(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            f"{cls.__name__}: an instance is asked for; call {cls.__name__}.apply(...) instead, "
            "with forward and backward as static methods"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the results. A class says how; see `Function`.

        It runs without grad mode: what it computes is not recorded.

        Args:
            *args: `ctx`, unless there is a `setup_context`, then what `apply` was given.
            **kwargs: What `apply` was given by name, where there is a `setup_context`.

        Returns:
            A Tensor, or a tuple of anything.

        Raises:
            NotImplementedError: The class has no `forward`.

        >>> class Twice(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        >>> Twice.apply(gb.ones(1))
        tensor([2.])
        """
        raise NotImplementedError("Function.forward: none was written; a static method is needed")

    @staticmethod
    @overridable
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Remember what backward needs, after forward. A class may leave this to its forward.

        Args:
            ctx: Where to; see `FunctionCtx`.
            inputs: The arguments of forward, with its defaults.
            output: What forward returned.

        Returns:
            Nothing.

        Raises:
            NotImplementedError: The class has none, and forward takes `ctx` itself.

        >>> class Square(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x * x
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         ctx.save_for_backward(*inputs)
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         return 2 * ctx.saved_tensors[0] * gradient
        >>> x = gb.tensor(3.0, requires_grad=True)
        >>> gb.autograd.grad(Square.apply(x), x)
        (tensor(6.),)
        """
        raise NotImplementedError("Function.setup_context: none was written")

    @staticmethod
    @overridable
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the arguments. A class says how; see `Function`.

        It is recorded where the pass is, by `create_graph=True`.

        Args:
            ctx: What forward has remembered; see `FunctionCtx`.
            *grad_outputs: The gradient of each output, in its shape and dtype; zeros, or None,
                where nothing was computed from one.

        Returns:
            A gradient for each argument of forward, a tuple where there are several, each in its
            argument's shape or one that broadcasting makes of it; None where there is none.

        Raises:
            NotImplementedError: The class has no `backward`.

        >>> class Straight(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x.round()
        ...     @staticmethod
        ...     def backward(ctx, gradient):  # or vjp, which is the same
        ...         return gradient
        >>> x = gb.tensor(1.6, requires_grad=True)
        >>> gb.autograd.grad(Straight.apply(x), x)
        (tensor(1.),)
        """
        raise NotImplementedError("Function.backward: none was written; a static method is needed")

    vjp = backward

    @staticmethod
    @overridable
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Compute the tangents of the results along those of the arguments. A class may say how.

        `autograd.forward_ad` calls it after forward, in a level, once a call. Where a class has
        none, tangents are worked out from its backward.

        Args:
            ctx: What forward has remembered; `saved_tensors` is what `save_for_forward` was given.
            *grad_inputs: The tangent of each argument, zeros where a tensor has none; None for
                what is no tensor of numbers with a fraction.

        Returns:
            A tangent for each result, a tuple where there are several; None where there is none.

        Raises:
            NotImplementedError: The class has no `jvp`.

        >>> class Twice(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def jvp(ctx, tangent):
        ...         return tangent * 2
        >>> import garboard.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(gb.ones(2), gb.tensor([1.0, 3.0]))
        ...     fwAD.unpack_dual(Twice.apply(x)).tangent
        tensor([2., 6.])
        """
        raise NotImplementedError("Function.jvp: none was written; a static method is needed")

    #: Whether `vmap` makes a rule of its own, in PyTorch. Here it calls the op for each sample
    #: where a class has no `vmap`, be this so or not.
    generate_vmap_rule = False

    @staticmethod
    @overridable
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Compute the op for a batch of samples at once. A class may say how.

        `func.vmap` calls it instead of `forward`; it calls `apply` itself, with what has the
        samples along a dim. Without it `apply` is called for each sample.

        Args:
            info: `batch_size`, how many samples there are, and `randomness`, "same" where they
                draw the same numbers, else "different".
            in_dims: For each argument the dim of the samples, or None.
            *args: The arguments, with the samples along those dims.

        Returns:
            A pair of the outputs and where the samples stand in each; None where they are alike.

        Raises:
            NotImplementedError: The class has none.

        >>> class Twice(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def vmap(info, in_dims, x):
        ...         return Twice.apply(x), in_dims[0]
        >>> gb.func.vmap(Twice.apply)(gb.ones(2))
        tensor([2., 2.])
        """
        raise NotImplementedError("Function.vmap: none was written; a static method is needed")

    @classmethod
    def _rule(cls) -> Callable[..., Any]:
        has_own = cls.backward is not Function.backward
        if has_own and cls.vjp is not Function.vjp:
            raise GradientError(
                f"{cls.__name__}: both backward and vjp were written; they are one, write one"
            )
        if not has_own and cls.vjp is Function.vjp:
            raise NotImplementedError(
                f"{cls.__name__}.backward: none was written; a static method backward(ctx, *grads) "
                "is needed, which returns a gradient for each argument of forward"
            )
        return cls.backward if has_own else cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the op, and record it where an argument requires grad.

        Args:
            *args: What forward takes. Tensors inside lists and dicts take no part in the graph.
            **kwargs: The same by name. Without a `setup_context` they take no part in the graph,
                and backward returns nothing for them.

        Returns:
            What forward returned, its tensors as new handles with a history; an argument that it
            has written in place is returned itself.

        Raises:
            NotImplementedError: The class has no `forward`.
            TypeError: A tensor that requires grad by name, for a forward that takes `ctx`.
            GradientError: An argument is written in place that is a leaf or a view; or what was
                marked as written is no argument, or was not returned.
            DisposedError: What forward returned was disposed.

        >>> class Negate(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return -x
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         return -gradient
        >>> Negate.apply(gb.ones(2))
        tensor([-1., -1.])
        """
        _check_written(cls)
        for batch in reversed(open_batches.get()):
            if batch.has_samples(args, kwargs):
                return batch.applied(cls, args, kwargs)
        has_setup = cls.setup_context is not Function.setup_context
        if has_setup:
            args = _bound(cls.forward, args, kwargs)
        elif any(is_really(it, Tensor) and it.requires_grad for it in kwargs.values()):
            raise TypeError(
                f"{cls.__name__}.apply: tensors that require grad by name, of "
                f"{', '.join(kwargs)}; give them by place, or write a setup_context"
            )
        ctx = FunctionCtx(cls, args)
        carried = None if cls.jvp is Function.jvp else tangents_of(args)
        with no_grad():
            if has_setup:
                output = _forward_of_values(cls.forward, args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        is_recorded = is_grad_enabled() and any(ctx.needs_input_grad)
        outputs = output if isinstance(output, tuple) else (output,)
        claimed = claim(ctx, args, outputs) if is_recorded and carried is None else {}
        saving, ctx._saving = ctx._saving, ()
        dirty, ctx._dirty = ctx._dirty, ()
        without_gradient, ctx._without_gradient = ctx._without_gradient, ()
        results, ctx._saved = _engine._record_function(
            ctx,
            cls.__name__,
            args,
            stand_ins(outputs, claimed) if claimed else outputs,
            saving,
            dirty,
            without_gradient,
            ctx._materializes,
            is_recorded,
        )
        if carried is not None:
            ctx._carried_in = carry(cls.__name__, cls.jvp, ctx, args, results, *carried)
        ctx._for_forward = None
        if claimed:
            ctx._outputs = claimed
            results = echoed(ctx, cls.__name__, results, claimed)
        return results if isinstance(output, tuple) else results[0]


def _check_written(function: type[Function]) -> None:
    if function.forward is Function.forward:
        raise NotImplementedError(
            f"{function.__name__}.forward: none was written; a static method forward(ctx, *args) "
            "is needed"
        )


def _forward_of_values(forward: Any, args: tuple[Any, ...]) -> Any:
    """Call forward; in a transform of `func` with tensors that NumPy takes, as in PyTorch."""
    if current_level.get() is None:
        return forward(*args)
    values = [it.detach() if is_really(it, Tensor) and it.requires_grad else it for it in args]
    given = {id(value): it for value, it in zip(values, args, strict=True)}
    found = forward(*values)
    if isinstance(found, tuple):
        return tuple([given.get(id(it), it) for it in found])
    return given.get(id(found), found)


def _bound(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments as forward takes them, with its defaults."""
    code = getattr(forward, "__code__", None)
    if code is not None and not kwargs and not forward.__defaults__:
        return args
    import inspect

    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


class _Refused(Function):
    """Passes tensors on whose derivatives for others nobody knows."""

    @staticmethod
    def forward(ctx: Any, name: str, count: int, *tensors: Tensor) -> Any:
        ctx.name = name
        return tensors[:count]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> NoReturn:
        raise GradientError(
            f"{ctx.name}.backward: it is differentiated, and marked once_differentiable; make it "
            "of ops and leave the mark out, or leave create_graph=True out"
        )


class InplaceFunction(Function):
    """A Function by the name of those that may write their arguments; any may: see `mark_dirty`.

    >>> class Sign(gb.autograd.function.InplaceFunction):
    ...     @classmethod
    ...     def forward(cls, ctx, x, inplace=False):
    ...         if inplace:
    ...             ctx.mark_dirty(x)
    ...         return x.sign_() if inplace else x.sign()
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         return gradient, None
    >>> x = gb.tensor([-2.0, 3.0], requires_grad=True)
    >>> gb.autograd.grad(Sign.apply(x).sum(), x)
    (tensor([1., 1.]),)
    """


def once_differentiable(fn: _B) -> _B:
    """Say that a `backward` computes what cannot be differentiated again, with NumPy say.

    It runs without grad mode. Where its gradients are differentiated nevertheless, that raises
    GradientError instead of being wrong.

    Args:
        fn: The `backward` of a `Function`.

    Returns:
        The same function, to be decorated as a static method.

    >>> class Sine(gb.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x.sin()
    ...     @staticmethod
    ...     @gb.autograd.function.once_differentiable
    ...     def backward(ctx, gradient):
    ...         (x,) = ctx.saved_tensors
    ...         return gb.tensor(gradient.numpy() * x.detach().cos().numpy())
    >>> x = gb.zeros(1, requires_grad=True)
    >>> gb.autograd.grad(Sine.apply(x), x)
    (tensor([1.]),)
    """

    @wraps(fn)
    def run(ctx: Any, *gradients: Any) -> Any:
        with no_grad():
            found = fn(ctx, *gradients)
        if not is_grad_enabled():
            return found
        seen = (*gradients, *ctx._known())
        behind = [it for it in seen if is_really(it, Tensor) and it.requires_grad]
        results = found if isinstance(found, tuple) else (found,)
        tensors = [it for it in results if is_really(it, Tensor)]
        refused = iter(_Refused.apply(ctx._name, len(tensors), *tensors, *behind))
        out = tuple([next(refused) if is_really(it, Tensor) else it for it in results])
        return out if isinstance(found, tuple) else out[0]

    return run  # type: ignore[return-value]
