"""Functions of samples and their derivatives, by `func`. Must reach: PyTorch, 1.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from peers import torch


def per_sample_gradients(space: Any, is_image: bool) -> Callable[[], object]:
    """Of each sample of a batch, for all parameters of a network."""
    nn, functional, func = space.nn, space.nn.functional, space.func
    if is_image:
        layers = [nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3)]
        layers += [nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 10)]
        x = space.rand(64, 1, 28, 28)
    else:
        layers = [nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 10)]
        x = space.rand(256, 32)
    model = nn.Sequential(*layers)
    parameters = {name: it.detach() for name, it in model.named_parameters()}
    targets = space.randint(0, 10, (len(x),))

    def loss(parameters: Any, x: Any, target: Any) -> Any:
        made = func.functional_call(model, parameters, (x.unsqueeze(0),))
        return functional.cross_entropy(made, target.unsqueeze(0))

    gradients = func.vmap(func.grad(loss), (None, 0, 0))
    return lambda: gradients(parameters, x, targets)


def ensemble(space: Any) -> Callable[[], object]:
    """Ten networks of one kind, of the same rows."""
    nn, func = space.nn, space.func
    models = [
        nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).requires_grad_(False)
        for _ in range(10)
    ]
    parameters, buffers = func.stack_module_state(models)
    x = space.rand(256, 32)

    def one(parameters: Any, buffers: Any) -> Any:
        return func.functional_call(models[0], (parameters, buffers), (x,))

    return lambda: func.vmap(one)(parameters, buffers)


def derivatives(space: Any, name: str) -> Callable[[], object]:
    func = space.func
    weight, tall, x = space.rand(256, 64), space.rand(2048, 32), space.rand(64)
    few, rows = space.rand(32), space.rand(64, 32)
    half = space.rand(512, 32)

    def energy(x: Any) -> Any:
        return (half @ x).tanh().square().sum()

    calls: dict[str, Callable[[], object]] = {
        "jacrev, 256 x 64": lambda: func.jacrev(lambda x: (weight @ x).tanh().sin())(x),
        "jacfwd, 2048 x 32": lambda: func.jacfwd(lambda x: (tall @ x).tanh())(few),
        "hessian of 32": lambda: func.hessian(energy)(few),
        "hessians of 64 rows of 32": lambda: func.vmap(func.hessian(energy))(rows),
        "products, 64 x 32 by 32": lambda: func.vmap(lambda x: half[:16] @ x)(rows),
    }
    return calls[name]


CONTESTS: dict[str, tuple[Callable[[Any], Callable[[], object]], int]] = {
    "gradients of 256 samples, MLP": (lambda it: per_sample_gradients(it, is_image=False), 2),
    "gradients of 64 samples, CNN": (lambda it: per_sample_gradients(it, is_image=True), 1),
    "ten networks": (ensemble, 10),
    "jacrev, 256 x 64": (lambda it: derivatives(it, "jacrev, 256 x 64"), 3),
    "jacfwd, 2048 x 32": (lambda it: derivatives(it, "jacfwd, 2048 x 32"), 3),
    "hessian of 32": (lambda it: derivatives(it, "hessian of 32"), 2),
    "hessians of 64 rows of 32": (lambda it: derivatives(it, "hessians of 64 rows of 32"), 1),
    "products, 64 x 32 by 32": (lambda it: derivatives(it, "products, 64 x 32 by 32"), 50),
}


def rows() -> Iterator[race.Race]:
    for name, (make, calls) in CONTESTS.items():
        entries = {"garboard": make(gb)}
        if torch:
            entries["torch"] = make(torch)
        yield race.Race(name, entries, 1.0, calls)
