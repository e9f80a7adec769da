"""Names of PyTorch's that few programs use: while_loop, ModuleTracker, collect_env and others."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.utils import collect_env, hooks
from garboard.utils.module_tracker import ModuleTracker

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def test_a_loop_goes_on_while_a_truth_holds_and_gradients_flow_through_it():
    x = gb.ones(1, requires_grad=True)

    count, y = gb.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (gb.tensor(0), x))
    y.sum().backward()

    assert (count.item(), y.item(), x.grad.item()) == (3, 8, 8)
    assert gb.while_loop(lambda y: False, lambda y: y, (2,)) == (2,)
    with pytest.raises(ValueError, match="while_loop: body_fn returned 2 values"):
        gb.while_loop(lambda y: True, lambda y: (y, y), (1,))
    with pytest.raises(TypeError, match="carried_inputs"):
        gb.while_loop(lambda y: True, lambda y: y, 1)


def test_numbers_of_compilers_choose_and_have_roots():
    assert (gb.sym_ite(gb.tensor(True), 1, 2), gb.sym_ite(0, 1, 2)) == (1, 2)
    assert gb.sym_sqrt(4) == 2.0


def test_dropouts_and_leaks_are_written_in_place():
    gb.manual_seed(1)
    for act in (gb.feature_dropout_, gb.alpha_dropout_, gb.feature_alpha_dropout_):
        x = gb.ones(2, 8, 3)
        assert act(x, 0.5, True) is x
        assert len(x.unique()) == 2
        assert act(x, 0.5, False) is x
    whole = gb.feature_alpha_dropout(gb.ones(2, 8, 3), 0.5, True)
    assert gb.equal(whole, whole[:, :, :1].expand(2, 8, 3))
    y = gb.tensor([-1.0, 2.0])
    assert gb.rrelu_(y, 0.5, 0.5) is y
    assert y.tolist() == [-0.5, 2.0]


def test_norms_are_of_all_dims_but_one():
    v = gb.arange(6.0).reshape(2, 3)

    assert gb.norm_except_dim(v, 2, 0).square().round().tolist() == [[5.0], [50.0]]
    assert gb.norm_except_dim(v, 1, 1).tolist() == [[3.0, 5.0, 7.0]]
    assert gb.norm_except_dim(v, 2, -1).item() == pytest.approx(55**0.5)
    assert gb.norm_except_dim(-v[0]).tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(gb.IndexOutOfRangeError):
        gb.norm_except_dim(v, 2, 2)


def test_a_tracker_names_the_modules_that_run_forwards_and_backwards():
    seen: list[tuple[str, list[str], bool]] = []

    def note(name: str) -> None:
        seen.append((name, sorted(tracker.parents), tracker.is_bw))

    model = gb.nn.Sequential(gb.nn.Linear(2, 2), gb.nn.ReLU())
    with ModuleTracker() as tracker:
        model[0].register_forward_hook(lambda *_: note("forward"))
        y = model(gb.ones(1, 2, requires_grad=True))
        note("between")
        y.register_hook(lambda _: note("backward"))
        y.sum().backward()

    assert seen == [
        ("forward", ["Global", "Sequential"], False),
        ("between", ["Global"], False),
        ("backward", ["Global", "Sequential", "Sequential.1"], True),
    ]
    assert (tracker.parents, tracker.is_bw) == ({"Global"}, False)


def test_a_report_tells_of_the_machine():
    text = collect_env.get_pretty_env_info()

    assert f"garboard version: {gb.__version__}" in text
    assert f"Is CUDA available: {gb.cuda.is_available()}" in text
    assert collect_env.get_env_info().is_debug_build == "False"


def test_a_hook_is_marked_as_one_that_is_not_saved():
    hook = hooks.unserializable_hook(lambda gradient: gradient)

    assert hook.__torch_unserializable__


def test_an_object_says_where_it_is_from():
    class Thing:
        pass

    gb.utils.set_module(Thing, "library.things")

    assert Thing.__module__ == "library.things"
    with pytest.raises(TypeError, match="mod"):
        gb.utils.set_module(Thing, 3)
    with pytest.raises(TypeError, match="set_module: obj is of type int"):
        gb.utils.set_module(3, "library")


def test_what_is_asked_of_an_accelerator_is_asked_of_cuda():
    told = gb.accelerator

    assert told.set_device_idx is told.set_device_index is gb.cuda.set_device
    assert told.current_stream is gb.cuda.current_stream
    assert told.memory_stats is gb.cuda.memory_stats
    assert gb.nn.Linear(1, 1).dump_patches is False


def test_switches_of_other_libraries_are_kept_and_change_nothing():
    backends = gb.backends
    layer = gb.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    x = gb.ones(1, 2, 4)
    with gb.no_grad():
        before = layer(x).tolist()
        backends.mha.set_fastpath_enabled(False)
        assert layer(x).tolist() == before
    assert not backends.mha.get_fastpath_enabled()
    backends.mha.set_fastpath_enabled(True)
    with backends.nnpack.flags(True):
        assert backends.nnpack.set_flags(True) == (True,)
    assert backends.nnpack.set_flags(False) == (False,)
    assert (backends.nnpack.is_available(), backends.quantized.engine) == (False, "none")
    backends.cuda.allow_fp16_bf16_reduction_math_sdp(True)
    assert backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
    backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)
    assert not backends.cuda.is_flash_attention_available()
    for told in (backends.mha.set_fastpath_enabled, backends.nnpack.set_flags):
        with pytest.raises(TypeError):
            told("no")
