"""Rewrites the user's own statement so that it keeps no graph, no storage or no tensor.

Found in the syntax tree, and never applied: a fix is a line to paste.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = [
    "ALONE",
    "OF_EACH",
    "End",
    "added_parts",
    "changed_in_place",
    "field_way",
    "is_by_name",
    "is_read_of",
    "is_statement",
    "item_text",
    "key_in",
    "keyed_with",
    "mended_sum",
    "mended_together",
    "names_read_by",
    "stored_parts",
    "ways_of_items",
    "with_ends",
    "with_last_rows",
    "written_call",
]


class End(NamedTuple):
    """A method to call on one tensor of what is stored.

    Attributes:
        way: The indexes and keys that lead from what is stored to the tensor.
        method: Its name; or what `written_call` knows besides.
    """

    way: tuple[str, ...]
    method: str


OF_EACH = " of each in "
ALONE = "detach alone"  # also where it has one element
_BY_WHAT_IT_IS = {
    ALONE: "{0}.detach()",
    "repr": "repr({0})",
    "item or detach": "{0}.item() if {0}.numel() == 1 else {0}.detach()",
    "item or itself": "{0}.item() if hasattr({0}, 'item') else {0}",
    "detach or itself": "{0}.detach() if hasattr({0}, 'detach') else {0}",
}
_EACH = {
    "dict": ("{{key: ", " for key, value in {0}.items()}}"),
    "list": ("[", " for value in {0}]"),
    "tuple": ("tuple((", " for value in {0}))"),
}


def written_call(text: str, method: str) -> str:
    """Return a call of a method on an expression; of several, of the one that what it is takes; of
    "item of each in dict", on each item of what the expression has."""
    method, _, whole = method.partition(OF_EACH)
    call = _BY_WHAT_IT_IS.get(method, f"{{0}}.{method}()")
    if not whole:
        return call.format(text)
    first, last = _EACH[whole]
    return first.format(text) + call.format("value") + last.format(text)


_LAST_ROWS = "1000"
_JOINING_FIRST = {"cat", "concat", "concatenate", "row_stack", "vstack"}


def with_last_rows(statement: str) -> str | None:
    """Return `rows = cat([rows, x])[-1000:]` of a statement that joins along the first dim; None of
    another one."""
    tree = ast.parse(statement).body[0]
    value = tree.value if isinstance(tree, ast.Assign) and len(tree.targets) == 1 else None
    if not isinstance(value, ast.Call):
        return None
    called = str(getattr(value.func, "attr", getattr(value.func, "id", "")))
    dims = [*value.args[1:], *(it.value for it in value.keywords)]
    is_first = all(isinstance(it, ast.Constant) and it.value == 0 for it in dims)
    if called not in _JOINING_FIRST or not is_first:
        return None
    return f"{statement}[-{_LAST_ROWS}:]"


def with_ends(statement: str, value: str, ends: Sequence[End], is_many: bool = False) -> str | None:
    """Return a statement with calls of methods on the tensors that it stores.

    Args:
        statement: A statement, as text.
        value: The expression in it that is stored.
        ends: What to call on which tensors.
        is_many: True where each item of the expression is stored, and not the whole.

    Returns:
        The statement; None where some tensor is no part of it.
    """
    tree = ast.parse(statement).body[0]
    found = stored_parts(tree, value, ends, is_many)
    return ast.unparse(_Ending(found).visit(tree)) if found else None


def stored_parts(
    tree: ast.stmt, value: str, ends: Sequence[End], is_many: bool = False
) -> list[tuple[ast.expr, str]]:
    """Return the parts of a statement that are tensors, each with the method to call, as for
    `with_ends`; none where one cannot be told."""
    whole = _stored(tree, value)
    if whole is not None and is_many:
        whole = _item_of(whole)
    found: list[tuple[ast.expr, str]] = []
    for way, method in ends:
        node = _part_of(whole, way) if whole is not None else None
        if node is None or isinstance(node, ast.Constant | ast.Starred | _DISPLAYS):
            return []
        if _is_rewritten(method) and not isinstance(node, _PLACES):
            return []  # it is written three times, and would run as often
        found.append((node, method))
    return found


def _stored(tree: ast.stmt, value: str) -> ast.expr | None:
    """Return the expression of a text that is an argument or assigned, rather than a part of one:
    the first of `a.append(x), b.append(x.detach())` stores `x`. What says where it is stored, as in
    `rows[type(x)].append(x)`, is none."""
    places: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            places.update(map(id, ast.walk(node.func)))
        elif isinstance(node, ast.Assign):
            places.update(id(it) for target in node.targets for it in ast.walk(target))
    alike = [it for it in ast.walk(tree) if isinstance(it, ast.expr) and ast.unparse(it) == value]
    given: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            given.update(map(id, node.args))
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            given.add(id(node.value))
    alike = [it for it in alike if id(it) not in places] or alike
    whole = [it for it in alike if id(it) in given] or alike
    return whole[-1] if whole else None


def is_statement(text: str) -> bool:
    """Tell whether a text is Python, and no sentence about it."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def mended_together(first: str, *others: str) -> str:
    """Return a statement with what others change of the same one; the first, where that cannot be
    told."""
    if not all(map(is_statement, (first, *others))):
        return first
    tree: ast.AST | None = ast.parse(first)
    for other in others:
        tree = _together(tree, ast.parse(other)) if tree is not None else None
    return ast.unparse(tree).replace("\n", "; ") if tree is not None else first


def _together(one: Any, other: Any) -> Any:
    """Return what is the same in two trees, and of what differs that which has the other in it;
    None where neither has."""
    if isinstance(one, ast.Module):  # what stores, and what bounds the container then
        stores, known = _together(one.body[0], other.body[0]), set(map(ast.dump, one.body))
        behind = [it for it in other.body[1:] if ast.dump(it) not in known]
        return ast.Module([stores, *one.body[1:], *behind], []) if stores is not None else None
    if isinstance(one, list) and isinstance(other, list):
        both = [_together(*pair) for pair in zip(one, other, strict=False)]
        return both if None not in both and len(one) == len(other) else None
    if not isinstance(one, ast.AST) or not isinstance(other, ast.AST):
        return one if one == other else None
    for whole, part in ((one, other), (other, one)):
        if any(ast.dump(it) == ast.dump(part) for it in ast.walk(whole)):
            return whole
    if type(one) is not type(other):
        return None
    fields = {name: _together(value, getattr(other, name)) for name, value in ast.iter_fields(one)}
    is_told = all(it is not None or getattr(one, name) is None for name, it in fields.items())
    return type(one)(**fields) if is_told else None


def keyed_with(statement: str, ending: str) -> str | None:
    """Return `counts[label] += 1` with `.ending()` behind the key; None where it has none."""
    tree = ast.parse(statement).body[0]
    key = key_in(tree)
    return ast.unparse(_Ending([(key, ending)]).visit(tree)) if key is not None else None


def key_in(tree: ast.stmt) -> ast.expr | None:
    """Return the key that a statement stores by, where it is one variable, attribute or call."""
    targets = getattr(tree, "targets", [getattr(tree, "target", None)])
    key = targets[0].slice if isinstance(targets[0], ast.Subscript) else None
    return key if isinstance(key, _PLACES | ast.Call) else None


def names_read_by(value: str) -> set[str]:
    """Return the variables that an expression reads."""
    return {it.id for it in ast.walk(ast.parse(value, mode="eval")) if isinstance(it, ast.Name)}


def is_by_name(value: str) -> bool:
    """Tell whether an expression is a variable or an attribute."""
    return isinstance(ast.parse(value, mode="eval").body, _PLACES)


def _is_rewritten(method: str) -> bool:
    return method in _BY_WHAT_IT_IS or OF_EACH in method


_PLACES = ast.Name | ast.Attribute
_DISPLAYS = ast.Tuple | ast.List | ast.Set | ast.Dict | ast.ListComp | ast.SetComp | ast.DictComp


def ways_of_items(value: str) -> list[str]:
    """Return the parts of ways that lead to the items of a display, in their order; none of what is
    no display, or has the items of something else among its own."""
    node = ast.parse(value, mode="eval").body
    if isinstance(node, ast.Dict):
        return [ast.unparse(it) for it in node.keys if it] if None not in node.keys else []
    items = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    is_plain = not any(isinstance(it, ast.Starred) for it in items)
    return [str(i) for i in range(len(items))] if is_plain else []


def item_text(value: str, part: str) -> str:
    """Return the item of a tuple or list, as text, that such a part of a way leads to."""
    found = _part_of(ast.parse(value, mode="eval").body, (part,))
    return ast.unparse(found) if found is not None else ""


def _item_of(node: ast.expr) -> ast.expr | None:
    """Return the expression that makes each item of a list, or each value of a dict, where one
    does."""
    if isinstance(node, ast.DictComp):
        return node.value
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return node.elt
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and len(node.elts) == 1:
        return node.elts[0]
    return None


def mended_sum(statement: str, ending: str) -> str | None:
    """Return `total += loss` or `ema = 0.9 * ema + 0.1 * loss` with `.ending()` behind what is
    new; None where that cannot be told."""
    tree = ast.parse(statement).body[0]
    found = added_parts(tree)
    return ast.unparse(_Ending([(it, ending) for it in found]).visit(tree)) if found else None


def added_parts(tree: ast.stmt) -> list[ast.expr]:
    """Return what of a statement is to be detached, so that a sum gains values and no history.

    What is added to the sum, where that is one expression; else the whole new value, for of several
    names some are numbers. None where it cannot be told.
    """
    if isinstance(tree, ast.AugAssign):
        is_sum = isinstance(tree.op, ast.Add | ast.Sub) and not _is_number(tree.value)
        return [tree.value] if is_sum else []
    if isinstance(tree, ast.Expr):
        changed = changed_in_place(tree)
        found = _new_in(tree.value, ast.unparse(changed)) if changed else None
        return found if found and len(found) == 1 else []
    if not isinstance(tree, ast.Assign) or len(tree.targets) != 1:
        return []
    target = ast.unparse(tree.targets[0])
    if not isinstance(tree.targets[0], ast.Name | ast.Attribute | ast.Subscript):
        return []
    if not _reads(tree.value, target):
        return []
    found = _new_in(tree.value, target)
    return found if found is not None and len(found) <= 1 else [tree.value]


def changed_in_place(tree: ast.Expr) -> ast.expr | None:
    """Return `mean` of `mean.mul_(0.9).add_(x)`."""
    node = tree.value
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not node.func.attr.endswith("_"):
            return None
        node = node.func.value
    is_place = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    return node if is_place and node is not tree.value else None


def field_way(index: int, name: str) -> str:
    """Return the part of a way that leads to a field: the argument of a call at this place, or of
    this name."""
    return f"{index}={name}"


def _part_of(node: ast.expr, way: Sequence[str]) -> ast.expr | None:
    """Follow indexes and keys into a display: `(step, {"loss": loss})`."""
    for name in way:
        if isinstance(node, ast.Tuple | ast.List) and name.isdigit() and int(name) < len(node.elts):
            node = node.elts[int(name)]
        elif isinstance(node, ast.Dict):
            keys = [ast.unparse(key) if key else "" for key in node.keys]
            if name not in keys:
                return None
            node = node.values[keys.index(name)]
        elif isinstance(node, ast.Call) and "=" in name:
            at, _, field = name.partition("=")
            named = {it.arg or "": it.value for it in node.keywords}
            if len(node.args) <= int(at) and field not in named:
                return None
            node = named[field] if field in named else node.args[int(at)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
            named = {ast.unparse(ast.Constant(it.arg)): it.value for it in node.keywords}
            if node.func.id != "dict" or name not in named:
                return None
            node = named[name]
        else:
            return None
    return node


def _new_in(node: ast.expr, target: str) -> list[ast.expr] | None:
    """Return the largest parts of an expression that do not read `target`, without factors that
    are numbers; None where what they are to the old sum cannot be told."""
    if not _reads(node, target):
        return _without_factor(node)
    if is_read_of(node, target):
        return []
    if isinstance(node, ast.UnaryOp):
        return _new_in(node.operand, target)
    if isinstance(node, ast.BinOp):
        is_sum = isinstance(node.op, ast.Add | ast.Sub)
        return _new_among([node.left, node.right], target, is_sum)
    if isinstance(node, ast.Call):
        values = [*node.args, *(it.value for it in node.keywords)]
        if isinstance(node.func, ast.Attribute) and _reads(node.func.value, target):
            values.insert(0, node.func.value)
        return _new_among(values, target, _called(node) not in _SCALING)
    return None


_SCALING = {"div", "div_", "mul", "mul_", "multiply", "pow", "pow_"}


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def _new_among(nodes: list[ast.expr], target: str, is_sum: bool) -> list[ast.expr] | None:
    """Likewise of several: summands, or what may scale the old sum by numbers alone."""
    if not is_sum and not all(_reads(it, target) or _is_number(it) for it in nodes):
        return None
    found: list[ast.expr] = []
    for node in nodes:
        new = _new_in(node, target)
        if new is None:
            return None
        found += new
    return found


def is_read_of(node: ast.expr, target: str) -> bool:
    """Tell whether an expression is what is called `target`, also `sums.get(name, 0)` of
    `sums[name]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        found = ast.Subscript(node.func.value, node.args[0], ast.Load())
        return node.func.attr == "get" and ast.unparse(found) == target
    return ast.unparse(node) == target


def _reads(node: ast.expr, target: str) -> bool:
    return any(is_read_of(it, target) for it in ast.walk(node) if isinstance(it, ast.expr))


def _without_factor(node: ast.expr) -> list[ast.expr]:
    if _is_number(node):
        return []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        if _is_number(node.left):
            return _without_factor(node.right)
        if _is_number(node.right):
            return _without_factor(node.left)
    return [node]


def _is_number(node: ast.expr) -> bool:
    """Tell whether an expression is made of numbers alone."""
    parts = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.operator, ast.unaryop)
    return all(isinstance(it, parts) for it in ast.walk(node))


class _Ending(ast.NodeTransformer):
    """Puts calls of methods behind some expressions."""

    def __init__(self, ends: list[tuple[ast.expr, str]]) -> None:
        self._ends = ends

    def visit(self, node: ast.AST) -> ast.AST:
        for it, method in self._ends:
            if node is it and _is_rewritten(method):
                return ast.parse(written_call(ast.unparse(it), method), mode="eval").body
            if node is it:
                return ast.Call(ast.Attribute(it, method, ast.Load()), [], [])
        return self.generic_visit(node)
