"""einops and opt_einsum take tensors, whichever of the two is imported first."""

import subprocess
import sys

import pytest

# What einops does: a backend is a class made of one of its own, for a library that is imported.
BACKENDS = """
import sys

class TorchBackend:
    framework_name = "torch"

    def __init__(self):
        import torch

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, self.torch.Tensor)

    def transpose(self, x, axes):
        return x.permute(axes)

def get_backend(tensor):
    for cls in [TorchBackend, *TorchBackend.__subclasses__()]:
        if cls.framework_name in sys.modules:
            backend = cls()
            if backend.is_appropriate_type(tensor):
                return backend
    raise RuntimeError("unknown")
"""


@pytest.mark.parametrize(
    "first",
    ["import garboard as gb, einops._backends", "import einops._backends, garboard as gb"],
)
def test_einops_finds_a_backend_for_tensors(first, tmp_path):
    (tmp_path / "einops").mkdir()
    (tmp_path / "einops" / "__init__.py").write_text("")
    (tmp_path / "einops" / "_backends.py").write_text(BACKENDS)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {first}\n"
        "x = gb.ones(2, 3)\n"
        "print(tuple(einops._backends.get_backend(x).transpose(x, (1, 0)).shape))\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.stdout.strip(), done.stderr) == ("(3, 2)", "")


def test_another_einops_is_left_as_it_is(tmp_path):
    (tmp_path / "einops").mkdir()
    (tmp_path / "einops" / "__init__.py").write_text("")
    (tmp_path / "einops" / "_backends.py").write_text("answer = 42\n")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import garboard\n"
        "import einops._backends as it; print(it.answer)\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.stdout.strip(), done.stderr) == ("42", "")


# What opt_einsum does: functions are looked for in the module of a tensor's class, and kept.
DISPATCH = """
import importlib

_cached_funcs = {}

def get_func(func, x, default=None):
    backend = type(x).__module__.split(".")[0]
    if (func, backend) not in _cached_funcs:
        lib = importlib.import_module(backend)
        _cached_funcs[func, backend] = getattr(lib, func, default)
    return _cached_funcs[func, backend]
"""


@pytest.mark.parametrize(
    "first",
    [
        "import garboard as gb, opt_einsum.backends.dispatch as it",
        "import opt_einsum.backends.dispatch as it, garboard as gb",
    ],
)
def test_opt_einsum_finds_functions_for_tensors(first, tmp_path):
    home = tmp_path / "opt_einsum" / "backends"
    home.mkdir(parents=True)
    (tmp_path / "opt_einsum" / "__init__.py").write_text("")
    (home / "__init__.py").write_text("")
    (home / "dispatch.py").write_text(DISPATCH)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {first}\n"
        "x = gb.ones(2, 3, 4)\n"
        "print(tuple(it.get_func('transpose', x)(x, (2, 0, 1)).shape),\n"
        "      tuple(it.get_func('tensordot', x)(x, x, axes=([0, 1], [0, 1])).shape),\n"
        "      it.get_func('einsum', x)('ijk->', x).item())\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.stdout.strip(), done.stderr) == ("(4, 2, 3) (4, 4) 24.0", "")
