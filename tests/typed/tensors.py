"""What ops take and give: one result type for each way to call them."""

from collections.abc import Iterator
from typing import Any, assert_type

import garboard as gb
import numpy as np
from numpy.typing import NDArray

x = gb.ones(2, 3)
Numbers = float | int | bool

# creation
assert_type(gb.zeros(2, 3, dtype=gb.float64, device="cpu", requires_grad=True), gb.Tensor)
gb.zeros((2, 3)), gb.zeros([2, 3]), gb.zeros(x.shape), gb.zeros()
gb.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=float), gb.tensor(1), gb.tensor(x)
gb.tensor(np.zeros(3)), gb.as_tensor(memoryview(b"12")), gb.from_numpy(np.zeros(3))
gb.full((2,), 1.0), gb.arange(3), gb.arange(0.0, 1.0, 0.1), gb.eye(3)
gb.randint(10, (2, 3)), gb.randint(0, 10, (2, 3)), gb.randn(2, device=gb.device("cpu"))
gb.Tensor([1.0], dtype=gb.float32)
gb.zeros("2")  # wrong
gb.zeros(2.0)  # wrong
gb.zeros(2, dtype="float32")  # wrong
gb.zeros(2, device=0)  # wrong
gb.tensor("text")  # wrong
gb.tensor({1: 2})  # wrong
gb.full((2,), "one")  # wrong
gb.from_numpy([1.0])  # wrong

# what a tensor is
assert_type(x.shape, gb.Size)
assert_type(x.size(), gb.Size)
assert_type(x.size(0), int)
assert_type(x.stride(-1), int)
assert_type(x.dtype, gb.dtype)
assert_type(x.device, gb.device)
assert_type(x.device.index, int | None)
assert_type(x.grad, gb.Tensor | None)
assert_type(x.item(), Numbers)
assert_type(x.numpy(), NDArray[Any])
assert_type(len(x), int)
assert_type(iter(x), Iterator[gb.Tensor])
total: float = 0.0
total += x.sum().item()
whole: int = x.item()  # wrong
x.shape = (3, 2)  # wrong

# arithmetic
assert_type(x + 1, gb.Tensor)
assert_type(2.0 * x, gb.Tensor)
assert_type(x**2, gb.Tensor)
assert_type(x @ x.T, gb.Tensor)
assert_type(x == 1, gb.Tensor)
assert_type(x < x, gb.Tensor)
assert_type(-x, gb.Tensor)
assert_type(x.add_(1), gb.Tensor)
x += 1
assert_type(x, gb.Tensor)
x + "1"  # wrong
x @ 2  # wrong
x.add(1, out=2)  # wrong

# indexing
assert_type(x[0], gb.Tensor)
x[0, 1], x[-1], x[:, 1:], x[..., None], x[gb.tensor(1)]
x[0] = 1.0
x[:, 1] = gb.zeros(2)
x[0] = [1.0, 2.0, 3.0]
x["0"]  # wrong
x[0.5]  # wrong
x[0] = "1"  # wrong

# reductions
assert_type(x.sum(), gb.Tensor)
assert_type(x.sum(0, keepdim=True), gb.Tensor)
assert_type(x.mean((0, 1)), gb.Tensor)
assert_type(x.max(), gb.Tensor)
assert_type(x.max(x), gb.Tensor)
assert_type(x.max(0), gb.ValuesAndIndices)
assert_type(gb.min(x, dim=1, keepdim=True).indices, gb.Tensor)
assert_type(x.max(keepdim=True), gb.Tensor)
assert_type(x.max(axis=0), gb.ValuesAndIndices)
assert_type(x.sum(axis=0, keepdims=True), gb.Tensor)
assert_type(gb.mean(x, axis=(0, 1)), gb.Tensor)
assert_type(gb.softmax(x, axis=1), gb.Tensor)
assert_type(x.size(axis=0), int)
gb.cat([x, x], axis=1), x.narrow(axis=0, start=0, length=1), gb.cumsum(x, axis=0)
values, indices = x.max(dim=1)
assert_type(indices, gb.Tensor)
x.sum("0")  # wrong
x.max(0).places  # wrong
x.sum(axis="0")  # wrong
x.exp(axis=0)  # wrong
gb.softmax(x)  # wrong
x.max(x, keepdim=True)  # wrong

# sizes, dtypes and devices
x.view(3, 2), x.reshape(-1), x.reshape((3, 2)), x.permute(1, 0), x.expand([2, 3])
x.to(gb.float64), x.to("cpu"), x.to("cpu", gb.float64), x.to(x), x.to(dtype=int, copy=True)
x.to(gb.device("cpu"), dtype=gb.int32), x.cuda(0), x.float().long()
assert_type(x.to("cpu"), gb.Tensor)
x.reshape("3")  # wrong
x.to(64)  # wrong
x.to(gb.float64, "cpu", x)  # wrong
gb.cat([x, x], dim=0), gb.stack((x, x))
gb.cat([gb.nn.Parameter(x)]), gb.cat((x, gb.nn.Parameter(x)))
parameters = list(gb.nn.Linear(2, 2).parameters())
assert_type(gb.cat(parameters), gb.Tensor)
gb.cat(1)  # wrong
gb.cat(x)  # wrong
gb.stack(iter([x]))  # wrong
gb.cat(["x"])  # wrong

# arrays
np.asarray(x)
array: NDArray[np.float32] = np.asarray(x, dtype=np.float32)
memoryview(x)

# one tensor, or several where a flag asks for them
assert_type(x.unique(), gb.Tensor)
assert_type(gb.unique(x, True, dim=0), gb.Tensor)
assert_type(gb.unique(x, return_counts=True), tuple[gb.Tensor, ...])
assert_type(gb.unique_consecutive(x, return_inverse=True), tuple[gb.Tensor, ...])
assert_type(gb.unique(x, return_inverse=bool(x.ndim)), gb.Tensor | tuple[gb.Tensor, ...])
assert_type(x.nonzero(), gb.Tensor)
assert_type(gb.nonzero(x, as_tuple=True), tuple[gb.Tensor, ...])
assert_type(gb.nonzero(x, as_tuple=False), gb.Tensor)
x.unique(return_counts=True).tolist()  # wrong
