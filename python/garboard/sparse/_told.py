"""What the methods of sparse tensors are given and return, with examples: data for docstrings."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

__all__ = ["tell"]

_X = ">>> x = gb.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))"
_OTHER = "Args:\n    other: {}\n\n"
_ALPHA = "    alpha: What `other` is multiplied by first.\n\n"
_MATRIX = "A dense matrix or vector, or a sparse matrix."
_NUMBER = "A number; or a tensor of the same sizes, or one that is expanded to them."

# By the name: sections, and lines of an example after that which makes `x`.
_METHODS: dict[str, tuple[str, str]] = {
    "size": ("Args:\n    dim: Which; None for all.\n\n", "x.size(1)\n3"),
    "dim": ("", "x.dim()\n2"),
    "numel": ("", "x.numel()\n6"),
    "sparse_dim": ("", "x.sparse_dim()\n2"),
    "dense_dim": ("", "x.dense_dim()\n0"),
    "is_coalesced": ("Returns:\n    True or False.\n\n", "x.coalesce().is_coalesced()\nTrue"),
    "is_floating_point": ("Returns:\n    True or False.\n\n", "x.is_floating_point()\nTrue"),
    "is_complex": ("Returns:\n    True or False.\n\n", "x.is_complex()\nFalse"),
    "indices": ("", "x.coalesce().indices().tolist()\n[[0, 1], [2, 0]]"),
    "values": ("", "x.coalesce().values()\ntensor([3., 4.])"),
    "to_dense": (
        "Args:\n    dtype: Convert to it.\n\n",
        "x.to_dense()\ntensor([[0., 0., 3.],\n        [4., 0., 0.]])",
    ),
    "narrow_copy": (
        "Args:\n    dim: Which.\n    start: Where it begins; from the end where it is negative.\n"
        "    length: Its size.\n\n",
        "x.narrow_copy(1, 2, 1).to_dense().tolist()\n[[3.0], [0.0]]",
    ),
    "coalesce": ("", "x.coalesce().values().tolist()\n[3.0, 4.0]"),
    "transpose": (
        "Args:\n    dim0: One dim.\n    dim1: Another.\n\n",
        "x.transpose(0, 1).shape\n(3, 2)",
    ),
    "sum": (
        "Args:\n    dim: One dim or several; None for all.\n"
        "    keepdim: Leave the dims, with size 1; what is by rows stays so then.\n"
        "    dtype: Convert to it first.\n\n",
        "x.sum()\ntensor(7.)",
    ),
    "to": (
        "Args:\n    *given: A dtype or a device.\n    **named: As of `Tensor.to`.\n\n",
        "x.to(gb.float64).dtype\ngarboard.float64",
    ),
    "cpu": ("", "x.cpu().device\ndevice(type='cpu')"),
    "cuda": (
        "Args:\n    device: Which; the current one by default.\n\n",
        "x.cuda().is_cuda if gb.cuda.is_available() else True\nTrue",
    ),
    "type": ("Args:\n    dtype: Which.\n\n", "x.type(gb.float64).dtype\ngarboard.float64"),
    "clone": ("", "x.clone().shape\n(2, 3)"),
    "detach": ("", "x.detach().requires_grad\nFalse"),
    "requires_grad_": (
        "Args:\n    requires_grad: False asks for none any more.\n\nReturns:\n    Itself.\n\n",
        "x.requires_grad_().requires_grad\nTrue",
    ),
    "mm": (
        f"Args:\n    mat2: {_MATRIX}\n\n",
        "x.mm(gb.ones(3, 1)).tolist()\n[[3.0], [4.0]]",
    ),
    "matmul": (_OTHER.format(_MATRIX), "x.matmul(gb.ones(3))\ntensor([3., 4.])"),
    "mv": ("Args:\n    vec: A dense vector.\n\n", "x.mv(gb.ones(3))\ntensor([3., 4.])"),
    "mul": (_OTHER.format(_NUMBER), "x.mul(2).sum()\ntensor(14.)"),
    "div": (
        _OTHER.format("A number, or a dense tensor.").rstrip()
        + '\n    rounding_mode: "floor", "trunc", or None to round nothing.\n\n',
        "x.div(2).sum()\ntensor(3.5000)",
    ),
    "neg": ("", "x.neg().sum()\ntensor(-7.)"),
    "add": (
        _OTHER.format("A sparse or dense tensor.").rstrip() + "\n" + _ALPHA,
        "x.add(x, alpha=2).sum()\ntensor(21.)",
    ),
    "sub": (
        _OTHER.format("A sparse or dense tensor.").rstrip() + "\n" + _ALPHA,
        "x.sub(x).sum()\ntensor(0.)",
    ),
    "pow": (
        "Args:\n    exponent: A number above 0.\n\nRaises:\n    TypeError: It is none.\n\n",
        "x.pow(2).sum()\ntensor(25.)",
    ),
}
_OF_VALUES = (
    "Args:\n    *given: As of the function.\n    **named: Likewise.\n\n",
    "x.{}().shape\n(2, 3)",
)


def tell(kind: Any, converting: tuple[str, ...], of_values: tuple[str, ...]) -> None:
    """Add to the docstrings of a class's methods what stands here of each."""
    rows = dict(_METHODS)
    rows.update({name: ("", f"x.{name}().shape\n(2, 3)") for name in converting})
    rows.update({name: (_OF_VALUES[0], _OF_VALUES[1].format(name)) for name in of_values})
    for name, (sections, example) in rows.items():
        method = vars(kind)[name]
        function = getattr(method, "__func__", method)
        head, _, rest = cleandoc(function.__doc__).partition("\n\n")
        parts = [head, sections.rstrip(), rest, f"{_X}\n>>> {example}"]
        function.__doc__ = "\n\n".join(part for part in parts if part) + "\n"
