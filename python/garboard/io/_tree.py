"""A nest as JSON, its tensors by name: what stands in the metadata of a file.

A value is a list of a letter and what it needs: ["t", name] is a tensor, ["d", [[key, value], ...]]
a dict, ["w", tensor, dict] a tensor with attributes, ["c", value, pickle] one of a class made of a
container's, or of a number's: as what it is made of, and pickled. Numbers, texts, True, False and
None stand for themselves; the letters of what Python's library and NumPy have are in `_tagged`.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from garboard import _engine
from garboard._arguments.layouts import is_really
from garboard._engine import Tensor
from garboard._engine import _Size as Size
from garboard._ops.exchange import attributes_on
from garboard.io._errors import FileError, UnsafeFileError
from garboard.io._pickled_values import FACTORIES
from garboard.io._pickles import SAFE, Tensors, pickled, unpickled
from garboard.io._sparse import kept_sparse, read_sparse
from garboard.io._tagged import TAGGED, tagged
from garboard.nn.parameter import Parameter

__all__ = ["decoded", "encoded"]

_DEEPEST = 128
_MAPPINGS = {OrderedDict: "o", Counter: "k", dict: "d"}
_PLAIN = (dict, OrderedDict, Counter, list, Size, tuple, set, frozenset)
_LETTERS = {list: "l", Size: "z", tuple: "u", set: "s", frozenset: "f"}


def encoded(value: object, path: str, depth: int, keep: Callable[[str, Tensor], str]) -> Any:
    """Return the JSON of a nest; `keep` takes its tensors and returns their names.

    Raises:
        TypeError: Something that cannot be pickled, or a nest that holds itself.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if depth > _DEEPEST:
        raise TypeError(f"save: a nest more than {_DEEPEST} deep; one that ends is needed")
    if is_really(value, Tensor):
        letter = "p" if isinstance(value, Parameter) else "t"
        known = [letter, keep(path, value), *([1] if value.requires_grad else [])]
        if not (given := attributes_on(value)):
            return known
        below = f"{path}." if path else ""
        return ["w", known, encoded(given, f"{below}attributes", depth + 1, keep)]
    if isinstance(value, Mapping):
        pairs = []
        for key, part in value.items():
            below = f"{path}.{key}" if path else str(key)
            names = encoded(key, f"a key of {path or 'the dict'}", depth + 1, keep)
            pairs.append([names, encoded(part, below, depth + 1, keep)])
        if isinstance(value, defaultdict):
            return _of_defaults(value, pairs)
        letters = (of for kind, of in _MAPPINGS.items() if isinstance(value, kind))
        return _and_pickled(value, [next(letters, "d"), pairs], path, keep)
    for kind, letter in _LETTERS.items():
        if isinstance(value, kind):
            places = enumerate(value)
            below = f"{path}." if path else ""
            parts = [encoded(it, f"{below}{i}", depth + 1, keep) for i, it in places]
            return _and_pickled(value, [letter, parts], path, keep)
    if isinstance(value, (bytes, bytearray)):
        return ["b", b64encode(value).decode()]
    if isinstance(value, _engine.dtype):
        return ["y", str(value).rpartition(".")[2]]
    if isinstance(value, _engine.device):
        return ["v", str(value)]
    return _encoded_number(value, path, depth, keep)


def _and_pickled(value: Any, plain: Any, path: str, keep: Callable[[str, Tensor], str]) -> Any:
    """What `plain` says of a value, and beside it the value pickled where its class is its own.

    Who trusts the file gets the value, as from PyTorch's; who does not gets what it is made of.
    """
    if type(value) in _PLAIN:
        return plain
    try:
        return ["c", plain, pickled(value, path, keep)]
    except TypeError:  # it cannot be pickled
        return plain


def _of_defaults(value: defaultdict[Any, Any], pairs: list[Any]) -> list[Any]:
    """A dict whose factory is one of Python's types, by name; with another it is a plain one."""
    factory: Any = value.default_factory
    name = "" if factory is None else getattr(factory, "__name__", None)
    is_known = factory is None or FACTORIES.get(str(name)) is factory
    return ["e", pairs, name] if is_known else ["d", pairs]


def _encoded_number(value: Any, path: str, depth: int, keep: Callable[[str, Tensor], str]) -> Any:
    if (found := tagged(value, path, keep)) is not None:
        return found
    if type(value).__name__ == "Namespace" and type(value).__module__ == "argparse":
        return ["a", encoded(vars(value), path, depth + 1, keep)]
    if hasattr(value, "__array_interface__"):  # NumPy's numbers, and arrays of others
        if getattr(value, "ndim", 1) == 0 and hasattr(value, "item"):
            return encoded(value.item(), path, depth + 1, keep)
        return encoded(_engine.tensor(value), path, depth, keep)
    if (found := kept_sparse(value, path, keep)) is not None:
        return found
    for kind in (bool, int, float, str):  # members of an enumeration, say
        if isinstance(value, kind):
            return _and_pickled(value, kind(value), path, keep)
    return pickled(value, path, keep)


def decoded(tree: Any, tensor_named: Tensors, depth: int = 0) -> Any:
    """Return the nest that `encoded` wrote.

    Raises:
        FileError: It wrote something else.
    """
    if tree is None or type(tree) in (bool, int, float, str):
        return tree
    if type(tree) is not list or len(tree) < 2 or depth > _DEEPEST + 8:
        raise FileError("load: metadata that save() does not write")
    letter, content = tree[0], tree[1]
    if letter in ("t", "p") and type(content) is str:
        tensor = tensor_named(content)
        found = Parameter(tensor, False) if letter == "p" else tensor
        return found.requires_grad_() if len(tree) > 2 else found
    if letter == "c" and len(tree) == 3:
        return _of_its_class(tree, tensor_named, depth)
    if letter == "w" and len(tree) == 3:
        return _with_attributes(
            decoded(content, tensor_named, depth + 1), decoded(tree[2], tensor_named, depth + 1)
        )
    if letter in ("d", "e", "k", "o") and type(content) is list:
        pairs = _mapping(letter, tree[2] if len(tree) > 2 else "")
        for pair in content:
            if type(pair) is not list or len(pair) != 2:
                break
            key = decoded(pair[0], tensor_named, depth + 1)
            if not _can_be_key(key):
                break
            pairs[key] = decoded(pair[1], tensor_named, depth + 1)
        else:
            return pairs
    if type(content) is list:
        for kind, own in _LETTERS.items():
            if letter == own:
                return kind(decoded(part, tensor_named, depth + 1) for part in content)
    if letter == "r" and len(tree) == 5:
        return read_sparse(tree, tensor_named)
    if letter == "x" and type(content) is str:
        return unpickled(tree, tensor_named)
    if letter in TAGGED:
        return TAGGED[letter](tree, tensor_named)
    if letter == "a" and type(content) is list:
        return _namespace(decoded(content, tensor_named, depth + 1))
    if letter == "b" and type(content) is str:
        return b64decode(content, validate=True)
    if letter == "v" and type(content) is str:
        return _engine.device(content)
    if letter == "y" and isinstance(getattr(_engine, str(content), None), _engine.dtype):
        return getattr(_engine, content)
    raise FileError("load: metadata that save() does not write")


def _can_be_key(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _of_its_class(tree: list[Any], tensor_named: Tensors, depth: int) -> Any:
    """The value pickled, where that may be read; else what it is made of."""
    beside = tree[2]
    if type(beside) is list and len(beside) > 1 and (tensor_named.is_trusted or SAFE):
        try:
            return unpickled(beside, tensor_named)
        except UnsafeFileError:
            pass
    return decoded(tree[1], tensor_named, depth + 1)


def _mapping(letter: str, factory: Any) -> Any:
    if letter == "e":
        return defaultdict(FACTORIES[factory] if factory else None)
    return next(kind for kind, of in _MAPPINGS.items() if of == letter)()


def _with_attributes(tensor: Any, given: Any) -> Tensor:
    if not is_really(tensor, Tensor) or type(given) is not dict:
        raise FileError("load: metadata that save() does not write")
    for name, value in given.items():
        if type(name) is str and not hasattr(type(tensor), name):  # which it would hide
            setattr(tensor, name, value)
    return tensor


def _namespace(found: Any) -> Any:
    from argparse import Namespace

    if type(found) is not dict or any(type(name) is not str for name in found):
        raise FileError("load: metadata that save() does not write")
    made = Namespace()
    vars(made).update(found)
    return made
