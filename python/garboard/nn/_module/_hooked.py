"""Modules that call others back: before and after forward, in backward, around state dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._contexts.fusing import Fusing
from garboard._engine import _ModuleBase
from garboard._hooks import NO_HOOKS, HookTable, NoHooks, RemovableHandle
from garboard.nn._module._backward_hooks import BackwardCall, watch_last_op
from garboard.nn._module._hooks import HooksWith, KwargsHook, pair_of
from garboard.nn._module._tree import Tree

if TYPE_CHECKING:
    from garboard.nn._module._state import LoadResult

__all__ = ["EVERY_MODULE", "TABLES", "Hooked"]

# The hooks of a module by kind, each in a table that is made with the first.
TABLES = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


class _OfEveryModule(HookTable):
    """Hooks of all modules in the process: while there are any, every call looks for them."""

    __slots__ = ()

    def add(self, hook: Callable[..., Any], is_first: bool = False) -> RemovableHandle:
        Hooked._forward_hooks = NoHooks()
        return super().add(hook, is_first)

    def remove(self, number: int) -> None:
        super().remove(number)
        if not any(EVERY_MODULE.values()):
            Hooked._forward_hooks = NO_HOOKS


EVERY_MODULE = {
    kind: _OfEveryModule()
    for kind in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
}


class Hooked(Tree, _ModuleBase):
    """The part of a Module that runs hooks."""

    # This very table on the class, or another while every module has hooks: one look, and most go
    # on.
    _no_hooks = NO_HOOKS
    _forward_hooks: HookTable = NO_HOOKS
    _forward_pre_hooks: HookTable = NO_HOOKS
    _backward_hooks: HookTable = NO_HOOKS
    _backward_pre_hooks: HookTable = NO_HOOKS
    _state_dict_hooks: HookTable = NO_HOOKS
    _state_dict_pre_hooks: HookTable = NO_HOOKS
    _load_state_dict_pre_hooks: HookTable = NO_HOOKS
    _load_state_dict_post_hooks: HookTable = NO_HOOKS
    _is_fused = False
    _is_full_backward_hook: bool | None = None  # of those in `_backward_hooks`, where some were

    _forward_hooks_with_kwargs = HooksWith("_forward_hooks", "takes_kwargs")
    _forward_hooks_always_called = HooksWith("_forward_hooks", "is_always_called")
    _forward_pre_hooks_with_kwargs = HooksWith("_forward_pre_hooks", "takes_kwargs")
    _call_impl = _wrapped_call_impl = _ModuleBase.__call__

    if TYPE_CHECKING:
        forward: Callable[..., Any]

    def _forget(self) -> None:
        """Let go of what is registered, where a class of several bases calls `__init__` again."""
        for name in (*self._roles, *TABLES):
            vars(self).pop(name, None)

    def _table(self, kind: str) -> HookTable:
        own = vars(self)
        table = own.get(kind)
        if not isinstance(table, HookTable):  # there is none, or an ordinary dict in its place
            table = own[kind] = HookTable(table)
        return table

    def _hooks_of(self, kind: str) -> tuple[Callable[..., Any], ...]:
        """Those of every module, and behind them the module's own."""
        mine = tuple(getattr(self, kind).values())
        return (*EVERY_MODULE[kind].snapshot(), *mine) if kind in EVERY_MODULE else mine

    def _add_backward_hook(
        self, op: str, hook: Callable[..., Any], is_full: bool, prepend: bool
    ) -> RemovableHandle:
        check.function(op, "hook", hook)
        if self._is_full_backward_hook is (not is_full):
            raise ArgumentError(
                f"{op}: {type(self).__name__} has backward hooks of the other kind; hooks of one "
                "kind, full or not, are needed"
            )
        vars(self)["_is_full_backward_hook"] = is_full
        self._table("_forward_hooks")  # so that a call looks for hooks
        return self._table("_backward_hooks").add(hook, prepend)

    def _has_no_hook(self) -> bool:
        """True where nothing is called around `forward`, though there are tables for it."""
        kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
        return not any(map(self._hooks_of, kinds))

    def _fuse_calls(self) -> None:
        self._table("_forward_hooks")  # so that a call looks further
        vars(self)["_is_fused"] = True

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self._is_fused:
            return self._call_between_hooks(args, kwargs)
        with Fusing():
            return self._call_between_hooks(args, kwargs)

    def _call_between_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        output, left = None, list(self._hooks_of("_forward_hooks"))
        try:
            for hook in self._hooks_of("_forward_pre_hooks"):
                if isinstance(hook, KwargsHook):
                    changed = hook.hook(self, args, kwargs)
                    if changed is not None:
                        args, kwargs = pair_of(type(self).__name__, changed)
                    continue
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
            backward = None
            before, after = self._hooks_of("_backward_pre_hooks"), self._hooks_of("_backward_hooks")
            of_last: tuple[Callable[..., Any], ...] = ()
            if self._is_full_backward_hook is False:
                after = EVERY_MODULE["_backward_hooks"].snapshot()
                of_last = self._backward_hooks.snapshot()
            if before or after:
                backward = BackwardCall(self, before, after)
                args = backward.watch_inputs(args)
            output = self.forward(*args, **kwargs)
            left = list(self._hooks_of("_forward_hooks"))  # forward may add some
            while left:
                hook = left.pop(0)
                if isinstance(hook, KwargsHook):
                    changed = hook.after(self, args, kwargs, output)
                else:
                    changed = hook(self, args, output)
                if changed is not None:
                    output = changed
            if of_last:
                watch_last_op(self, of_last, output)
            return output if backward is None else backward.watch_outputs(output)
        except BaseException:
            for hook in left:
                if isinstance(hook, KwargsHook) and hook.is_always_called:
                    hook.after_an_error(self, args, kwargs, output)
            raise

    # Around forward

    @overload
    def register_forward_pre_hook(
        self,
        hook: Callable[[Self, tuple[Any, ...]], object],
        *,
        prepend: bool = False,
        with_kwargs: Literal[False] = False,
    ) -> RemovableHandle: ...
    @overload
    def register_forward_pre_hook(
        self,
        hook: Callable[[Self, tuple[Any, ...], dict[str, Any]], object],
        *,
        prepend: bool = False,
        with_kwargs: Literal[True],
    ) -> RemovableHandle: ...
    def register_forward_pre_hook(
        self,
        hook: Callable[..., object],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args)` before every forward.

        Args:
            hook: What it returns, unless None, replaces `args`: a tuple, or the only argument.
            prepend: Call it before the hooks that are there.
            with_kwargs: Call `hook(module, args, kwargs)`; what it returns is a pair of both.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        >>> layer = gb.nn.ReLU()
        >>> handle = layer.register_forward_pre_hook(lambda module, args: -args[0])
        >>> layer(gb.tensor([-1.0, 2.0]))
        tensor([1., 0.])
        """
        return self._table("_forward_pre_hooks").add(
            KwargsHook(hook) if with_kwargs else hook, prepend
        )

    @overload
    def register_forward_hook(
        self,
        hook: Callable[[Self, tuple[Any, ...], Any], object],
        *,
        prepend: bool = False,
        with_kwargs: Literal[False] = False,
        always_call: bool = False,
    ) -> RemovableHandle: ...
    @overload
    def register_forward_hook(
        self,
        hook: Callable[[Self, tuple[Any, ...], dict[str, Any], Any], object],
        *,
        prepend: bool = False,
        with_kwargs: Literal[True],
        always_call: bool = False,
    ) -> RemovableHandle: ...
    def register_forward_hook(
        self,
        hook: Callable[..., object],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after every forward.

        Args:
            hook: What it returns, unless None, replaces the output.
            prepend: Call it before the hooks that are there.
            with_kwargs: Call `hook(module, args, kwargs, output)`.
            always_call: Call it where forward, or a hook before it, has raised too: with None for
                the output if there is none. What it raises then becomes a warning.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        >>> layer = gb.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, args, output: output * 10)
        >>> layer(gb.tensor([-1.0, 2.0]))
        tensor([ 0., 20.])
        """
        table = self._table("_forward_hooks")
        if with_kwargs or always_call:
            hook = KwargsHook(hook, with_kwargs, always_call)
        return table.add(hook, prepend)

    # In backward

    def register_full_backward_hook(
        self, hook: Callable[[Any, tuple[Any, ...], tuple[Any, ...]], object], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when a backward pass leaves the module.

        Both are tuples: of the gradients of the positional arguments and of the results, None for
        what has none. What forward returns, and is given, may not be written in place then.

        Args:
            hook: What it returns, unless None, replaces `grad_input`: a tuple of as many, or the
                only one.
            prepend: Call it before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called; in backward, it returns something else.
            ArgumentError: The module has hooks of `register_backward_hook`.

        >>> layer = gb.nn.Tanh()
        >>> handle = layer.register_full_backward_hook(lambda module, given, got: (given[0] * 10,))
        >>> x = gb.zeros(1, requires_grad=True)
        >>> layer(x).backward(gb.ones(1))
        >>> x.grad
        tensor([10.])
        """
        return self._add_backward_hook("register_full_backward_hook", hook, True, prepend)

    def register_backward_hook(
        self, hook: Callable[[Any, tuple[Any, ...], tuple[Any, ...]], object]
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when a backward pass leaves the last op.

        That is the op that made what forward returns, of several the first: of a module of one op,
        `grad_input` begins with the input's gradient, and those of weights follow. What forward
        returns, and is given, may be written in place, unlike with `register_full_backward_hook`.

        Args:
            hook: What it returns, unless None, replaces `grad_input`: a tuple of as many.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called.
            ArgumentError: The module has hooks of `register_full_backward_hook`.

        >>> layer = gb.nn.Tanh()
        >>> handle = layer.register_backward_hook(lambda module, given, got: (given[0] * 10,))
        >>> x = gb.zeros(1, requires_grad=True)
        >>> layer(x).backward(gb.ones(1))
        >>> x.grad
        tensor([10.])
        """
        return self._add_backward_hook("register_backward_hook", hook, False, False)

    def register_full_backward_pre_hook(
        self, hook: Callable[[Any, tuple[Any, ...]], object], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` when a backward pass comes to the module.

        Args:
            hook: What it returns, unless None, replaces `grad_output`: a tuple of as many, or the
                only one.
            prepend: Call it before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called; in backward, it returns something else.

        >>> layer = gb.nn.Tanh()
        >>> handle = layer.register_full_backward_pre_hook(lambda module, got: (got[0] * 10,))
        >>> x = gb.zeros(1, requires_grad=True)
        >>> layer(x).backward(gb.ones(1))
        >>> x.grad
        tensor([10.])
        """
        check.function("register_full_backward_pre_hook", "hook", hook)
        self._table("_forward_hooks")
        return self._table("_backward_pre_hooks").add(hook, prepend)

    # Around state dicts

    def register_state_dict_pre_hook(
        self, hook: Callable[[Any, str, bool], object]
    ) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before the module's state is collected.

        Args:
            hook: What it returns is dropped.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called.

        >>> layer = gb.nn.ReLU()
        >>> handle = layer.register_state_dict_pre_hook(lambda module, prefix, keep: print("now"))
        >>> len(layer.state_dict())
        now
        0
        """
        check.function("register_state_dict_pre_hook", "hook", hook)
        return self._table("_state_dict_pre_hooks").add(hook)

    def register_state_dict_post_hook(
        self, hook: Callable[[Any, dict[str, Any], str, dict[str, Any]], object]
    ) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` once the state is collected.

        That of the module and of those below it, with `prefix` before their paths; what modules
        around it have is partly there too. The hook may change the dict.

        Args:
            hook: What it returns must be None.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called, or returns something.

        >>> layer = gb.nn.Linear(2, 1)
        >>> def drop_bias(module, state, prefix, metadata):
        ...     del state[prefix + "bias"]
        >>> handle = layer.register_state_dict_post_hook(drop_bias)
        >>> list(layer.state_dict())
        ['weight']
        """
        check.function("register_state_dict_post_hook", "hook", hook)
        return self._table("_state_dict_hooks").add(hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        return self._table("_state_dict_hooks").add(KwargsHook(hook))  # one that may return a dict

    def register_load_state_dict_pre_hook(self, hook: Callable[..., object]) -> RemovableHandle:
        """Call a hook before the module's state is loaded, which may change what is.

        Args:
            hook: Called with the module, the dict (a copy, for the hook to change), the prefix of
                the module's paths, metadata, `strict`, and three lists: missing paths, unexpected
                ones, and errors, which it may add to.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called.

        >>> layer = gb.nn.Linear(1, 1, bias=False)
        >>> def rename(module, state, prefix, *others):
        ...     state[prefix + "weight"] = state.pop(prefix + "old")
        >>> handle = layer.register_load_state_dict_pre_hook(rename)
        >>> _ = layer.load_state_dict({"old": gb.ones(1, 1)})
        >>> layer.weight.item()
        1.0
        """
        check.function("register_load_state_dict_pre_hook", "hook", hook)
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., object], with_module: bool = False
    ) -> RemovableHandle:
        table = self._table("_load_state_dict_pre_hooks")
        return table.add(hook if with_module else KwargsHook(hook))

    def register_load_state_dict_post_hook(
        self, hook: Callable[[Any, LoadResult], object]
    ) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` once the module's state is loaded.

        Args:
            hook: It may change the lists of its second argument, `missing_keys` and
                `unexpected_keys`, of which `strict` makes errors. It must return None.

        Returns:
            A handle, whose `remove()` takes the hook off again.

        Raises:
            TypeError: The hook cannot be called, or returns something.

        >>> layer = gb.nn.Linear(1, 1)
        >>> handle = layer.register_load_state_dict_post_hook(lambda _, keys: keys[0].clear())
        >>> layer.load_state_dict({"weight": gb.ones(1, 1)})
        <All keys matched successfully>
        """
        check.function("register_load_state_dict_post_hook", "hook", hook)
        return self._table("_load_state_dict_post_hooks").add(hook)
