"""Errors are of the kinds that PyTorch's programs catch, besides those that Python's would be."""

import io
import pickle

import garboard as gb
import pytest
from garboard import nn
from garboard.nn import functional

pytestmark = pytest.mark.no_leaks


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: functional.interpolate(gb.ones(1, 1, 2), 4, mode="nonsense"), NotImplementedError),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation="nonsense"), RuntimeError),
        (lambda: nn.Module().register_buffer("a.b", gb.ones(1)), KeyError),
        (lambda: nn.Module().register_parameter("", None), KeyError),
        (lambda: nn.Module().add_module("training", nn.ReLU()), KeyError),
        (lambda: nn.ModuleDict({"keys": nn.ReLU()}), KeyError),
        (lambda: nn.MultiheadAttention(5, 2), AssertionError),
        (lambda: gb.einsum("ij,jk->il", gb.ones(1, 1), gb.ones(1, 1)), RuntimeError),
        (lambda: gb.stft(gb.ones(8), 4), RuntimeError),
        (lambda: gb.autocast("nonsense"), RuntimeError),
        (lambda: nn.utils.weight_norm(nn.utils.weight_norm(nn.Linear(1, 1))), RuntimeError),
        (lambda: functional.pad(gb.ones(1, 2), (1, 1), mode="nonsense"), NotImplementedError),
        (lambda: gb.func.vmap(lambda x: x.item())(gb.ones(2)), TypeError),
        (lambda: gb.func.grad(lambda x: 1.0)(gb.ones(2)), RuntimeError),
    ],
)
def test_an_error_is_of_both_kinds(call, kind):
    with pytest.raises(gb.GarboardError) as caught:
        call()

    assert isinstance(caught.value, kind)
    assert isinstance(caught.value, ValueError)
    assert not str(caught.value).startswith("'")


def test_sizes_of_attention_are_asserted():
    layer, x = nn.MultiheadAttention(4, 2, batch_first=True), gb.ones(1, 3, 4)

    for call in (
        lambda: layer(x, x, x, key_padding_mask=gb.zeros(1, 2).bool()),
        lambda: layer(x, x, gb.ones(1, 4, 4)),
        lambda: layer(x, x[0], x),
    ):
        with pytest.raises(AssertionError) as caught:
            call()
        assert isinstance(caught.value, gb.ShapeError)


@pytest.mark.parametrize(
    "call", [lambda: gb.tensor(None), lambda: gb.tensor([1, None]), lambda: gb.ones(1).clamp()]
)
def test_what_has_no_dtype_and_no_bound_is_a_runtime_error_too(call):
    with pytest.raises(RuntimeError) as caught:
        call()

    assert isinstance(caught.value, TypeError)


def test_a_file_of_pickled_objects_is_refused_as_pickle_refuses():
    file = io.BytesIO()
    gb.save(nn.Linear(1, 1), file)
    file.seek(0)

    with pytest.raises(pickle.UnpicklingError, match="weights_only=False") as caught:
        gb.load(file)

    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize(
    "call",
    [
        lambda: gb.arange(3).mean(),
        lambda: gb.ones(2, device="meta").to("cpu"),
        lambda: functional.interpolate(gb.ones(1, 1, 2), 4, mode="bilinear"),
    ],
)
def test_what_is_not_there_for_a_dtype_a_device_or_dims_is_not_implemented(call):
    with pytest.raises(NotImplementedError):
        call()


def test_a_file_that_is_none_is_refused_as_pickle_refuses(tmp_path):
    (tmp_path / "words").write_text("words")
    (tmp_path / "empty").touch()

    with pytest.raises(pickle.UnpicklingError):
        gb.load(tmp_path / "words")
    with pytest.raises(EOFError):
        gb.load(tmp_path / "empty")
