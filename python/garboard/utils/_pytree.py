"""Nests of lists, tuples, dicts and deques, where PyTorch has them."""

from garboard._arguments.pytree import (
    SUPPORTED_NODES,
    Context,
    GetAttrKey,
    LeafSpec,
    MappingKey,
    NodeDef,
    PyTree,
    SequenceKey,
    TreeSpec,
    keystr,
    register_pytree_node,
    tree_all,
    tree_all_only,
    tree_any,
    tree_any_only,
    tree_flatten,
    tree_flatten_with_path,
    tree_is_leaf,
    tree_iter,
    tree_leaves,
    tree_leaves_with_path,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_map_only_,
    tree_map_with_path,
    tree_structure,
    tree_unflatten,
)
from garboard._arguments.pytree import _dict_flatten as _dict_flatten
from garboard._arguments.pytree import _dict_flatten_with_keys as _dict_flatten_with_keys
from garboard._arguments.pytree import _dict_unflatten as _dict_unflatten
from garboard._arguments.pytree import _get_node_type as _get_node_type
from garboard._arguments.pytree import _is_leaf as _is_leaf
from garboard._arguments.pytree import _list_flatten as _list_flatten
from garboard._arguments.pytree import _list_flatten_with_keys as _list_flatten_with_keys
from garboard._arguments.pytree import _list_unflatten as _list_unflatten
from garboard._arguments.pytree import _register_pytree_node as _register_pytree_node
from garboard._arguments.pytree import is_named as _is_named
from garboard._arguments.pytree_classes import (
    CONSTANT_NODES,
    is_constant_class,
    register_constant,
    register_dataclass,
)

__all__ = [
    "CONSTANT_NODES",
    "SUPPORTED_NODES",
    "Context",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "NodeDef",
    "PyTree",
    "SequenceKey",
    "TreeSpec",
    "is_constant_class",
    "keystr",
    "register_constant",
    "register_dataclass",
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


def is_namedtuple_class(cls: type) -> bool:
    """Tell whether a class is a named tuple's.

    >>> from garboard.utils._pytree import is_namedtuple_class
    >>> is_namedtuple_class(tuple)
    False
    """
    return isinstance(cls, type) and _is_named(cls)


def is_namedtuple(obj: object) -> bool:
    """Tell whether something is a named tuple.

    >>> from garboard.utils._pytree import is_namedtuple
    >>> is_namedtuple((1, 2))
    False
    """
    return _is_named(type(obj))


def is_structseq(obj: object) -> bool:
    """Tell whether something is a named tuple that C made, as `time.gmtime()` returns.

    >>> import time
    >>> from garboard.utils._pytree import is_structseq
    >>> is_structseq(time.gmtime()), is_structseq((1, 2))
    (True, False)
    """
    return isinstance(obj, tuple) and isinstance(getattr(type(obj), "n_fields", None), int)


is_structseq_instance = is_structseq
is_namedtuple_instance = is_namedtuple
