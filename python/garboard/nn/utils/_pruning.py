"""Parameters times masks: what all ways to prune have in common, and several in a row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DisposeScope, IndexOutOfRangeError, ShapeError, Tensor, ones_like
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

__all__ = ["BasePruningMethod", "PruningContainer", "channel_dim", "check_mask", "pruning_hooks"]


def pruning_hooks(module: Module) -> dict[int, BasePruningMethod]:
    """Return the methods that prune parameters of `module` itself, by their hooks' numbers."""
    hooks = module._forward_pre_hooks
    return {key: it for key, it in dict(hooks).items() if isinstance(it, BasePruningMethod)}


def channel_dim(op: str, t: Tensor, dim: int) -> int:
    """Return the dim that `dim` names, from the front.

    Raises IndexOutOfRangeError beyond the dims, and ValueError where there are no channels.
    """
    if t.ndim < 2:
        raise ValueError(f"{op}: a tensor of {t.ndim} dims has no channels; 2 or more are needed")
    if not -t.ndim <= dim < t.ndim:
        raise IndexOutOfRangeError(
            f"{op}: dim {shown(dim)} of a tensor of {t.ndim} dims; "
            f"one in [{-t.ndim}, {t.ndim}) is needed"
        )
    return dim % t.ndim


def check_mask(t: Tensor, default_mask: Tensor) -> None:
    """Raise TypeError unless both are tensors, and ShapeError unless their sizes are equal."""
    sizes = check.tensor("compute_mask", "t", t).shape
    if check.tensor("compute_mask", "default_mask", default_mask).shape != sizes:
        raise ShapeError(
            f"compute_mask: default_mask of sizes {list(default_mask.shape)} for a tensor of "
            f"{list(sizes)}; the same are needed"
        )


class BasePruningMethod(ABC):
    """A way to choose which elements of a parameter are zero.

    `apply` turns a parameter `name` into the parameter `name_orig` and the buffer `name_mask`; a
    hook before each forward sets `name` to their product. A subclass says what the mask is.

    Attributes:
        PRUNING_TYPE: What a second method in a row chooses from: "unstructured" for the elements
            that are left, "structured" for the slices along `dim` that are, "global" for all.

    >>> class EveryOther(gb.nn.utils.prune.BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...
    ...     def compute_mask(self, t, default_mask):
    ...         mask = default_mask.clone()
    ...         mask.view(-1)[::2] = 0
    ...         return mask
    >>> layer = gb.nn.Linear(4, 1)
    >>> method = EveryOther.apply(layer, "weight")
    >>> layer.get_buffer("weight_mask")
    tensor([[0., 1., 0., 1.]])
    """

    PRUNING_TYPE: ClassVar[str]
    _tensor_name: str | None = None

    def __call__(self, module: Module, inputs: object) -> None:
        setattr(module, self._name("prune"), self.apply_mask(module))

    def _name(self, op: str) -> str:
        if self._tensor_name is None:
            raise ValueError(f"{op}: {type(self).__name__} prunes nothing; apply() it first")
        return self._tensor_name

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of `t`: 1 for what stays, 0 for what does not.

        Args:
            t: The elements, or how important each is; without history.
            default_mask: A mask that holds already, of the same sizes; it must not be written.

        Returns:
            A tensor of `t`'s sizes.

        >>> keep_all = gb.nn.utils.prune.Identity()
        >>> keep_all.compute_mask(gb.ones(2), default_mask=gb.ones(2))
        tensor([1., 1.])
        """

    def apply_mask(self, module: Module) -> Tensor:
        """Return the product of the parameter and its mask, as forward uses it.

        Args:
            module: Whose parameter is pruned by this method.

        Returns:
            A new tensor, with the parameter's history.

        Raises:
            ValueError: The method was not applied.

        >>> layer = gb.nn.Linear(4, 1)
        >>> method = gb.nn.utils.prune.L1Unstructured.apply(layer, "weight", amount=3)
        >>> int((method.apply_mask(layer) != 0).sum())
        1
        """
        name = self._name("apply_mask")
        mask, original = (getattr(module, f"{name}_{end}") for end in ("mask", "orig"))
        pruned: Tensor = mask.to(original.dtype) * original
        return pruned

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:
        """Prune a parameter by this method, after those that prune it already.

        All or nothing: where a mask cannot be made, the module stays as it is.

        Args:
            module: Whose parameter it is.
            name: The parameter's name.
            args, kwargs: What the method itself takes.
            importance_scores: What to choose by instead of the elements, in the parameter's sizes.

        Returns:
            The method; a PruningContainer where it is not the first.

        Raises:
            ValueError: There is no such parameter.
            ShapeError: The scores or the mask have other sizes than the parameter.
            TypeError: An argument of a wrong type.

        >>> layer = gb.nn.Linear(4, 1)
        >>> method = gb.nn.utils.prune.RandomUnstructured.apply(layer, "weight", amount=0.5)
        >>> layer.get_buffer("weight_mask").sum()
        tensor(2.)
        """
        op = "prune"
        check.of_type(Module, op, "module", module)
        said = check.text(op, "name", name)
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = said
        before = {key: it for key, it in pruning_hooks(module).items() if it._tensor_name == said}
        is_first = not before
        for old in before.values():
            method = PruningContainer(
                *(old if isinstance(old, PruningContainer) else (old,)), method
            )
        original = vars(module).get(f"{said}_orig" if before else said)
        if not isinstance(original, Parameter):
            raise ValueError(
                f"{op}: {type(module).__name__} has no parameter {shown(said)}; one is needed"
            )
        held = None if is_first else getattr(module, f"{said}_mask")
        scores = importance_scores
        if held is not None and scores is None:  # what is left counts, as in sums of a column
            with no_grad():
                scores = original * held.to(original.dtype)
        mask = method._mask(op, original, held, scores)
        for key in before:
            module._forward_pre_hooks.remove(key)
        if is_first:
            delattr(module, said)
            module.register_parameter(f"{said}_orig", original)
        module.register_buffer(f"{said}_mask", mask)
        setattr(module, said, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def _mask(self, op: str, t: Tensor, held: Tensor | None, scores: Tensor | None) -> Tensor:
        if scores is not None and check.tensor(op, "importance_scores", scores).shape != t.shape:
            raise ShapeError(
                f"{op}: importance_scores of sizes {list(scores.shape)} for a tensor of "
                f"{list(t.shape)}; the same are needed"
            )
        with no_grad(), DisposeScope("prune") as scope:
            elements = t.detach()
            default = ones_like(elements) if held is None else held.detach().clone()
            judged = elements if scores is None else scores.detach()
            made = check.tensor(op, "the mask", self.compute_mask(judged, default_mask=default))
            if made.shape != t.shape:
                raise ShapeError(
                    f"{op}: a mask of sizes {list(made.shape)} for a tensor of {list(t.shape)}; "
                    "the same are needed"
                )
            return scope.move_to_outer(made.detach().clone())

    def prune(
        self,
        t: Tensor,
        default_mask: Tensor | None = None,
        importance_scores: Tensor | None = None,
    ) -> Tensor:
        """Return a tensor times the mask that this method gives it; no module changes.

        Args:
            t: Any tensor that the method can prune.
            default_mask: A mask that holds already; ones by default.
            importance_scores: What to choose by instead of the elements.

        Returns:
            A new tensor of `t`'s sizes.

        Raises:
            ShapeError: The scores or a mask have other sizes than `t`.
            TypeError: Something that is no Tensor.

        >>> gb.nn.utils.prune.L1Unstructured(amount=1).prune(gb.tensor([3.0, 1.0, 2.0]))
        tensor([3., 0., 2.])
        """
        check.tensor("prune", "t", t)
        if default_mask is not None:
            check.tensor("prune", "default_mask", default_mask)
            if default_mask.shape != t.shape:
                raise ShapeError(
                    f"prune: default_mask of sizes {list(default_mask.shape)} for a tensor of "
                    f"{list(t.shape)}; the same are needed"
                )
        return t * self._mask("prune", t, default_mask, importance_scores).to(t.dtype)

    def remove(self, module: Module) -> None:
        """Let the parameter be an ordinary one again, with zeros where it was pruned.

        It is the parameter that it was, so optimizers that have it go on. The hook stays;
        `gb.nn.utils.prune.remove` takes both off.

        Args:
            module: Whose parameter it is.

        Raises:
            ValueError: The method was not applied to this module.

        >>> layer = gb.nn.Linear(4, 1)
        >>> method = gb.nn.utils.prune.L1Unstructured.apply(layer, "weight", amount=3)
        >>> method.remove(layer)
        >>> sorted(layer.state_dict())
        ['bias', 'weight']
        """
        name = self._name("remove")
        original = vars(check.of_type(Module, "remove", "module", module)).get(f"{name}_orig")
        if not isinstance(original, Parameter):
            raise ValueError(
                f"remove: {shown(name)} of {type(module).__name__} is not pruned; apply() it first"
            )
        with no_grad():
            original.data = self.apply_mask(module)
        for gone in (name, f"{name}_orig", f"{name}_mask"):
            if hasattr(module, gone):
                delattr(module, gone)
        module.register_parameter(name, original)


class PruningContainer(BasePruningMethod):
    """Several methods that prune one parameter, each after the others.

    Args:
        args: Methods, all for the same name.

    Raises:
        TypeError: One is no method.
        ValueError: One is for another name than the first.

    >>> layer = gb.nn.Linear(4, 1)
    >>> for amount in (2, 1):
    ...     layer = gb.nn.utils.prune.l1_unstructured(layer, "weight", amount)
    >>> layer.get_buffer("weight_mask").sum()
    tensor(1.)
    """

    PRUNING_TYPE: ClassVar[str] = "global"

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod) -> None:
        """Let a method be the last.

        Args:
            method: It prunes what the others prune.

        Raises:
            TypeError: It is no method.
            ValueError: It is for another name.

        >>> container = gb.nn.utils.prune.PruningContainer()
        >>> container.add_pruning_method(gb.nn.utils.prune.Identity())
        >>> len(container)
        1
        """
        op = "add_pruning_method"
        if not isinstance(method, BasePruningMethod):
            raise TypeError(
                f"{op}: method is of type {type(method).__name__}; a BasePruningMethod is needed"
            )
        if self._pruning_methods and method._tensor_name != self._tensor_name:
            raise ValueError(
                f"{op}: a method for {shown(method._tensor_name)} after those for "
                f"{shown(self._tensor_name)}; one for the same name is needed"
            )
        self._tensor_name = method._tensor_name
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask that the last method makes of what the others have left.

        Args:
            t: The elements, or how important each is.
            default_mask: The mask of the others.

        Returns:
            A new tensor of `default_mask`'s sizes and `t`'s dtype.

        Raises:
            ValueError: There is no method, or one has no `PRUNING_TYPE` that is known.

        >>> smallest = gb.nn.utils.prune.L1Unstructured(amount=1)
        >>> container = gb.nn.utils.prune.PruningContainer(smallest)
        >>> container.compute_mask(gb.tensor([1.0, 2.0, 3.0]), gb.tensor([0.0, 1.0, 1.0]))
        tensor([0., 0., 1.])
        """
        check_mask(t, default_mask)
        if not self._pruning_methods:
            raise ValueError("compute_mask: a PruningContainer without methods; add one")
        method = self._pruning_methods[-1]
        with no_grad(), DisposeScope("compute_mask") as scope:
            mask = default_mask.to(t.dtype).clone()
            places = _open_places(method, t, mask)
            made = method.compute_mask(t[places], default_mask=mask[places])
            mask[places] = made.to(mask.dtype)
            return scope.move_to_outer(mask)


def _open_places(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Any:
    """Return the index of what `method` may choose from."""
    kind = getattr(method, "PRUNING_TYPE", None)
    if kind == "global":
        return ...
    if kind == "unstructured":
        return mask == 1
    if kind != "structured" or not hasattr(method, "dim"):
        needed = "a dim" if kind == "structured" else "'unstructured', 'structured' or 'global'"
        raise ValueError(
            f"compute_mask: {type(method).__name__} of PRUNING_TYPE {shown(kind)}; "
            f"{needed} is needed"
        )
    dim = channel_dim("compute_mask", t, check.integer("compute_mask", "dim", method.dim))
    others = [other for other in range(t.ndim) if other != dim]
    return (*[slice(None)] * dim, mask.sum(dim=others) != 0)
