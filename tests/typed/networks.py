"""Modules, optimizers, scopes and leak watchers, as a user with annotations writes them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, assert_type

import garboard as gb
from garboard import nn
from garboard.utils.data import DataLoader, TensorDataset, random_split


class Block(nn.Module):
    """A layer and what comes after it."""

    scale: gb.Tensor

    def __init__(self, size: int, dtype: gb.types.DType = gb.float32) -> None:
        super().__init__()
        self.layer = nn.Linear(size, size, dtype=dtype)
        self.register_buffer("scale", gb.ones(1))

    def forward(self, x: gb.Tensor) -> gb.Tensor:
        return nn.functional.relu(self.layer(x)) * self.scale

    if TYPE_CHECKING:

        def __call__(self, x: gb.Tensor) -> gb.Tensor: ...


x, y = gb.randn(8, 4), gb.zeros(8, dtype=gb.int64)
model = nn.Sequential(Block(4), nn.LayerNorm(4), nn.Dropout(0.1), nn.Linear(4, 2))
assert_type(Block(4)(x), gb.Tensor)
assert_type(nn.Linear(4, 2)(x), gb.Tensor)
assert_type(nn.Linear(4, 2).bias, nn.Parameter | Any)
for layer in (nn.ReLU(), nn.GELU(approximate="tanh"), nn.Tanh(), nn.Sigmoid(), nn.Softmax(1)):
    assert_type(layer(x), gb.Tensor)
for shaper in (nn.LogSoftmax(1), nn.Flatten(), nn.Identity(), nn.LayerNorm(4), nn.Dropout()):
    assert_type(shaper(x), gb.Tensor)
assert_type(nn.CrossEntropyLoss(reduction="sum")(model(x), y), gb.Tensor)
assert_type(nn.MSELoss()(x, x), gb.Tensor)
assert_type(model.parameters(), Iterator[nn.Parameter])
assert_type(model.to("cpu").eval(), nn.Sequential)
assert_type(model.state_dict(), dict[str, gb.Tensor])
assert_type(nn.ModuleList([Block(4)])[0], nn.Module)
nn.Linear(4, 2)("x")  # wrong
nn.Linear(4, 2).wieght  # wrong
nn.CrossEntropyLoss(reduction="avg")  # wrong
nn.Dropout("0.1")  # wrong
Block(4)(x, x)  # wrong
nn.functional.gelu(x, approximate="erf")  # wrong


def report(module: nn.Linear, args: tuple[Any, ...], output: gb.Tensor) -> None:
    """Say what came out."""
    print(module.in_features, len(args), output.shape)


handle = nn.Linear(4, 2).register_forward_hook(report)
handle.remove()
nn.ReLU().register_forward_hook(report)  # wrong
model.apply(lambda module: module.train())

optimizer = gb.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
assert_type(optimizer.step(), None)
assert_type(optimizer.step(lambda: model(x).sum().item()), Any)
assert_type(optimizer.step(lambda: 1.0), float)
gb.optim.SGD([{"params": list(model.parameters()), "lr": 0.1}], momentum=0.9)
gb.optim.SGD(model, lr=0.1)  # wrong
optimizer.stp()  # wrong

train, test = random_split(TensorDataset(x, y), [0.5, 0.5])
for inputs, targets in DataLoader(train, batch_size=2, shuffle=True):
    with gb.dispose_scope("step", limit="1 GiB") as scope:
        assert_type(scope, gb.DisposeScope)
        loss = nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        kept = scope.move_to_outer(loss)
        assert_type(kept, gb.Tensor)
        assert_type(scope.move_to_outer(loss, nn.Parameter(x)), tuple[gb.Tensor, nn.Parameter])
        assert_type(scope.detach(nn.Parameter(x)), nn.Parameter)
        assert_type(scope.live_bytes, dict[str, int])
        assert_type(scope.detach(model), nn.Sequential)
        assert_type(scope.attach({"loss": loss}), dict[str, gb.Tensor])
        both = scope.dispose_everything_but([loss], optimizer)
        assert_type(both, tuple[list[gb.Tensor], gb.optim.AdamW])
        scope.move_to_outer("loss")  # wrong
        scope.detach(3)  # wrong
DataLoader(train, batch_size="2")  # wrong
TensorDataset([1.0])  # wrong


@gb.dispose_scope
def halved(x: gb.Tensor) -> gb.Tensor:
    return x / 2


@gb.dispose_scope("double")
def double(tensor: gb.Tensor) -> gb.Tensor:
    """Twice as much."""
    return tensor + tensor


assert_type(double(x), gb.Tensor)
double(1)  # wrong


@gb.no_grad()
def predicted(tensor: gb.Tensor) -> gb.Tensor:
    """The likeliest class."""
    return gb.argmax(tensor, dim=1)


predicted("x")  # wrong


@gb.no_grad
def likeliest(tensor: gb.Tensor, *, dim: int = 1) -> gb.Tensor:
    """The same, without a call."""
    return gb.argmax(tensor, dim=dim)


@gb.enable_grad
def doubled(tensor: gb.Tensor) -> Iterator[gb.Tensor]:
    """Itself, and twice as much."""
    yield tensor
    yield tensor + tensor


@gb.set_grad_enabled(False)
async def later(tensor: gb.Tensor) -> float:
    """Its sum, as a number."""
    return tensor.sum().item()


assert_type(likeliest(x, dim=0), gb.Tensor)
assert_type(list(doubled(x)), list[gb.Tensor])
assert_type(asyncio.run(later(x)), float)
likeliest(x, dim="0")  # wrong
doubled()  # wrong
gb.no_grad(1)  # wrong
gb.set_grad_enabled("on")  # wrong
with gb.no_grad(), gb.leaks.no_leaks():
    predicted(x)
with gb.leaks.watch() as watch:
    watch.step()
    for leak in watch.report().leaks:
        assert_type(leak.site.line, int)
        leak.line  # wrong
gb.dispose_scope(limit=1.5)  # wrong

try:
    x.view(7)
except gb.ShapeError as error:
    print(error)
except gb.OutOfMemoryError as error:
    assert_type(error.report, str)
