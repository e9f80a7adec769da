"""The Python that a graph stands for, in which names and constants can be no other code.

What a graph holds is shown by `repr` only where its type is one of Python's own; all else is a
global of the generated function, found there by a name made for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import EllipsisType, NoneType
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.given import list_of
from garboard._arguments.texts import shown
from garboard.fx._names import CONSTANTS, Namespace, is_ours, public_name
from garboard.fx.node import Argument, Node

if TYPE_CHECKING:
    from garboard.fx.graph import Graph

__all__ = ["CodeGen", "PythonCode"]

_BINARY = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%"},
    **{"pow": "**", "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|"},
    **{"xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
}
_INPLACE = {
    **{"iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/=", "ifloordiv": "//="},
    **{"imod": "%=", "ipow": "**=", "imatmul": "@=", "ilshift": "<<=", "irshift": ">>="},
    **{"iand": "&=", "ior": "|=", "ixor": "^="},
}
_UNARY = {"neg": "-", "pos": "+", "invert": "~"}


@dataclass
class PythonCode:
    """The source of a function, and the globals that it is to be run with.

    Attributes:
        src: The source.
        globals: By name, what the source names and does not define.

    >>> traced = gb.fx.symbolic_trace(lambda x: x + 1)
    >>> "add = x + 1" in traced.graph.python_code("self").src
    True
    """

    src: str
    globals: dict[str, Any] = field(default_factory=dict)


class CodeGen:
    """What writes down a graph as a function; a subclass says how the function begins and ends.

    >>> codegen = gb.fx.CodeGen()
    >>> codegen.gen_fn_def(["x"], ""), codegen.generate_output("x")
    ('def forward(self, x):', 'return x')
    >>> codegen.process_inputs(1, 2), codegen.process_outputs(3)
    ((1, 2), 3)
    """

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """Return the line that begins the function.

        Args:
            free_vars: Its arguments, as they are written.
            maybe_return_annotation: What follows the parentheses.
        """
        free_vars = list_of(str, "gen_fn_def", "free_vars", free_vars, "names")
        if not free_vars or free_vars[0] != "self":
            free_vars = ["self", *free_vars]
        return f"def forward({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: str) -> str:
        """Return the line that ends the function.

        Args:
            output_args: What it returns, as it is written.
        """
        return f"return {output_args}"

    def process_inputs(self, *args: Any) -> Any:
        """Return what placeholders get of what a caller gives in `args`."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """Return what a caller gets of `outputs`."""
        return outputs

    def _gen_python_code(self, graph: Graph, root_module: str) -> PythonCode:
        return _Writer(graph, root_module, self).code()


class _Writer:
    """One function while it is being written."""

    def __init__(self, graph: Graph, root_module: str, codegen: CodeGen) -> None:
        if not root_module.isidentifier():
            raise ValueError(f"python_code: root_module {shown(root_module)} is no identifier")
        self._graph, self._root, self._codegen = graph, root_module, codegen
        import garboard

        self._globals: dict[str, Any] = {**CONSTANTS, "garboard": garboard}
        self._names = Namespace()
        for name in (*(node.name for node in graph.nodes), root_module, *self._globals):
            self._names.rename("", name, None)

    def code(self) -> PythonCode:
        arguments: list[str] = []
        body: list[str] = []
        returned = ""
        last_uses = self._last_uses()
        for node in self._graph.nodes:
            if not node.name.isidentifier() or Namespace.is_illegal(node.name, None):
                raise ValueError(f"python_code: a node is named {shown(node.name)}; an identifier "
                                 "that means nothing else is needed")  # fmt: skip
            if node.op == "placeholder":
                arguments.append(self._argument(node))
                bare = str(node.target).lstrip("*")
                if bare != node.name:
                    body.append(f"{node.name} = {bare}")
                continue
            if node.op == "output":
                if node.type is not None:
                    returned = f" -> {self._annotation(node.type)}"
                body.append(self._codegen.generate_output(self._text(node.args[0])))
                continue
            body.append(self._line(node) + _deleted(last_uses.get(node, [])))
        if not any(node.op == "output" for node in self._graph.nodes):
            body.append("pass")
        head = self._codegen.gen_fn_def(arguments, returned)
        lines = "".join(f"\n    {line}" for text in body for line in text.split("\n"))
        return PythonCode(f"\n\n\n{head}{lines}\n", self._globals)

    def _last_uses(self) -> dict[Node, list[str]]:
        """By node, what nobody uses after it: a result goes as early as in the program."""
        seen: set[Node] = set()
        found: dict[Node, list[str]] = {}
        for node in reversed(list(self._graph.nodes)):
            last = [it for it in node.all_input_nodes if it not in seen]
            if node.op not in ("placeholder", "output"):
                dead = [] if node.users else [node.name]
                found[node] = [it.name for it in last] + dead
            seen.update(last)
        return found

    def _argument(self, node: Node) -> str:
        text = str(node.target)
        bare = text[text.startswith("*") + text.startswith("**") :]
        if not bare.isidentifier() or (Namespace.is_illegal(bare, None) and bare in CONSTANTS):
            raise ValueError(f"python_code: a placeholder is named {shown(text)}; an identifier is "
                             "needed")  # fmt: skip
        typed = f" : {self._annotation(node.type)}" if node.type is not None else ""
        default = f" = {self._text(node.args[0])}" if node.args else ""
        return f"{text}{typed}{default}"

    def _line(self, node: Node) -> str:
        typed = f" : {self._annotation(node.type)}" if node.type is not None else ""
        target: Any = node.target
        if node.op == "call_function":
            short = self._short(node)
            if short is not None:
                return short
            text = f"{self._global(target)}({self._arguments(node.args, node.kwargs)})"
        elif node.op == "call_method":
            if not node.args:
                raise ValueError(f"python_code: {node.name} calls a method of nothing")
            owner, *rest = node.args
            given = self._arguments(rest, node.kwargs)
            text = f"{self._member(self._owner(owner), target)}({given})"
        else:
            text = self._root
            for part in target.split("."):
                text = self._member(text, part)
            if node.op == "call_module":
                text += f"({self._arguments(node.args, node.kwargs)})"
        return f"{node.name}{typed} = {text}"

    def _short(self, node: Node) -> str | None:
        """A call of an operator, as it is written between its operands."""
        target: Any = node.target
        name, given = getattr(target, "__name__", ""), node.args
        if getattr(target, "__module__", None) != "_operator":
            is_plain = target is getattr and len(given) == 2 and type(given[1]) is str
            if is_plain and not node.kwargs and given[1].isidentifier():
                return f"{node.name} = {self._member(self._owner(given[0]), given[1])}"
            return None
        if node.kwargs:
            return None
        texts = [self._bracketed(it) for it in given]
        if len(texts) == 1 and name in _UNARY:
            return f"{node.name} = {_UNARY[name]}{texts[0]}"
        if len(texts) != 2:
            return None
        if name in _BINARY:
            return f"{node.name} = {texts[0]} {_BINARY[name]} {texts[1]}"
        if name in _INPLACE and isinstance(given[0], Node):
            written = f"{texts[0]} {_INPLACE[name]} {texts[1]}"
            return f"{written};  {node.name} = {texts[0]}"
        if name == "getitem":
            return f"{node.name} = {texts[0]}[{self._text(given[1])}]"
        return None

    @staticmethod
    def _member(owner: str, name: str) -> str:
        import keyword

        if name.isidentifier() and not keyword.iskeyword(name):
            return f"{owner}.{name}"
        quoted = f'"{name}"' if name.isdigit() else repr(name)
        return f"getattr({owner}, {quoted})"

    def _arguments(self, args: Any, kwargs: dict[str, Argument]) -> str:
        texts = [self._text(it) for it in args]
        for name, it in kwargs.items():
            if not name.isidentifier() or name in ("True", "False", "None"):
                raise ValueError(
                    f"python_code: an argument is named {shown(name)}; an identifier is needed"
                )
            texts.append(f"{name} = {self._text(it)}")
        return ", ".join(texts)

    def _bracketed(self, it: Argument) -> str:
        text = self._text(it)
        return text if isinstance(it, Node) or text.isalnum() else f"({text})"

    def _owner(self, it: Argument) -> str:
        return self._text(it) if isinstance(it, Node) else f"({self._text(it)})"

    def _text(self, it: Argument) -> str:
        """An argument as Python; of types that are not Python's own, the name of a global."""
        kind = type(it)
        if kind is Node:
            return str(it.name)
        if isinstance(it, tuple) and hasattr(it, "_fields"):
            return f"{self._global(kind)}({', '.join(map(self._text, it))})"
        if isinstance(it, tuple):
            return f"({', '.join(map(self._text, it))}{',' if len(it) == 1 else ''})"
        if isinstance(it, list):
            return f"[{', '.join(map(self._text, it))}]"
        if isinstance(it, dict):
            pairs = (f"{self._text(key)}: {self._text(value)}" for key, value in it.items())
            return f"{{{', '.join(pairs)}}}"
        if kind is slice:
            return f"slice({self._text(it.start)}, {self._text(it.stop)}, {self._text(it.step)})"
        if kind is EllipsisType:
            return "Ellipsis"
        if kind in (bool, int, float, complex, str, bytes, NoneType, range):
            return repr(it)
        if kind is _engine.dtype:
            return f"garboard.{str(it).removeprefix('garboard.').removeprefix('torch.')}"
        if isinstance(it, type) or callable(it):
            return self._global(it)
        return self._names_global(kind.__name__, it)

    def _annotation(self, given: object) -> str:
        if isinstance(given, type) and not hasattr(given, "__args__"):
            return self._global(given)
        return self._names_global("annotation", given)

    def _global(self, thing: Any) -> str:
        path = public_name(thing)
        import builtins

        if getattr(builtins, path, None) is thing or is_ours(thing):
            return path
        return self._names_global(path.replace(".", "_"), thing)

    def _names_global(self, candidate: str, thing: object) -> str:
        for name, known in self._globals.items():
            if known is thing:
                return name
        name = self._names.create_name(candidate, object())
        self._globals[name] = thing
        return name


def _deleted(names: list[str]) -> str:
    return f";  {' = '.join(names)} = None" if names else ""
