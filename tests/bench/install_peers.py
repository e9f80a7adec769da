"""Installs PyTorch without its GPU half into the environment that runs this.

PyPI's PyTorch for Linux is linked against 4 GB of CUDA libraries that a benchmark on the CPU never
calls, yet it does not load without them. The three that it calls while it loads are installed; the
others are stood in for by empty libraries that define the symbols it asks for. The same kernels of
the CPU run as in a whole installation, at a third of its size.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from importlib.metadata import requires
from pathlib import Path

CALLED_WHILE_LOADING = ("nvidia-cuda-runtime", "nvidia-cuda-cupti", "nvidia-cufile")
STOOD_IN_FOR = ("cublas", "cublasLt", "cudnn", "cufft", "cusolver", "cusparse", "cusparseLt")
STOOD_IN_FOR += ("nccl", "nvrtc", "nvshmem_host")
PACKAGES = Path(sysconfig.get_path("purelib"))


def pip_install(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *words], check=True)


def output(*command: str | Path) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def asked_for(libraries: list[Path]) -> dict[str, set[str]]:
    """Return the sonames of the libraries to be stood in for, each with its version nodes."""
    nodes: dict[str, set[str]] = defaultdict(set)
    for library in libraries:
        for line in output("readelf", "-d", library).splitlines():
            match = re.search(r"NEEDED.*\[lib(\w+)(\.so\.\d+)\]", line)
            if match and match[1] in STOOD_IN_FOR:
                nodes[f"lib{match[1]}{match[2]}"] |= set()
        soname = ""
        for line in output("readelf", "-V", library).splitlines():
            if match := re.search(r"Version: 1  File: (\S+)", line):
                soname = match[1]
            elif (match := re.search(r"Name: (\S+)  Flags", line)) and soname in nodes:
                nodes[soname].add(match[1])
    return nodes


def undefined(libraries: list[Path]) -> dict[str, str]:
    """Return every undefined symbol with its version node, or an empty one."""
    found = {}
    for library in libraries:
        for line in output("nm", "-D", "--undefined-only", library).splitlines():
            name, _, node = line.split()[-1].partition("@")
            if re.match(r"(cu(blas|dnn|fft|solver|sparse)|nccl|nvrtc|nvshmem)", name):
                found[name] = node.lstrip("@")
    return found


def build_stand_ins(folder: Path) -> None:
    """Write the empty libraries into PyTorch's own folder, where it looks first."""
    libraries = sorted(folder.glob("lib*torch*.so")) + sorted(folder.glob("libcaffe2*.so"))
    symbols = undefined(libraries)
    for soname, nodes in asked_for(libraries).items():
        stem = soname.removeprefix("lib").split(".so")[0].removesuffix("_host")
        mine = {
            name: node
            for name, node in symbols.items()
            if (node in nodes if nodes else not node and name.startswith(stem.removesuffix("Lt")))
        }
        with tempfile.TemporaryDirectory() as work:
            source, script = Path(work, "empty.c"), Path(work, "versions")
            source.write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in mine))
            groups: dict[str, list[str]] = defaultdict(list)
            for name, node in mine.items():
                groups[node].append(name)
            script.write_text(
                "".join(
                    f"{node} {{ global: {' '.join(f'{name};' for name in names) or ''} }};\n"
                    for node, names in sorted(groups.items())
                    if node
                )
            )
            command = ["gcc", "-shared", "-w", "-o", str(folder / soname), str(source)]
            if script.read_text():
                command.append(f"-Wl,--version-script={script}")
            subprocess.run([*command, f"-Wl,-soname,{soname}"], check=True)


def main() -> None:
    pip_install("--no-deps", "torch")
    needs = [need for need in requires("torch") or () if ";" not in need]
    toolkit = next(need for need in requires("torch") or () if need.startswith("cuda-toolkit"))
    version = toolkit.split(";")[0].split("==")[1].strip()
    pip_install(*needs)
    pip_install("--no-deps", f"cuda-toolkit=={version}")
    pinned = {}
    for need in requires("cuda-toolkit") or ():
        name, _, exact = need.split(";")[0].strip().partition("==")
        pinned[name.strip()] = exact.strip()
    pip_install("--no-deps", *(f"{name}=={pinned[name]}" for name in CALLED_WHILE_LOADING))
    build_stand_ins(PACKAGES / "torch" / "lib")
    print(output(sys.executable, "-c", "import torch; print('torch', torch.__version__)").strip())


if __name__ == "__main__":
    main()
