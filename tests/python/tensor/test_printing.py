"""Tensors as text, compared with what PyTorch prints."""

from __future__ import annotations

from collections.abc import Iterator

import garboard as gb
import pytest

NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def _default_options() -> Iterator[None]:
    yield
    gb.set_printoptions(precision=4, threshold=1000, edgeitems=3, linewidth=80)


class TestNumbers:
    @pytest.mark.parametrize(
        ("data", "text"),
        [
            ([1, 2, 3], "tensor([1, 2, 3])"),
            ([1, -20, 300], "tensor([  1, -20, 300])"),
            ([True, False], "tensor([ True, False])"),
            ([1.0, 2.0], "tensor([1., 2.])"),
            ([0.0, 0.0], "tensor([0., 0.])"),
            ([-0.0], "tensor([-0.])"),
            ([0.5, -1.25], "tensor([ 0.5000, -1.2500])"),
            ([1.0, 10.5], "tensor([ 1.0000, 10.5000])"),
            ([1 / 3, 2 / 3], "tensor([0.3333, 0.6667])"),
            ([1.0, 2000.0], "tensor([1.0000e+00, 2.0000e+03])"),
            ([100.0, 2000.0], "tensor([ 100., 2000.])"),
            ([1e-5, 1e-6], "tensor([1.0000e-05, 1.0000e-06])"),
            ([1e10, 1.5], "tensor([1.0000e+10, 1.5000e+00])"),
            ([123456789.0], "tensor([1.2346e+08])"),
            ([0.001, 0.5], "tensor([0.0010, 0.5000])"),
            ([0.0001, 1.0], "tensor([1.0000e-04, 1.0000e+00])"),
            ([1.0, NAN], "tensor([1., nan])"),
            ([0.5, INF], "tensor([0.5000,    inf])"),
            ([-0.5, INF, NAN], "tensor([-0.5000,     inf,     nan])"),
            ([INF, 1.0, -1.0], "tensor([inf,  1., -1.])"),
            ([-INF, 1.0], "tensor([-inf, 1.])"),
            ([NAN, INF], "tensor([nan, inf])"),
            ([0.0, 0.25], "tensor([0.0000, 0.2500])"),
        ],
    )
    def test_share_one_form(self, data, text):
        assert repr(gb.tensor(data)) == text

    @pytest.mark.parametrize(
        ("data", "text"),
        [
            (3, "tensor(3)"),
            (3.0, "tensor(3.)"),
            (0.1, "tensor(0.1000)"),
            (True, "tensor(True)"),
            (NAN, "tensor(nan)"),
            (-INF, "tensor(-inf)"),
            (1e-7, "tensor(1.0000e-07)"),
            (12345.678, "tensor(12345.6777)"),
        ],
    )
    def test_stand_alone_without_dims(self, data, text):
        assert repr(gb.tensor(data)) == str(gb.tensor(data)) == text


class TestSuffixes:
    def test_name_unusual_dtypes(self):
        assert repr(gb.tensor([1.0], dtype=gb.float64)) == "tensor([1.], dtype=garboard.float64)"
        assert repr(gb.tensor([1], dtype=gb.int32)) == "tensor([1], dtype=garboard.int32)"
        assert repr(gb.tensor([1], dtype=gb.uint8)) == "tensor([1], dtype=garboard.uint8)"

    def test_name_sizes_and_dtype_of_nothing(self):
        assert repr(gb.zeros(0)) == "tensor([])"
        assert repr(gb.zeros(0, 3)) == "tensor([], size=(0, 3))"
        assert repr(gb.zeros(2, 0, dtype=gb.int64)) == (
            "tensor([], size=(2, 0), dtype=garboard.int64)"
        )

    def test_tell_of_gradients(self):
        x = gb.ones(2, requires_grad=True)

        assert repr(x) == "tensor([1., 1.], requires_grad=True)"
        assert repr(x * 2) == "tensor([2., 2.], grad_fn=<mul>)"
        assert repr(x.double()) == "tensor([1., 1.], dtype=garboard.float64, grad_fn=<to>)"
        assert repr((x * 2).detach()) == "tensor([2., 2.])"

    def test_go_to_a_line_of_their_own_where_they_do_not_fit(self):
        x = gb.full((9,), 1.5, dtype=gb.float64)

        assert repr(x) == (
            "tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000],\n"
            "       dtype=garboard.float64)"
        )

    def test_tell_of_the_end(self):
        x = gb.ones(2)
        x.dispose()

        assert repr(x) == "tensor(<disposed>)"


class TestLayout:
    def test_sets_rows_below_each_other(self):
        assert repr(gb.arange(6).view(2, 3)) == "tensor([[0, 1, 2],\n        [3, 4, 5]])"
        assert repr(gb.arange(8).view(2, 2, 2)) == (
            "tensor([[[0, 1],\n         [2, 3]],\n\n        [[4, 5],\n         [6, 7]]])"
        )

    def test_shows_what_a_view_shows(self):
        assert repr(gb.arange(6).view(2, 3).T[::2]) == "tensor([[0, 3],\n        [2, 5]])"

    def test_wraps_long_rows(self):
        assert repr(gb.arange(30)) == (
            "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
            "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])"
        )

    def test_leaves_out_the_middle_of_many_elements(self):
        assert repr(gb.arange(10000)) == "tensor([   0,    1,    2,  ..., 9997, 9998, 9999])"
        assert repr(gb.arange(2000.0)) == (
            "tensor([0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 1.9970e+03, 1.9980e+03,\n"
            "        1.9990e+03])"
        )
        assert repr(gb.arange(2000).view(50, 40)) == (
            "tensor([[   0,    1,    2,  ...,   37,   38,   39],\n"
            "        [  40,   41,   42,  ...,   77,   78,   79],\n"
            "        [  80,   81,   82,  ...,  117,  118,  119],\n"
            "        ...,\n"
            "        [1880, 1881, 1882,  ..., 1917, 1918, 1919],\n"
            "        [1920, 1921, 1922,  ..., 1957, 1958, 1959],\n"
            "        [1960, 1961, 1962,  ..., 1997, 1998, 1999]])"
        )
        assert repr(gb.zeros(2, 501)) == (
            "tensor([[0., 0., 0.,  ..., 0., 0., 0.],\n        [0., 0., 0.,  ..., 0., 0., 0.]])"
        )

    def test_follows_the_options(self):
        gb.set_printoptions(precision=2)
        assert repr(gb.tensor([1 / 3])) == "tensor([0.33])"
        gb.set_printoptions(threshold=5, edgeitems=1)
        assert repr(gb.arange(6)) == "tensor([0,  ..., 5])"
        gb.set_printoptions(threshold=1000, linewidth=20)
        assert repr(gb.arange(6)) == "tensor([0, 1, 2, 3,\n        4, 5])"


class TestPrinting:
    def test_records_nothing_and_leaves_nothing(self):
        x = gb.ones(3000, requires_grad=True)
        y = x * 2
        before = gb.memory.live()

        with gb.dispose_scope() as scope:
            repr(y)
            assert len(scope) == 0

        assert gb.memory.live() == before
        assert gb.is_grad_enabled()

    def test_reads_few_of_many_elements(self):
        before = gb.memory.memory_allocated()
        x = gb.zeros(1).expand(10**12)
        gb.memory.reset_peak_memory_stats()

        assert repr(x) == "tensor([0., 0., 0.,  ..., 0., 0., 0.])"

        assert gb.memory.max_memory_allocated() - before < 10_000

    def test_joins_format_strings(self):
        assert f"{gb.tensor(0.12345):.2f}" == "0.12"
        assert f"{gb.tensor(0.5, requires_grad=True)} {gb.tensor(5)}" == "0.5 5"
        assert f"{gb.nn.Parameter(gb.tensor(0.5))}".startswith("Parameter containing")
        assert f"{gb.tensor([1]):>12}" == " tensor([1])"
        assert f"{gb.tensor([1, 2])}" == "tensor([1, 2])"
        assert f"{gb.tensor([0.125]):.2f}" == "0.12"
        assert f"{gb.tensor([[3]]):03d}" == "003"

    @pytest.mark.parametrize("spec", [".2f", "10.3", "e", "08.1f"])
    def test_formats_no_more_than_one_element_as_a_number(self, spec):
        x = gb.tensor([1.0, 2.0])

        with pytest.raises(
            gb.ShapeError, match=r"format: a tensor of sizes \[2\] as .*one element"
        ):
            f"{x:{spec}}"

    def test_leaves_a_format_that_is_none_to_python(self):
        with pytest.raises(ValueError, match="Unknown format code 'q'"):
            f"{gb.ones(2):q}"


class TestModes:
    def test_powers_of_ten_are_split_off_or_not(self):
        x = gb.tensor([1e-5, 1.0, 1000.0])

        gb.set_printoptions(sci_mode=False)
        assert str(x) == "tensor([   0.0000,    1.0000, 1000.0000])"
        gb.set_printoptions(sci_mode=True)
        assert str(gb.tensor([NAN, 1.0])) == "tensor([       nan, 1.0000e+00])"
        gb.set_printoptions()
        assert str(x) == "tensor([1.0000e-05, 1.0000e+00, 1.0000e+03])"

    def test_a_profile_is_where_the_others_begin(self):
        gb.set_printoptions(profile="short", precision=1)

        assert str(gb.tensor([0.25])) == "tensor([0.2])"
        assert gb.get_printoptions()["edgeitems"] == 2
        gb.set_printoptions(profile="full")
        assert gb.get_printoptions()["threshold"] == INF
        with pytest.raises(TypeError, match="set_printoptions: profile"):
            gb.set_printoptions(profile=3)

    def test_a_profile_of_another_name_leaves_what_is(self):
        gb.set_printoptions(precision=2)

        gb.set_printoptions(profile="long", linewidth=320)

        assert str(gb.tensor([0.125])) == "tensor([0.12])"
        with pytest.raises(TypeError, match="set_printoptions: sci_mode is of type str"):
            gb.set_printoptions(sci_mode="yes")


def test_a_line_has_as_many_complex_numbers_as_in_torch():
    x = gb.complex(gb.arange(12.0), -gb.arange(12.0))

    assert str(x) == (
        "tensor([ 0.-0.j,  1.-1.j,  2.-2.j,  3.-3.j,  4.-4.j,  5.-5.j,  6.-6.j,\n"
        "         7.-7.j,  8.-8.j,  9.-9.j, 10.-10.j, 11.-11.j])"
    )
