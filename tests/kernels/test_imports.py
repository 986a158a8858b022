"""Import rules of the layers."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import ikrig
from ikrig.kernels import KERNELS

PACKAGE = Path(ikrig.__file__).parent


@cache
def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_import_only_math_cython_and_each_other(name):
    # of types, SimpleNamespace stands for a struct
    modules = {"__future__", "math", "types", "cython", "."}
    allowed = {*modules, *(f".{k}" for k in KERNELS)}
    # what they need of C is in their .pxd
    assert imported(PACKAGE / "kernels" / "source" / f"{name}.py") <= allowed


def test_only_scene_and_studio_view_import_panda3d():
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        if parts[0] != "scene" and parts[:2] != ("studio", "view"):
            tops = {name.split(".")[0] for name in imported(path)}
            assert not tops & {"panda3d", "direct"}, path


# from the lowest; those of one row do not import each other
LAYERS = (
    {"errors", "checks", "copies", "value_shapes", "records", "files", "math3d"},
    {"kernels"},
    {"model"},
    {"solvers"},
    {"clip", "feed", "character"},
    {"formats", "quality"},
    {"scene"},
    {"studio"},
    {"cli"},
)


def test_layers_import_only_those_below_them():
    level = {name: k for k, names in enumerate(LAYERS) for name in names}
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] not in level:
            continue
        for name in imported(path):
            dots = len(name) - len(name.lstrip("."))
            other = name.strip(".").partition(".")[0]
            if dots != len(parts) or other not in level or other == parts[0]:
                continue
            # those of the lowest row are for all, each other too
            if level[other] >= max(1, level[parts[0]]):
                wrong.append(f"{'/'.join(parts)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_the_solvers_run_without_the_engine():
    code = (
        "import sys; sys.modules['panda3d'] = sys.modules['direct'] = None\n"
        "import ikrig\n"
        "s = ikrig.FabrikSolver(ikrig.ChainModel([[0,0,0],[0,0,1],[0,1,2]]))\n"
        "assert s.solve([1, 0, 1]).converged\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_cython_is_not_needed_to_run():
    code = (
        "import sys; sys.modules['cython'] = None\n"
        "sys.path.insert(0, '.')\n"
        "from tests.interpreted import interpreted_kernel\n"
        "assert interpreted_kernel('fabrik_sweep').FabrikKernel\n"
        "assert 'cython' not in sys.modules\n"
    )
    checkout = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=checkout)


def test_public_names_are_exported():
    constants_first = sorted(ikrig.__all__, key=lambda name: (not name.isupper(), name))
    assert ikrig.__all__ == constants_first
    for name in ikrig.__all__:
        assert getattr(ikrig, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        ikrig.Nothing  # noqa: B018 - reading it is the test


def test_the_studio_document_needs_neither_engine_nor_widgets():
    code = (
        "import sys, pkgutil, importlib, ikrig.studio.document as top\n"
        "for module in pkgutil.iter_modules(top.__path__, top.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    tops = {name.partition(".")[0] for name in done.stdout.split()}
    assert not tops & {"panda3d", "direct", "imgui_bundle", "p3dimgui"}
    assert "ikrig.scene" not in done.stdout.split()


def test_importing_ikrig_does_not_import_the_studio():
    code = "import sys, ikrig; ikrig.ActorRig; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not [name for name in done.stdout.split() if "studio" in name]


def test_studio_modules_have_no_import_cycles():
    """What is imported for types alone counts: it is known all the same."""
    top = PACKAGE / "studio"
    paths = {
        path: path.relative_to(PACKAGE).with_suffix("") for path in top.rglob("*.py")
    }
    modules = {path.parts: found for found, path in paths.items()}
    known: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for path, name in paths.items():
        found = known[name.parts] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = name.parts[: -node.level]
                base += tuple((node.module or "").split(".")) if node.module else ()
                for alias in node.names:
                    for other in ((*base, alias.name), base, (*base, "__init__")):
                        if other in modules and other != name.parts:
                            found.add(other)
                            break
    # whatever imports nothing that is left is taken away, until nothing is
    while done := {name for name, others in known.items() if not others & known.keys()}:
        known = {name: others for name, others in known.items() if name not in done}
    assert not known, sorted("/".join(name) for name in known)
