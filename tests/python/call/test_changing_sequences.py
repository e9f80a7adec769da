"""Lists that change while they are read: a number's own code may do anything to them."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

CHANGES = {
    "cleared": list.clear,
    "shortened": list.pop,
    "grown": lambda items: items.extend([1] * 5000),
    "shortened and grown": lambda items: (items.clear(), items.extend([[1], [2]] * 5000)),
}


class Acting:
    """A number that runs `act` when it is asked for its value."""

    def __init__(self, act):
        self.act = act

    def __index__(self):
        self.act()
        return 1


class ActingReal:
    """The same for a floating number."""

    def __init__(self, act):
        self.act = act

    def __float__(self):
        self.act()
        return 1.0


@pytest.fixture(params=CHANGES.values(), ids=CHANGES)
def change(request):
    return request.param


SIZES = {
    "zeros": gb.zeros,
    "empty": gb.empty,
    "rand": gb.rand,
    "full": lambda sizes: gb.full(sizes, 1.0),
    "randint": lambda sizes: gb.randint(0, 9, sizes),
    "view": lambda sizes: gb.ones(1, 1, 1).view(sizes),
    "reshape": lambda sizes: gb.ones(1, 1, 1).reshape(sizes),
    "expand": lambda sizes: gb.ones(1, 1, 1).expand(sizes),
    "permute": lambda dims: gb.ones(1, 1, 1).permute(dims),
    "sum": lambda dims: gb.ones(1, 1, 1).sum(dims),
    "amax": lambda dims: gb.ones(1, 1, 1).amax(dims),
    "var": lambda dims: gb.ones(1, 1, 1).var(dims),
    "layer_norm": lambda sizes: gb.layer_norm(gb.ones(1, 1, 1), sizes),
}


@pytest.mark.parametrize("take", SIZES.values(), ids=SIZES)
def test_a_list_of_sizes_or_dims_must_not_change(take, change):
    sizes = [1, 1, 1]
    sizes[0] = Acting(lambda: change(sizes))

    with pytest.raises(gb.ShapeError, match=r"a list of 3 items .* must not change"):
        take(sizes)


class TestData:
    @pytest.mark.parametrize("acting", [Acting, ActingReal])
    @pytest.mark.parametrize("dtype", [gb.float32, gb.int64, gb.bool])
    def test_must_not_change(self, acting, dtype, change):
        data = [1] * 3000
        data[1] = acting(lambda: change(data))

        with pytest.raises(
            gb.ShapeError, match=r"tensor: data: a list of 3000 items .* not change"
        ):
            gb.tensor(data, dtype=dtype)

    def test_must_not_change_further_out(self, change):
        data = [[1, 2], [3, 4], [5, 6]]
        data[0][0] = Acting(lambda: change(data))

        with pytest.raises(gb.ShapeError, match=r"tensor: data: a list of 3 items .* not change"):
            gb.tensor(data)

    def test_must_not_change_further_on(self, change):
        data = [[1, 2], [3, 4], [5, 6]]
        data[0][0] = Acting(lambda: change(data[2]))

        with pytest.raises(gb.ShapeError, match=r"tensor: data: a list of 2 items .* not change"):
            gb.tensor(data)

    @pytest.mark.parametrize("other", [[4], (4, 5), 4.5, "x", None])
    def test_may_have_other_elements_of_the_same_kind_alone(self, other):
        data = [1, 2, 3]
        data[0] = Acting(lambda: data.__setitem__(2, other))

        if isinstance(other, float):
            assert gb.tensor(data, dtype=gb.float64).tolist() == [1.0, 2.0, 4.5]
        else:
            with pytest.raises((gb.ShapeError, TypeError)):
                gb.tensor(data)

    def test_may_not_become_a_number_where_lists_were(self):
        data = [[1, 2], [3, 4]]
        data[0][0] = Acting(lambda: data.__setitem__(1, 7))

        with pytest.raises(gb.ShapeError, match="must not change"):
            gb.tensor(data)

    def test_in_a_tuple_lives_until_it_is_read(self):
        data = [None, 2]
        data[0] = (Acting(data.__init__), 2)
        data[1] = (3, 4)

        with pytest.raises(gb.ShapeError, match="must not change"):
            gb.tensor(data)

    def test_that_is_assigned_must_not_change(self, change):
        x = gb.zeros(3)
        data = [1, 2, 3]
        data[0] = Acting(lambda: change(data))

        with pytest.raises(gb.ShapeError, match=r"index: data: a list of 3 items .* not change"):
            x[:] = data
        assert x.tolist() == [0, 0, 0]

    def test_may_lose_a_tensor_that_is_being_read(self):
        data = [1, gb.tensor(2), 3]
        data[0] = Acting(lambda: data.__setitem__(1, 5))

        assert gb.tensor(data).tolist() == [1, 5, 3]

    def test_that_contains_itself_is_refused(self):
        data = []
        data.append(data)
        with pytest.raises(gb.ShapeError, match="nested more than 8 deep"):
            gb.tensor(data)

        other = [[1], 2]
        other[1] = other
        with pytest.raises(gb.ShapeError, match="a list of 2 at depth 1"):
            gb.tensor(other)

    def test_of_any_depth_is_refused(self):
        data = [1]
        for _ in range(100_000):
            data = [data]

        with pytest.raises(gb.ShapeError, match="nested more than 8 deep"):
            gb.tensor(data)
        while isinstance(data, list):
            data = data[0]

    def test_raises_what_a_number_raises(self):
        def interrupt():
            raise KeyboardInterrupt

        for acting in (Acting, ActingReal):
            with pytest.raises(KeyboardInterrupt):
                gb.tensor([acting(interrupt)])


class Endless:
    """A sequence that says it is as long as can be said."""

    def __len__(self):
        return 2**63 - 1

    def __getitem__(self, i):
        raise IndexError


class TestTensorsInASequence:
    @pytest.mark.parametrize("join", [gb.cat, gb.stack])
    def test_may_come_from_code_that_clears_it(self, join):
        class Emptied(list):
            def __iter__(self):
                yield self[0]
                second = self[1]
                self.clear()
                yield second

        assert join(Emptied([gb.ones(1), gb.ones(1)])).sum().item() == 2

    def test_may_not_be_as_many_as_no_memory_holds(self):
        with pytest.raises((MemoryError, TypeError, ValueError, gb.GarboardError)):
            gb.cat(Endless())
        with pytest.raises((MemoryError, TypeError, ValueError, gb.GarboardError)):
            gb.autograd.backward(Endless())


class TestAnArgumentThatDisposes:
    """An op has its share of what it was given before it runs anybody's code."""

    @pytest.mark.parametrize("acting", [Acting, ActingReal])
    @pytest.mark.parametrize(
        "op",
        [
            lambda x, n: x + n,
            lambda x, n: n + x,
            lambda x, n: x < n,
            lambda x, n: x.add(n),
            lambda x, n: x.add(1, alpha=n),
            lambda x, n: gb.where(x > 0, x, n),
            lambda x, n: x.clamp(0, n),
            lambda x, n: x.clamp(max=n),
            lambda x, n: gb.lerp(x, x, n),
            lambda x, n: gb.full_like(x, n),
        ],
    )
    def test_leaves_the_op_its_operand(self, op, acting):
        x = gb.ones(5000)

        result = op(x, acting(x.dispose))

        assert x.is_disposed
        assert result.shape == (5000,)
        assert set(result.tolist()) <= {0, 1, 2}

    @pytest.mark.parametrize(
        "op",
        [
            lambda x, n: x[n],
            lambda x, n: x[n, ..., n],
            lambda x, n: x[n:],
            lambda x, n: x[0, n::n],
            lambda x, n: x.view([n, -1]),
            lambda x, n: x.sum([n]),
            lambda x, n: x.narrow(0, n, n),
            lambda x, n: x.select(n, n),
            lambda x, n: x.transpose(0, n),
            lambda x, n: x.flatten(0, n),
            lambda x, n: x.softmax(n),
            lambda x, n: x.argmax(n),
            lambda x, n: gb.cat([x, x], n),
            lambda x, n: gb.stack((x, x), dim=n),
            lambda x, n: gb.tensor([x[0, 0], n]),
            lambda x, n: gb.cross_entropy(x, gb.zeros(40, dtype=gb.int64), ignore_index=n),
            lambda x, n: gb.layer_norm(gb.ones(40, 50), 50, x[0], x[1], eps=n),
        ],
    )
    def test_leaves_the_op_its_input(self, op):
        x = gb.ones(40, 50)

        result = op(x, Acting(x.dispose))

        assert x.is_disposed
        assert result.numel() > 0

    @pytest.mark.parametrize(
        "write",
        [
            lambda x, n: x.__setitem__(n, 2.0),
            lambda x, n: x.__setitem__(0, n),
            lambda x, n: x.__setitem__(slice(None), [n] * 50),
            lambda x, n: x.__setitem__((n, 1), gb.ones(1)[0]),
            lambda x, n: x.fill_(n),
            lambda x, n: x.mul_(n),
            lambda x, n: x.add_(1, alpha=n),
            lambda x, n: x.clamp_(n),
            lambda x, n: x.uniform_(0, n),
        ],
    )
    def test_may_end_what_is_written_to(self, write):
        x = gb.ones(40, 50)

        write(x, Acting(x.dispose))

        assert x.is_disposed

    def test_may_end_what_an_operator_writes_to(self):
        x = gb.ones(5000)
        y = x.alias()

        x += Acting(x.dispose)

        assert x.is_disposed
        assert y[0].item() == 2
