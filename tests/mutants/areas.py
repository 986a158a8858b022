"""Which tests answer for which sources: quick and near ones first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .sites import Mutant, find_mutants

ROOT = Path(__file__).resolve().parents[2]

METHODS = (
    "tests/solvers/test_sweeps.py",
    "tests/solvers/test_steps.py",
    "tests/solvers/test_finish.py",
    "tests/solvers/test_jacobian.py",
    "tests/solvers/test_slides.py",
    "tests/solvers/test_settings.py",
    "tests/solvers/test_bad_input.py",
    "tests/solvers/test_tree.py",
    "tests/solvers/test_contract.py",
    "tests/scene/test_chain_solvers.py",
    "tests/scene/test_joint_angles.py",
    "tests/kernels/test_both_ways.py",
    "tests/solvers/test_fabrik.py",
    "tests/solvers/test_limits.py",
)


@dataclass(frozen=True)
class Area:
    """Sources that the same tests answer for; each area gets as many mutants."""

    name: str
    sources: tuple[str, ...]
    """Files from the root of the tree; ``*`` for any letters."""
    tests: tuple[str, ...]

    def files(self) -> list[str]:
        """Return its files, sorted.

        Raises:
            FileNotFoundError: A pattern finds none.
        """
        found = set()
        for pattern in self.sources:
            paths = [p.relative_to(ROOT).as_posix() for p in ROOT.glob(pattern)]
            if not paths:
                raise FileNotFoundError(f"area {self.name}: there is no {pattern}")
            found |= {p for p in paths if not Path(p).name.startswith("_")}
        return sorted(found)


def kernels(*names: str) -> tuple[str, ...]:
    return tuple(f"ikrig/kernels/{name}.py" for name in names)


def actor(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/scene/actor/test_{name}.py" for name in names)


AREAS = (
    Area("sweeps", kernels("sweeps"), METHODS),
    Area("descent", kernels("dls", "steps", "jacobian"), METHODS),
    Area("joints", kernels("joints", "posture"), METHODS),
    Area(
        "chain",
        kernels("chain", "fabrik", "ccd", "lean", "start", "pose"),
        (*METHODS, "tests/scene/test_chain.py"),
    ),
    Area(
        "spatial",
        kernels("spatial", "rest", "skeleton", "matrices", "trig"),
        (
            "tests/kernels/test_matrices.py",
            "tests/kernels/test_rest.py",
            "tests/scene/test_chain.py",
            *actor("settings", "situations", "aim", "reach"),
            "tests/scene/test_joint_angles.py",
            *METHODS,
        ),
    ),
    Area(
        "bodies",
        kernels("tree"),
        (
            "tests/kernels/test_tree_both_ways.py",
            "tests/model/test_tree_model.py",
            "tests/model/test_kinematics.py",
            "tests/scene/test_articulated.py",
        ),
    ),
    Area(
        "arm",
        kernels("arm6", "arm6_pick"),
        ("tests/kernels/test_arm6_both_ways.py", "tests/arm"),
    ),
    Area(
        "solvers",
        tuple(
            f"ikrig/solvers/{name}.py"
            for name in (
                *("base", "bfgs", "ccd", "cg", "descent", "directions", "fabrik"),
                *("joint_space", "pinv", "slides", "transpose", "tree", "workspace"),
                *("tree_workspace", "settings", "registry"),
            )
        ),
        (*METHODS, *(f"tests/scene/test_{n}.py" for n in ("tree", "slides", "chain"))),
    ),
    Area(
        "learned",
        tuple(f"ikrig/solvers/{name}.py" for name in ("learned", "network")),
        ("tests/solvers/test_learned.py", "tests/solvers/test_train_learned.py"),
    ),
    Area(
        "feet",
        (
            *("ikrig/footing.py", "ikrig/hips.py", "ikrig/stance.py"),
            *("ikrig/limbs.py", "ikrig/scene/actor/feet.py"),
            *("ikrig/scene/actor/ground.py", "ikrig/scene/actor/sole.py"),
        ),
        (
            "tests/model/test_footing.py",
            "tests/model/test_limbs.py",
            *actor("feet", "settings", "situations", "bad_input", "feet_course"),
        ),
    ),
    Area(
        "looking",
        (
            *("ikrig/springs.py", "ikrig/scene/actor/look_at.py"),
            *("ikrig/scene/actor/attention.py", "ikrig/scene/actor/facing.py"),
            *("ikrig/scene/actor/shares.py", "ikrig/scene/actor/aim.py"),
        ),
        (
            "tests/test_springs.py",
            *actor("aim", "look_at", "settings", "bad_input", "situations"),
            *actor("reach", "survives"),
        ),
    ),
    Area(
        "actor",
        (
            *("ikrig/scene/actor/reach.py", "ikrig/scene/actor/chain.py"),
            *("ikrig/scene/actor/behaviour.py", "ikrig/scene/actor/rig.py"),
            *("ikrig/scene/actor/tree.py", "ikrig/scene/actor/skeleton.py"),
            *("ikrig/scene/actor/layer.py", "ikrig/scene/actor/limbs.py"),
            *("ikrig/scene/actor/joint.py", "ikrig/scene/actor/tip.py"),
        ),
        (
            *actor("reach", "settings", "bad_input", "situations", "pinned", "aim"),
            *actor("body", "feet", "look_at", "survives", "gltf"),
        ),
    ),
    Area(
        "clip",
        ("ikrig/clip/*.py", "ikrig/kernels/bezier.py", "ikrig/clipedit.py"),
        ("tests/kernels/test_bezier.py", "tests/clip", "tests/playback/test_mix.py"),
    ),
    Area("feed", ("ikrig/feed/*.py",), ("tests/feed",)),
    Area(
        "playback",
        ("ikrig/scene/playback/*.py",),
        ("tests/playback", "tests/scene/actor/test_settings.py"),
    ),
)


def mutants_of(path: str) -> list[Mutant]:
    """Return every mutant of a file, by its name from the root of the tree."""
    source = (ROOT / path).read_text()
    return find_mutants(path, source, indices="kernels" in path)
