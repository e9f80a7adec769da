"""Generators, and draws from distributions: their moments, their shares, and what is refused."""

from __future__ import annotations

import copy
import pickle

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

COUNT = 200_000


@pytest.fixture
def generator():
    return gb.Generator().manual_seed(11)


DRAWS = {
    "rand": lambda g: gb.rand(5, generator=g),
    "randn": lambda g: gb.randn((5,), generator=g),
    "rand_like": lambda g: gb.rand_like(gb.zeros(5), generator=g),
    "randint": lambda g: gb.randint(100, (5,), generator=g),
    "randint_like": lambda g: gb.randint_like(gb.zeros(5), 0, 100, generator=g),
    "randperm": lambda g: gb.randperm(20, generator=g),
    "uniform_": lambda g: gb.zeros(5).uniform_(generator=g),
    "normal_": lambda g: gb.zeros(5).normal_(generator=g),
    "bernoulli": lambda g: gb.bernoulli(gb.full((20,), 0.5), generator=g),
    "bernoulli_": lambda g: gb.zeros(20, dtype=gb.int64).bernoulli_(gb.tensor(0.5), generator=g),
    "exponential_": lambda g: gb.zeros(5).exponential_(2.0, generator=g),
    "geometric_": lambda g: gb.zeros(20).geometric_(0.2, generator=g),
    "cauchy_": lambda g: gb.zeros(5).cauchy_(generator=g),
    "log_normal_": lambda g: gb.zeros(5).log_normal_(generator=g),
    "random_": lambda g: gb.zeros(5).random_(generator=g),
    "poisson": lambda g: gb.poisson(gb.full((5,), 30.0), generator=g),
    "normal": lambda g: gb.normal(gb.zeros(5), gb.ones(5), generator=g),
    "multinomial": lambda g: gb.multinomial(gb.ones(20), 5, generator=g),
    "trunc_normal_": lambda g: gb.nn.init.trunc_normal_(gb.zeros(5), generator=g),
    "kaiming_uniform_": lambda g: gb.nn.init.kaiming_uniform_(gb.zeros(5, 5), generator=g),
}


class TestAGenerator:
    @pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
    def test_repeats_its_draws_and_leaves_others_alone(self, draw, generator):
        state = generator.get_state()
        before = gb.get_rng_state().tolist()

        first, second = draw(generator), draw(generator)
        assert generator.set_state(state) is generator
        again = draw(generator)

        assert gb.equal(first, again)
        assert not gb.equal(first, second)
        assert gb.get_rng_state().tolist() == before

    def test_is_the_default_one_where_none_is_given(self):
        assert gb.manual_seed(5) is gb.default_generator
        x = gb.rand(3)

        assert gb.equal(x, gb.rand(3, generator=gb.default_generator.manual_seed(5)))
        assert gb.equal(x, gb.rand(3, generator=gb.Generator().manual_seed(5)))
        assert gb.initial_seed() == 5

    def test_is_copied_and_pickled_where_it_stands(self, generator):
        gb.rand(9, generator=generator)
        copies = [
            copy.deepcopy(generator),
            pickle.loads(pickle.dumps(generator)),
            generator.clone_state(),
        ]

        x = gb.rand(4, generator=generator)

        assert all(gb.equal(x, gb.rand(4, generator=other)) for other in copies)

    def test_tells_its_seed_and_device(self, generator):
        drawn = generator.seed()

        assert generator.initial_seed() == drawn >= 0
        assert gb.Generator(device="cuda:1").device == gb.device("cuda:1")
        assert repr(gb.Generator().manual_seed(-1)) == (
            "Generator(device='cpu', initial_seed=18446744073709551615)"
        )

    @pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 10**30])
    def test_keeps_its_seed_where_a_new_one_does_not_fit(self, seed):
        generator = gb.Generator().manual_seed(5)

        with pytest.raises(ValueError, match=r"^manual_seed: seed .+; one in \[-2\^63, 2\^64\) is"):
            generator.manual_seed(seed)

        assert generator.initial_seed() == 5

    @pytest.mark.parametrize("seed", [2**64 - 1, -(2**63)])
    def test_takes_every_seed_of_64_bits(self, seed):
        assert gb.Generator().manual_seed(seed).initial_seed() == seed % 2**64

    def test_is_put_back_after_a_fork(self):
        gb.manual_seed(3)
        with gb.random.fork_rng():
            inside = gb.rand(2)
        with gb.random.fork_rng(enabled=False):
            kept = gb.rand(2)

        assert gb.equal(inside, kept)
        assert not gb.equal(kept, gb.rand(2))

    def test_refuses_states_and_kinds_that_are_not_its_own(self, generator):
        with pytest.raises(gb.ShapeError, match=r"^set_state: sizes \[5\]; the \[16\] of"):
            generator.set_state(gb.zeros(5, dtype=gb.uint8))
        with pytest.raises(gb.DTypeError, match=r"^set_state: dtype garboard.float32; what"):
            generator.set_state(gb.zeros(16))
        with pytest.raises(TypeError, match=r"^rand: generator is of type int; a garboard.Gener"):
            gb.rand(2, generator=1)
        with pytest.raises(TypeError, match=r"generator"):
            gb.utils.data.RandomSampler([1, 2], generator=object()).__iter__().__next__()

    def test_orders_samples(self, generator):
        data = list(range(50))
        sampler = gb.utils.data.RandomSampler(data, generator=generator)
        first = list(sampler)

        generator.manual_seed(11)

        assert list(sampler) == first
        assert sorted(first) == data


def moments(x):
    values = x.double().numpy()
    return values.mean(), values.var()


class TestMoments:
    @pytest.mark.parametrize(
        ("draw", "mean", "variance"),
        [
            (lambda x, g: x.exponential_(4.0, generator=g), 1 / 4, 1 / 16),
            (lambda x, g: x.geometric_(0.25, generator=g), 4, 12),
            (lambda x, g: x.log_normal_(0.5, 0.25, generator=g), 1.7022, 0.18687),
            (lambda x, g: x.bernoulli_(0.3, generator=g), 0.3, 0.21),
            (lambda x, g: x.random_(10, generator=g), 4.5, 8.25),
            (lambda x, g: gb.poisson(x + 3.5, generator=g), 3.5, 3.5),
            (lambda x, g: gb.poisson(x + 47.5, generator=g), 47.5, 47.5),
            (lambda x, g: gb.normal(x + 2, 3.0, generator=g), 2, 9),
            (lambda x, g: gb.normal(2.0, x + 3, generator=g), 2, 9),
            (lambda x, g: gb.normal(2.0, 3.0, x.shape, generator=g), 2, 9),
        ],
    )
    def test_are_those_of_the_distribution(self, draw, mean, variance, generator):
        x = draw(gb.zeros(COUNT), generator)

        found_mean, found_variance = moments(x)

        assert found_mean == pytest.approx(mean, abs=6 * (variance / COUNT) ** 0.5)
        assert found_variance == pytest.approx(variance, rel=0.05)

    def test_of_a_cauchy_distribution_are_its_quartiles(self, generator):
        x = gb.zeros(COUNT).cauchy_(3.0, 2.0, generator=generator).numpy()

        np.testing.assert_allclose(np.quantile(x, [0.25, 0.5, 0.75]), [1, 3, 5], atol=0.05)

    def test_of_poisson_counts_fill_the_right_bins(self, generator):
        rate = 12.0
        x = gb.poisson(gb.full((COUNT,), rate), generator=generator).long().numpy()

        shares = np.bincount(x, minlength=30)[:30] / COUNT

        k = np.arange(30)
        factorials = np.cumprod(np.maximum(k, 1).astype(float))
        np.testing.assert_allclose(shares, np.exp(-rate) * rate**k / factorials, atol=0.004)

    @pytest.mark.parametrize("dtype", [gb.int64, gb.int8, gb.uint8, gb.float32, gb.bool])
    def test_of_random_integers_fill_their_dtype(self, dtype, generator):
        x = gb.zeros(COUNT, dtype=dtype).random_(generator=generator).double()
        top = {gb.bool: 1, gb.float32: 2**24}.get(dtype) or gb.iinfo(dtype).max

        assert x.amin().item() >= 0
        assert x.amax().item() <= top
        assert x.mean().item() == pytest.approx(top / 2, rel=0.01)
        if dtype == gb.int64:  # the low bits are drawn, too
            low = gb.zeros(64, dtype=dtype).random_(generator=generator).bitwise_and(1)
            assert 0 < low.sum().item() < 64


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16, gb.float32])
def test_no_exponential_number_is_zero(dtype):
    x = gb.empty(2**24, dtype=dtype).exponential_(generator=gb.Generator().manual_seed(3))

    assert x.min().item() > 0


class TestMultinomial:
    @pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.float16])
    def test_draws_by_weight(self, dtype, generator):
        weights = gb.tensor([1.0, 0.0, 3.0, 4.0], dtype=dtype)

        drawn = gb.multinomial(weights, COUNT, replacement=True, generator=generator)
        first = gb.multinomial(weights.expand(COUNT, 4), 1, generator=generator)

        for places in (drawn, first.flatten()):
            shares = np.bincount(places.numpy(), minlength=4) / COUNT
            np.testing.assert_allclose(shares, [1 / 8, 0, 3 / 8, 1 / 2], atol=0.005)
        assert first.shape == (COUNT, 1)
        assert drawn.dtype == gb.int64

    def test_without_replacement_draws_none_twice(self, generator):
        weights = gb.rand(30, 7, generator=generator)
        weights[:, 2] = 0

        drawn = weights.multinomial(6, generator=generator)

        assert np.sort(drawn.numpy()).tolist() == [[0, 1, 3, 4, 5, 6]] * 30

    def test_what_weighs_nothing_is_drawn_where_nothing_else_is_left(self):
        generator = gb.Generator().manual_seed(7)
        weights = gb.tensor([0.0, 2.0, 0.0, 1.0]).expand(30, 4)

        drawn = weights.multinomial(3, generator=generator)

        assert np.sort(drawn[:, :2].numpy()).tolist() == [[1, 3]] * 30
        assert set(drawn[:, 2].tolist()) <= {0, 2}

    def test_refuses_what_cannot_be_drawn(self):
        x = gb.ones(3)
        with pytest.raises(
            gb.ShapeError, match=r"^multinomial: num_samples 4 of 3 weights without"
        ):
            gb.multinomial(x, 4)
        with pytest.raises(gb.ShapeError, match=r"^multinomial: num_samples 0 of 3 weights; 1 or"):
            gb.multinomial(x, 0)
        with pytest.raises(gb.ShapeError, match=r"^multinomial: a weight that is negative or not"):
            gb.multinomial(gb.tensor([1.0, -1.0]), 1)
        with pytest.raises(gb.ShapeError, match=r"^multinomial: a weight that is negative or not"):
            gb.multinomial(gb.tensor([1.0, float("nan")]), 1)
        with pytest.raises(gb.ShapeError, match=r"^multinomial: a row without a positive weight;"):
            gb.multinomial(gb.tensor([[1.0, 0.0], [0.0, 0.0]]), 1)
        with pytest.raises(gb.DTypeError, match=r"^multinomial: dtype int64; a floating one"):
            gb.multinomial(gb.arange(3), 1)
        with pytest.raises(gb.ShapeError, match=r"^multinomial: input of sizes \[2, 2, 2\]; one"):
            gb.multinomial(gb.ones(2, 2, 2), 1)


class TestBernoulli:
    def test_follows_each_probability(self, generator):
        p = gb.tensor([0.0, 1.0, 0.25]).expand(COUNT, 3)

        x = gb.bernoulli(p, generator=generator)

        np.testing.assert_allclose(x.mean(0).numpy(), [0, 1, 0.25], atol=0.005)
        assert gb.bernoulli(gb.zeros(2), 1.0).tolist() == [1.0, 1.0]

    def test_writes_any_dtype(self):
        assert gb.zeros(2, dtype=gb.bool).bernoulli_(1).tolist() == [True, True]
        assert gb.ones(2, 2).bernoulli_(gb.tensor([0.0, 1.0])).tolist() == [[0.0, 1.0]] * 2


@pytest.mark.parametrize(
    ("draw", "error", "said"),
    [
        (lambda: gb.bernoulli(gb.tensor([1.5])), gb.ShapeError, "bernoulli: probabilities beyond"),
        (lambda: gb.bernoulli(gb.arange(2)), gb.DTypeError, "bernoulli: dtype int64; a floating"),
        (lambda: gb.ones(1).bernoulli_(-0.1), gb.ShapeError, "bernoulli_: p -0.1; it must lie in"),
        (lambda: gb.ones(1).exponential_(0), gb.ShapeError, "exponential_: lambd 0; it must be p"),
        (lambda: gb.arange(2).exponential_(), gb.DTypeError, "exponential_: dtype int64; a float"),
        (lambda: gb.ones(1).geometric_(1), gb.ShapeError, "geometric_: p 1; it must lie between"),
        (lambda: gb.ones(1).cauchy_(0, -1), gb.ShapeError, "cauchy_: median 0 and sigma -1; a fin"),
        (lambda: gb.ones(1).log_normal_(0, 0), gb.ShapeError, "log_normal_: mean 0 and std 0; a f"),
        (lambda: gb.ones(1).random_(3, 3), gb.ShapeError, "random_: from 3 to 3; from must be bel"),
        (
            lambda: gb.zeros(1, dtype=gb.int8).random_(300),
            gb.DTypeError,
            "random_: the number 299 does not fit into int8",
        ),
        (
            lambda: gb.ones(1).uniform_(-1e300, 1e300),
            gb.ShapeError,
            "uniform_: from -1e+300 to 1e+",
        ),
        (
            lambda: gb.ones(1).uniform_(-3e38, 3e38),
            gb.ShapeError,
            "uniform_: from -3e+38 to 3e+38 of",
        ),
        (lambda: gb.poisson(gb.tensor([-1.0])), gb.ShapeError, "poisson: a rate that is negative"),
        (lambda: gb.normal(gb.ones(1), -1.0), gb.ShapeError, "normal: a std that is negative or"),
        (lambda: gb.normal(gb.arange(2), 1.0), gb.DTypeError, "normal: dtype int64; a floating on"),
        (
            lambda: gb.randint(300, (2,), dtype=gb.uint8),
            gb.DTypeError,
            "randint: the number 299 does not fit into uint8",
        ),
        (
            lambda: gb.ones(1, requires_grad=True).exponential_(),
            gb.GradientError,
            "exponential_: ",
        ),
    ],
)
def test_bad_numbers_are_refused(draw, error, said):
    with pytest.raises(error) as raised:
        draw()
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize("dtype", [gb.complex64, gb.complex128])
def test_both_parts_of_complex_numbers_are_drawn(dtype):
    x = gb.zeros(400, dtype=dtype)

    assert x.uniform_(2, 3, generator=gb.Generator().manual_seed(1)) is x
    parts = gb.view_as_real(x)
    assert parts.min() >= 2
    assert parts.max() < 3
    assert (x.real != x.imag).all()


def test_large_ranges_are_drawn_to_the_last_bit():
    top = 2**63 - 1
    x = gb.randint(-(2**62), 2**62, (5000,))

    assert -(2**62) <= x.amin().item() < -(2**61)
    assert 2**61 < x.amax().item() < 2**62
    assert 2000 < x.bitwise_and(1).sum().item() < 3000
    thirds = gb.randint(0, 3 * 2**61, (5000,)) // 2**61
    assert all(1500 < (thirds == third).sum().item() < 1840 for third in range(3))
    assert gb.randint(-top - 1, top, (100,)).amin().item() < -(2**61)
