"""Nests of lists, tuples, dicts and deques, taken apart into leaves and put together again.

Leaves are what is none of these; None is one. A subclass of a container is a leaf, but for named
tuples, sizes and results of two.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown

__all__ = [
    "SUPPORTED_NODES",
    "Context",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "NodeDef",
    "PyTree",
    "SequenceKey",
    "TreeSpec",
    "is_named",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
]

Context = Any
PyTree = Any
_Parts = tuple[list[Any], Any]


@dataclass(frozen=True)
class TreeSpec:
    """The form of a nest: its type, what beside the parts makes it, and the forms of those."""

    type: Any
    context: Any
    children_specs: list[TreeSpec] = field(default_factory=list)

    def is_leaf(self) -> bool:
        return self.type is None

    @property
    def num_children(self) -> int:
        return len(self.children_specs)

    @property
    def num_leaves(self) -> int:
        return 1 if self.is_leaf() else sum(it.num_leaves for it in self.children_specs)

    @property
    def num_nodes(self) -> int:
        return 1 + sum(it.num_nodes for it in self.children_specs)


def is_named(kind: type) -> bool:
    """Tell whether a type is a named tuple's."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _defaulted(parts: Iterable[Any], context: Any) -> Any:
    factory, keys = context
    return defaultdict(factory, zip(keys, parts, strict=True))


class MappingKey(NamedTuple):
    """The place of a part in a mapping."""

    key: Any

    def __str__(self) -> str:
        return f"[{shown(self.key)}]"


def _size_or_tuple(parts: list[Any]) -> tuple[Any, ...]:
    """Sizes, unless what became of them is something else."""
    return _engine._Size(parts) if all(type(it) is int for it in parts) else tuple(parts)


def _dict_flatten(it: Mapping[Any, Any]) -> _Parts:
    return [*it.values()], [*it]


def _dict_unflatten(parts: Iterable[Any], keys: Iterable[Any]) -> dict[Any, Any]:
    return dict(zip(keys, parts, strict=True))


def _dict_flatten_with_keys(it: Mapping[Any, Any]) -> _Parts:
    return [(MappingKey(key), part) for key, part in it.items()], [*it]


class SequenceKey(NamedTuple):
    """The place of a part in a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx}]"


def _list_flatten(it: list[Any]) -> _Parts:
    return [*it], None


def _list_unflatten(parts: Iterable[Any], context: Any) -> list[Any]:
    return [*parts]


def _list_flatten_with_keys(it: list[Any]) -> _Parts:
    return [(SequenceKey(place), part) for place, part in enumerate(it)], None


class NodeDef(NamedTuple):
    """How a container is taken apart into parts and a context, and made of them.

    The last function gives the parts with the place of each, where it is known.
    """

    flatten_fn: Callable[[Any], _Parts]
    unflatten_fn: Callable[[list[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], _Parts] | None = None


# By type, and for all named tuples by the function that makes their types.
SUPPORTED_NODES: dict[Any, NodeDef] = {
    list: NodeDef(_list_flatten, _list_unflatten),
    tuple: NodeDef(lambda it: ([*it], None), lambda parts, _: tuple(parts)),
    namedtuple: NodeDef(lambda it: ([*it], type(it)), lambda parts, kind: kind(*parts)),
    dict: NodeDef(_dict_flatten, _dict_unflatten),
    OrderedDict: NodeDef(
        _dict_flatten,
        lambda parts, keys: OrderedDict(zip(keys, parts, strict=True)),
    ),
    defaultdict: NodeDef(lambda it: ([*it.values()], (it.default_factory, [*it])), _defaulted),
    deque: NodeDef(lambda it: ([*it], it.maxlen), lambda parts, longest: deque(parts, longest)),
    _engine._Size: NodeDef(lambda it: ([*it], None), lambda parts, _: _size_or_tuple(parts)),
    _engine.ValuesAndIndices: NodeDef(
        lambda it: ([*it], None), lambda parts, _: _engine.ValuesAndIndices(parts)
    ),
}


def LeafSpec() -> TreeSpec:  # noqa: N802
    """The form of a leaf."""
    return TreeSpec(None, None)


def _get_node_type(tree: PyTree) -> Any:
    kind = type(tree)
    return namedtuple if kind not in SUPPORTED_NODES and is_named(kind) else kind


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_fn: Callable[[list[Any], Any], Any],
    *,
    flatten_with_keys_fn: Callable[[Any], tuple[Iterable[Any], Any]] | None = None,
    **options: object,
) -> None:
    """Say how a class of one's own is taken apart and put together.

    Args:
        cls: The class.
        flatten_fn: Gives the parts of an object, and what beside them makes it.
        unflatten_fn: Makes an object of a list of parts, and of that.
        flatten_with_keys_fn: Gives pairs of a key and a part in place of the parts; paths have
            these keys. By default they have the parts' numbers.
        options: PyTorch's, without effect.

    Raises:
        ValueError: The class is known.
        TypeError: A function cannot be called.
    """
    for name, it in (("flatten_fn", flatten_fn), ("unflatten_fn", unflatten_fn)):
        check.function("register_pytree_node", name, it)
    if check.of_type(type, "register_pytree_node", "cls", cls) in SUPPORTED_NODES:
        raise ValueError(
            f"register_pytree_node: {cls.__name__} is known; one that is not is needed"
        )

    def parts(it: Any) -> _Parts:
        found, context = flatten_fn(it)
        return [*found], context

    def parts_with_keys(it: Any) -> _Parts:
        found, context = flatten_with_keys_fn(it)  # type: ignore[misc]
        return [*found], context

    if flatten_with_keys_fn is None:
        SUPPORTED_NODES[cls] = NodeDef(parts, unflatten_fn)
        return
    check.function("register_pytree_node", "flatten_with_keys_fn", flatten_with_keys_fn)
    SUPPORTED_NODES[cls] = NodeDef(parts, unflatten_fn, parts_with_keys)


_register_pytree_node = register_pytree_node


def _taken(tree: PyTree) -> tuple[Any, _Parts] | None:
    kind = _get_node_type(tree)
    return (kind, SUPPORTED_NODES[kind].flatten_fn(tree)) if kind in SUPPORTED_NODES else None


def tree_flatten(
    tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a nest in order, and its form.

    >>> from garboard.utils._pytree import tree_flatten
    >>> tree_flatten({"a": 1, "b": (2, [None])})[0]
    [1, 2, None]
    """
    leaves: list[Any] = []
    return leaves, _flattened(tree, is_leaf, leaves)


def _flattened(tree: PyTree, is_leaf: Any, leaves: list[Any]) -> TreeSpec:
    taken = None if is_leaf is not None and is_leaf(tree) else _taken(tree)
    if taken is None:
        leaves.append(tree)
        return LeafSpec()
    kind, (parts, context) = taken
    return TreeSpec(kind, context, [_flattened(part, is_leaf, leaves) for part in parts])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Make the nest of a form, with these leaves.

    Raises:
        ValueError: There are more leaves than places, or fewer.

    >>> from garboard.utils._pytree import tree_flatten, tree_unflatten
    >>> tree_unflatten([10, 20], tree_flatten({"a": 1, "b": [2]})[1])
    {'a': 10, 'b': [20]}
    """
    check.of_type(TreeSpec, "tree_unflatten", "treespec", treespec)
    given = [*leaves]
    if len(given) != treespec.num_leaves:
        raise ValueError(f"tree_unflatten: {len(given)} leaves; {treespec.num_leaves} are needed")
    return _unflattened(iter(given), treespec)


def _unflattened(leaves: Any, spec: TreeSpec) -> PyTree:
    if spec.is_leaf():
        return next(leaves)
    parts = [_unflattened(leaves, it) for it in spec.children_specs]
    return SUPPORTED_NODES[spec.type].unflatten_fn(parts, spec.context)


def tree_leaves(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> list[Any]:
    """Return the leaves of a nest in order."""
    return tree_flatten(tree, is_leaf)[0]


tree_iter = tree_leaves


def tree_is_leaf(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> bool:
    """Tell whether something is a leaf, and no container that is taken apart.

    >>> from garboard.utils._pytree import tree_is_leaf
    >>> tree_is_leaf(gb.ones(1)), tree_is_leaf([])
    (True, False)
    """
    if is_leaf is not None and is_leaf(tree):
        return True
    return _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf


def tree_structure(tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None) -> TreeSpec:
    """Return the form of a nest."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(
    func: Callable[..., Any],
    tree: PyTree,
    *rests: PyTree,
    is_leaf: Callable[[PyTree], bool] | None = None,
) -> PyTree:
    """Return the nest of what a function makes of each leaf, and of those of others beside it.

    Raises:
        ValueError: Another nest has another form.

    >>> from garboard.utils._pytree import tree_map
    >>> tree_map(lambda x, y: x + y, {"a": (1, 2)}, {"a": (10, 20)})
    {'a': (11, 22)}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *(_leaves_like(spec, it) for it in rests)]
    return tree_unflatten([func(*row) for row in zip(*columns, strict=True)], spec)


def _leaves_like(spec: TreeSpec, tree: PyTree) -> list[Any]:
    """What stands in a nest where `spec` has its leaves: perhaps nests."""
    if spec.is_leaf():
        return [tree]
    taken = _taken(tree)
    if taken is None or taken[0] is not spec.type or len(taken[1][0]) != spec.num_children:
        raise ValueError("tree_map: nests of different forms; equal ones are needed")
    parts = taken[1][0]
    if isinstance(tree, dict) and spec.type is not defaultdict:
        if set(tree) != set(spec.context):
            raise ValueError("tree_map: dicts of different keys; equal ones are needed")
        parts = [tree[key] for key in spec.context]
    return [
        leaf
        for below, part in zip(spec.children_specs, parts, strict=True)
        for leaf in _leaves_like(below, part)
    ]


def tree_map_(
    func: Callable[..., Any],
    tree: PyTree,
    *rests: PyTree,
    is_leaf: Callable[[PyTree], bool] | None = None,
) -> PyTree:
    """Call a function with each leaf, and return the nest as it is."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(
    type_or_types_or_pred: Any,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: Callable[[PyTree], bool] | None = None,
) -> PyTree:
    """Return the nest with those leaves changed that are of a type, or of which a function says so.

    >>> from garboard.utils._pytree import tree_map_only
    >>> tree_map_only(int, lambda x: -x, [1, "a", 2.5])
    [-1, 'a', 2.5]
    """
    is_chosen = _chooser(type_or_types_or_pred)
    return tree_map(lambda leaf: func(leaf) if is_chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: Callable[[PyTree], bool] | None = None,
) -> PyTree:
    """Call a function with those leaves alone, and return the nest as it is."""
    tree_map_only(type_or_types_or_pred, func, tree, is_leaf)
    return tree


def _chooser(chosen: Any) -> Callable[[Any], bool]:
    """Return what tells whether a leaf is of a type, or what a function says of it."""
    is_type = isinstance(chosen, (type, tuple)) or not callable(chosen)
    return (lambda leaf: isinstance(leaf, chosen)) if is_type else chosen


def tree_all(pred: Callable[[Any], bool], tree: PyTree) -> bool:
    """Tell whether a function says yes to each leaf."""
    return all(map(pred, tree_leaves(tree)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree) -> bool:
    """Tell whether a function says yes to a leaf."""
    return any(map(pred, tree_leaves(tree)))


def tree_all_only(type_or_types_or_pred: Any, pred: Callable[[Any], bool], tree: PyTree) -> bool:
    """Tell whether a function says yes to each leaf that is of a type.

    >>> from garboard.utils._pytree import tree_all_only
    >>> tree_all_only(int, lambda x: x > 0, [1, "a", 2])
    True
    """
    return all(pred(leaf) for leaf in filter(_chooser(type_or_types_or_pred), tree_leaves(tree)))


def tree_any_only(type_or_types_or_pred: Any, pred: Callable[[Any], bool], tree: PyTree) -> bool:
    """Tell whether a function says yes to a leaf that is of a type.

    >>> from garboard.utils._pytree import tree_any_only
    >>> tree_any_only(int, lambda x: x > 2, [1, 2.5, 2])
    False
    """
    return any(pred(leaf) for leaf in filter(_chooser(type_or_types_or_pred), tree_leaves(tree)))


class GetAttrKey(NamedTuple):
    """The place of a part of an object: an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


def keystr(kp: Iterable[Any]) -> str:
    """Write the path of a leaf as Python would reach it."""
    return "".join(str(key) for key in kp)


def _key(context: Any, kind: Any, place: int) -> Any:
    if isinstance(kind, type) and issubclass(kind, dict):
        keys = context[1] if issubclass(kind, defaultdict) else context
        return MappingKey(list(keys)[place])
    if isinstance(context, type) and is_named(context):
        return GetAttrKey(context._fields[place])  # type: ignore[attr-defined]
    return SequenceKey(place)


def _flattened_with_path(
    tree: PyTree, is_leaf: Any, before: tuple[Any, ...], pairs: list[tuple[tuple[Any, ...], Any]]
) -> TreeSpec:
    taken = None if is_leaf is not None and is_leaf(tree) else _taken(tree)
    if taken is None:
        pairs.append((before, tree))
        return LeafSpec()
    kind, (parts, context) = taken
    with_keys = SUPPORTED_NODES[kind].flatten_with_keys_fn
    if with_keys is None:
        named = [(_key(context, kind, place), part) for place, part in enumerate(parts)]
    else:
        named, context = with_keys(tree)
    return TreeSpec(
        kind,
        context,
        [_flattened_with_path(part, is_leaf, (*before, key), pairs) for key, part in named],
    )


def tree_flatten_with_path(
    tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None
) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """Take a nest apart: each leaf with its path, and the form of the nest."""
    pairs: list[tuple[tuple[Any, ...], Any]] = []
    return pairs, _flattened_with_path(tree, is_leaf, (), pairs)


def tree_leaves_with_path(
    tree: PyTree, is_leaf: Callable[[PyTree], bool] | None = None
) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the leaves of a nest, each with its path."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(
    func: Callable[..., Any],
    tree: PyTree,
    *rests: PyTree,
    is_leaf: Callable[[PyTree], bool] | None = None,
) -> PyTree:
    """Put in the place of each leaf what a function makes of its path and of it."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    others = [_leaves_like(spec, rest) for rest in rests]
    made = [
        func(path, leaf, *(other[place] for other in others))
        for place, (path, leaf) in enumerate(pairs)
    ]
    return tree_unflatten(made, spec)
