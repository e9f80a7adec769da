"""Each op of samples is computed at once, and gives what it gives of each sample alone."""

from __future__ import annotations

import ast
from typing import Any

import garboard as gb
import pytest
from garboard.func._batching import calls
from garboard.nn import functional

COUNT = 3

# What a sample has; `q` is a positive matrix, the second group are places.
SIZES = {
    "s": (),
    "v": (4,),
    "u": (4,),
    "x": (3, 4),
    "y": (3, 4),
    "m": (4, 4),
    "q": (4, 4),
    "b": (2, 3, 4),
    "c": (2, 4, 5),
    "image": (2, 4, 6, 6),
    "plane": (4, 6, 6),
    "taps": (6, 4, 3, 3),
    "half": (6, 2, 3, 3),
    "back": (4, 6, 3, 3),
    "bias": (6,),
    "heads": (2, 3, 5, 4),
}
PLACES = {"i": (3,), "j": (3, 4), "classes": (3,), "ids": (2, 3)}

AT_ONCE = """
x + y; x + v; x + s; s + x; 2 - x; x * y; x / y; x // y; x % y; x ** 2; 2 ** x; -x; abs(x)
~(x > y); x > y; x <= s; (x > y) & (x < v); (x > y) | (x < v); (x > y) ^ (x < v); i + j[0, :3]
i.float() + s; x.exp(); x.log(); gb.sqrt(x); x.sigmoid(); x.tanh(); x.clamp(0.2, 0.8)
gb.clamp(x, min=v); x.double(); x.to(gb.float64); x.type_as(i); x.bfloat16(); x.clone()
x.contiguous(); x.detach(); x.round(decimals=1); gb.where(x > y, x, y); gb.where(x > y, x, s)
gb.where(x > 0.5, 1.0, 0.0); x.masked_fill(x > y, 0.5); x.masked_fill(x > y, s); gb.maximum(x, v)
gb.minimum(x, s); gb.lerp(x, y, 0.3); gb.lerp(x, y, s); gb.addcmul(x, x, y, value=2)
gb.addcdiv(x, x, y); gb.atan2(x, y); gb.hypot(x, y); x.pow(y); x.fmod(v); gb.complex(x, y)
gb.polar(x, y); gb.view_as_real(gb.complex(x, y)); gb.complex(x, y).real; x.nan_to_num()
gb.xlogy(x, y); gb.logaddexp(x, s); gb.isclose(x, y); gb.copysign(x, v); gb.heaviside(x, s)
x.float_power(2); x.add_(y); x.mul_(v); x.clamp_(0.1); x.sub_(s); x.copy_(y); x.copy_(v)
x.zero_(); x.fill_(2.0); x.fill_(s); gb.fill(x, s); x.masked_fill_(x > y, s); x.sigmoid_()
x.cumsum_(0); x.cumprod_(-1); gb.mul(x, 2, out=gb.zeros_like(x)); x.sum(); x.sum(0)
x.sum(-1, keepdim=True); x.sum((0, 1))
b.sum((0, 2)); x.mean(); x.mean(dim=1); s.sum(); x.sum(axis=0); x.prod(); x.prod(1); x.amax()
x.amax(0); x.amin((0, 1)); x.max(); x.max(1); x.min(0, keepdim=True); x.max(y); gb.max(x, v)
x.argmax(); x.argmax(1); x.argmin(-1, keepdim=True); x.logsumexp(1); x.std(); x.var(0)
x.var(dim=1, correction=0); gb.std_mean(x, dim=0); gb.var_mean(x, dim=1); x.norm(); x.norm(dim=1)
x.norm(1, 0); x.median(); x.median(1); x.mode(1); (x > y).all(); (x > y).any(1); x.count_nonzero()
x.count_nonzero(0); s.max(); x.softmax(1); x.softmax(-2); x.log_softmax(0)
functional.softmin(x, 1); s.softmax(0); x.cumsum(0); x.cumprod(-1); x.cummax(1); x.logcumsumexp(0)
x.sort(); x.sort(0, descending=True); x.argsort(1); x.topk(2); x.topk(2, 0); s.sort()
x.kthvalue(2); x.unbind(); x.unbind(1); x.chunk(2, 1); x.split(2); x.split([1, 3], 1)
x.narrow(1, 1, 2); x.select(0, 1); x.flip(0); x.flip(0, 1); x.flip((1,)); x.roll(1); x.roll(1, 0)
x.diff(); x.diff(dim=0); x.unfold(1, 2, 1); x.aminmax(dim=1); functional.glu(x, 1)
functional.normalize(x); functional.normalize(v, dim=0); x.quantile(0.3); x.quantile(0.3, 1)
x.quantile(gb.tensor([0.1, 0.9]), 0); gb.dist(x, y); gb.trapezoid(x); x.rot90()
x.renorm(2, 0, 1.0); x.repeat_interleave(2, 1); x.reshape(4, 3); x.reshape(-1); x.view(12)
x.view((2, 6)); x.flatten(); b.flatten(1); s.flatten(); v.unflatten(0, (2, 2)); x.T; x.mT; x.t()
v.t(); x.permute(1, 0); b.permute((2, 0, 1)); x.transpose(0, 1); b.swapaxes(0, -1)
b.movedim(0, 2); x[:1].squeeze(0); x[:1].squeeze(); x[:, :1].squeeze(-1); s.squeeze()
x.unsqueeze(0); x.unsqueeze(-1); s.unsqueeze(0); v.expand(3, 4); v.expand(3, -1); s.expand(2, 2)
v.expand_as(x); gb.broadcast_to(v, (3, 4)); v.repeat(2); v.repeat(2, 3); x.tile(2); x.diagonal()
b.diagonal(0, 1, 2); gb.diag_embed(v); gb.diag(v); gb.diag(m); m.trace(); gb.linalg.diagonal(b)
x.fliplr(); x.flipud(); x.view_as(y); x.reshape_as(y); x.ravel(); gb.atleast_2d(s)
gb.atleast_2d(v); gb.atleast_3d(v); gb.cat([x, y]); gb.cat([x, y], 1); gb.cat((x, b[0]), -1)
gb.stack([x, y]); gb.stack([v, u], 1); gb.hstack([v, u]); gb.vstack([v, u]); gb.dstack([v, u])
gb.column_stack([v, x.T]); gb.meshgrid(v, u, indexing="xy"); gb.meshgrid(v, u[:2], indexing="ij")
gb.broadcast_tensors(x, v); x.as_strided((2, 2), (1, 4)); x.as_strided((2,), (3,), 5)
x.as_strided(2, 3, 1); x.tril(); m.triu(1); x.new_zeros(2, 3)
x.new_ones((2,)); x.new_full((2,), 3.0); gb.zeros_like(x); gb.ones_like(s); gb.full_like(x, 2.0)
gb.select_scatter(x, v, 0, 1); gb.slice_scatter(x, y[1:], 0, 1); gb.diagonal_scatter(m, v)
x @ y.T; x @ v; v @ m; v @ u; gb.mm(x, m); gb.mv(x, v); gb.dot(v, u); gb.bmm(b, b.mT); b @ m
m @ b.mT; gb.matmul(v, b.mT); b @ v; gb.outer(v, u); gb.addmm(y, x, m)
gb.addmm(v, x, m, beta=0.5, alpha=2); gb.addmv(v, m, u); gb.baddbmm(b, b, b.mT @ b)
gb.addr(m, v, u); gb.inner(v, u); gb.vdot(v, u); gb.linalg.vecdot(x, y)
gb.einsum("ij,kj->ik", x, y); gb.einsum("ij,j", x, v); gb.einsum("...i,i->...", b, v)
gb.einsum("ii", m); functional.linear(x, m); functional.linear(v, m, u)
functional.linear(b, x, v[:3]); gb.tensordot(x, y, 2); gb.tensordot(x, m, ([1], [0]))
gb.cross(x[:, :3], y[:, :3], dim=1); gb.linalg.cross(x[:, :3], y[:, :3]); gb.cdist(x, y)
functional.cosine_similarity(x, y); functional.cosine_similarity(v, u, dim=0)
functional.pairwise_distance(x, y); gb.linalg.norm(x); gb.linalg.norm(x, dim=1)
gb.linalg.norm(m, "fro"); gb.linalg.vector_norm(x); gb.linalg.vector_norm(x, 1, dim=0)
gb.linalg.matrix_norm(m); gb.det(q); gb.linalg.inv(q); gb.linalg.cholesky(q); gb.linalg.slogdet(q)
gb.linalg.solve(q, v); gb.linalg.solve(q, m); gb.logdet(q); gb.linalg.eigvalsh(q)
gb.linalg.svdvals(x); gb.linalg.solve_triangular(q, m, upper=True); gb.linalg.matrix_power(m, 3)
gb.linalg.pinv(x); gb.matrix_exp(m); gb.linalg.multi_dot([x, m, y.T]); gb.fft.fft(v)
gb.fft.rfft(x, dim=0); gb.fft.fft2(b); gb.fft.fftn(x); gb.fft.fftshift(x); x[0]; x[:, 1]
x[..., 0]; x[None]; x[1:, ::2]; x[gb.tensor([0, 2])]; x[:, gb.tensor([1, 1])]; x[i]; x[:, i]
x[i, i]; x[0, i]; b[:, i]; b[0][i, 1:]; b[i[:2] // 2, :, i[:2]]; b[:, i, i]; b[..., i]
x[gb.tensor([True, False, True])]; v[i]; x.gather(1, j); x.gather(0, j); x.scatter(1, j, y)
x.scatter_add(0, j, y); x.index_select(1, i); x.index_select(0, gb.tensor([2, 0]))
x.index_add(0, gb.tensor([0, 0]), y[:2]); gb.take_along_dim(x, j, 1); gb.take(x, i)
functional.embedding(ids, m); functional.embedding(ids, m, 1); gb.searchsorted(gb.arange(4.0), x)
gb.searchsorted(v.sort()[0], u); gb.bucketize(x, gb.arange(3.0)); functional.one_hot(i, 5)
functional.conv2d(image, taps); functional.conv2d(image, taps, bias, padding=1)
functional.conv2d(plane, taps, stride=2); functional.conv2d(image, half, groups=2)
functional.conv1d(b, m[:3, :3].reshape(3, 3, 1))
functional.conv1d(plane[0], c.reshape(4, 2, 5)[:, :, :3].reshape(4, 6, 1))
functional.conv_transpose2d(image, back, bias, 2); functional.max_pool2d(image, 2)
functional.max_pool2d(plane, 2); functional.max_pool2d(image, 2, return_indices=True)
functional.avg_pool2d(image, 3, padding=1); functional.adaptive_avg_pool2d(image, 2)
functional.adaptive_max_pool2d(image, 3); functional.max_pool1d(b, 2)
functional.lp_pool2d(image, 2, 2); functional.interpolate(image, scale_factor=2)
functional.interpolate(image, size=(3, 3), mode="bilinear"); functional.pad(x, (1, 2))
functional.pad(image, (1, 1, 2, 2), mode="reflect"); functional.pixel_shuffle(image, 2)
functional.unfold(image, 3)
functional.fold(image.reshape(2, 4, 36).unfold(2, 1, 1)[..., 0], (6, 6), 1)
functional.group_norm(image, 2); functional.layer_norm(x, (4,))
functional.layer_norm(x, (4,), v, u); functional.layer_norm(b, (3, 4), x, y)
functional.rms_norm(x, (4,), v); functional.instance_norm(image)
functional.batch_norm(image, v, u, training=False)
functional.batch_norm(image, None, None, v, u, training=True)
functional.batch_norm(x, v, u, u, v); functional.scaled_dot_product_attention(heads, heads, heads)
functional.scaled_dot_product_attention(b, b, b, is_causal=True)
functional.scaled_dot_product_attention(heads, heads, heads, heads[0, 0] @ heads[0, 0].T > 1.0)
functional.relu(x); functional.gelu(x); functional.silu(x); functional.elu(x)
functional.leaky_relu(x, 0.1); functional.hardswish(x); functional.mish(x); functional.softplus(x)
functional.logsigmoid(x); functional.prelu(x, s.reshape(1)); functional.prelu(x, v)
functional.mse_loss(x, y); functional.l1_loss(x, y, reduction="sum")
functional.smooth_l1_loss(v, u); functional.huber_loss(s, v[0])
functional.binary_cross_entropy(x.sigmoid(), y)
functional.binary_cross_entropy_with_logits(x, y, reduction="none")
functional.kl_div(x.log(), y, reduction="batchmean"); functional.cross_entropy(x, classes)
functional.cross_entropy(v, classes[0]); functional.cross_entropy(x, y)
functional.cross_entropy(x, classes, reduction="sum", label_smoothing=0.1)
functional.nll_loss(x.log(), classes)
functional.cross_entropy(image, ids[0, :2, None, None].expand(2, 6, 6), ignore_index=1)
functional.poisson_nll_loss(x, y); functional.soft_margin_loss(x, y.round() * 2 - 1)
heads[:, i, 0, i]; heads[:, i, i[0], i]; heads[:, i[0], :, i]; heads[i[0] % 2, :, i, i]
heads[:, i, None, 0, i]; b[i[0] % 2, :, i]; b[:, i[0], i]; x.index_add(0, i, y)
x.index_add(1, i, y[:, :3], alpha=2); x.index_copy(0, i[:1], y[:1]); x.index_fill(1, i, 2.0)
x.index_add_(dim=0, index=i, source=y)
x.masked_select(gb.tensor([True, False, True, True])); gb.searchsorted(v.sort()[0], x)
gb.bucketize(x, v.sort()[0]); gb.inner(x, y); gb.inner(v, x); gb.inner(s, x); gb.kron(x, y)
gb.kron(v, x); gb.linalg.solve(q, x.T); gb.linalg.qr(m, mode="r")[1].abs(); gb.sum(input=x, dim=0)
x.diff(prepend=x[:, :1]); gb.diff(x, dim=0, append=v[None]); gb.msort(x); x.amax(())
gb.hsplit(x, 2); gb.hsplit(v, 2); gb.vsplit(x, [1]); gb.dsplit(b, 2); v.view_as(x[0])
functional.unfold(plane, 2); functional.unfold(plane, 3)
functional.fold(c.flatten(0, 1), (5, 1), 1)
functional.conv_transpose2d(image, back, bias, 1, 0, 0, 1, 2)
functional.group_norm(image, 2, v, u); functional.group_norm(image, num_groups=4, bias=v, eps=0.1)
functional.instance_norm(image, weight=v, bias=u); functional.cross_entropy(x, classes, v)
functional.cross_entropy(x, classes, weight=v, reduction="sum", ignore_index=1)
functional.nll_loss(x, classes, v, reduction="none")
functional.binary_cross_entropy(x.sigmoid(), y.clamp(0, 1), reduction="sum")
"""

# These have no rule, and are taken one by one: a list that may only shrink.
ONE_BY_ONE = """
x.repeat_interleave(i[:1].clamp(1, 1), 1); gb.histc(x, 4); gb.index_fill(x, 0, i, s)
gb.linspace(0, 1, 4) + gb.linspace(s, 1, 4); x.masked_scatter(x > 2, y)
gb.block_diag(x, y); gb.corrcoef(x)
gb.index_put(x, (i,), v, accumulate=True); gb.full_like(x, s); x.nan_to_num_(s)
functional.celu_(x, s)
"""


def expressions(text: str) -> list[str]:
    return [it.strip() for line in text.strip().splitlines() for it in line.split(";")]


def samples() -> dict[str, gb.Tensor]:
    generator = gb.Generator().manual_seed(0)
    made = {
        name: gb.rand((COUNT, *sizes), generator=generator) + 0.05 for name, sizes in SIZES.items()
    }
    made["q"] = made["m"] @ made["m"].mT + gb.eye(4)
    for name, sizes in PLACES.items():
        made[name] = gb.randint(0, 3, (COUNT, *sizes), generator=generator)
    return made


def names_in(expression: str, known: dict[str, gb.Tensor]) -> list[str]:
    nodes = ast.walk(ast.parse(expression, mode="eval"))
    named = [node for node in nodes if isinstance(node, ast.Name) and node.id in known]
    return list(dict.fromkeys(it.id for it in sorted(named, key=lambda it: it.col_offset)))


def tensors_of(found: Any) -> list[gb.Tensor]:
    if isinstance(found, gb.Tensor):
        return [found]
    return [it for part in found for it in tensors_of(part)]


def computed(expression: str, given: dict[str, gb.Tensor]) -> list[gb.Tensor]:
    return tensors_of(eval(expression, {"gb": gb, "functional": functional, **given}))


def check(expression: str, which: list[str], given: dict[str, gb.Tensor]) -> None:
    """`which` of the tensors are samples; of the others all have the first."""

    def at(place: int) -> dict[str, gb.Tensor]:
        return {name: it[place if name in which else 0].clone() for name, it in given.items()}

    expected = [computed(expression, at(place)) for place in range(COUNT)]
    shared = {name: it[0].clone() for name, it in given.items() if name not in which}
    made = gb.func.vmap(lambda own: computed(expression, shared | own))(
        {name: given[name].clone() for name in which}
    )
    for one, alone in zip(made, zip(*expected, strict=True), strict=True):
        gb.testing.assert_close(one, gb.stack(alone), rtol=1e-4, atol=1e-5)


@pytest.fixture
def looped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of ops that are called for each sample."""
    seen: list[str] = []
    of_each = calls.Call.one_by_one

    def noted(self: calls.Call, *given: Any, **named: Any) -> Any:
        seen.append(self.name)
        return of_each(self, *given, **named)

    monkeypatch.setattr(calls.Call, "one_by_one", noted)
    return seen


@pytest.mark.parametrize("expression", expressions(AT_ONCE))
def test_an_op_of_samples_is_that_of_each_computed_at_once(
    expression: str, looped: list[str], no_leaks: None
) -> None:
    given = samples()
    used = names_in(expression, given)

    check(expression, used, {name: given[name] for name in used})

    assert looped == []


@pytest.mark.parametrize("expression", expressions(AT_ONCE) + expressions(ONE_BY_ONE))
def test_an_op_of_samples_and_of_what_they_share_is_that_of_each(
    expression: str, no_leaks: None
) -> None:
    given = samples()
    used = names_in(expression, given)
    chosen = {name: given[name] for name in used}

    for name in used if len(used) > 1 else ():
        if "_(" in expression and name != used[0]:
            continue  # samples are written into what all share
        check(expression, [name], chosen)
    check(expression, used, chosen)


@pytest.mark.parametrize("expression", expressions(ONE_BY_ONE))
def test_an_op_without_a_rule_is_called_for_each_sample(
    expression: str, looped: list[str], no_leaks: None
) -> None:
    given = samples()
    used = names_in(expression, given)

    check(expression, used, {name: given[name] for name in used})

    assert looped


class TestAnOpThatFindsNoMemory:
    @pytest.mark.parametrize("place", range(1, 6))
    def test_says_so_and_is_not_tried_sample_by_sample(self, place):
        batch = gb.rand(3, 4)

        with gb.memory.fail_allocation(place), pytest.raises(gb.OutOfMemoryError):
            gb.func.vmap(lambda x: (x * x).sum())(batch)

    def test_in_a_scope_with_a_limit_crosses_it_on_its_line(self):
        batch = gb.rand(64, 64)

        with gb.dispose_scope(limit="8 KiB"), pytest.raises(gb.ScopeLimitError):
            gb.func.vmap(lambda x: x.outer(x).sum())(batch)
