"""Chains of elementwise ops, and tensors large enough to be fused."""

import garboard as gb

N = 1 << 17


def rand(*sizes, dtype=gb.float32, requires_grad=False):
    made = gb.rand(*(sizes or (N,)), generator=gb.Generator().manual_seed(len(sizes) + 3))
    return (made + 0.5).to(dtype).requires_grad_(requires_grad)


def bytes_of(tensor):
    values = tensor.detach()
    is_half = values.dtype in (gb.float16, gb.bfloat16)
    return (values.float() if is_half else values).numpy().tobytes()


def blend(a, b):
    return (a + b) * a - b


CHAINS = {
    "blend": blend,
    "numbers": lambda a, b: 2 - (a * 3.5 + 1) / b,
    "functions": lambda a, b: (a.exp() + b.log()).tanh().sigmoid().sqrt(),
    "powers": lambda a, b: (a**2 + gb.sin(b)) ** 0.5,
    "comparison": lambda a, b: gb.where((a + 1) < (b * 2), a * b, b - a),
    "test at the end": lambda a, b: (a + b) * a > b,
    "one step twice": lambda a, b: (lambda t: t * t + t)(a - b),
    "long": lambda a, b: sum([a * k for k in range(100)], b),
    "two operands swapped": lambda a, b: (b - a) * (a - b),
}
