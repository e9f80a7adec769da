"""Nests of lists, tuples, dicts and deques, where PyTorch has them."""

from garboard._arguments.pytree import (
    SUPPORTED_NODES,
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
    tree_iter,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_map_with_path,
    tree_structure,
    tree_unflatten,
)
from garboard._arguments.pytree import _dict_flatten as _dict_flatten
from garboard._arguments.pytree import _dict_flatten_with_keys as _dict_flatten_with_keys
from garboard._arguments.pytree import _dict_unflatten as _dict_unflatten
from garboard._arguments.pytree import _get_node_type as _get_node_type

__all__ = [
    "SUPPORTED_NODES",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "NodeDef",
    "PyTree",
    "SequenceKey",
    "TreeSpec",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_iter",
    "tree_leaves",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
]
