"""Which tests answer for which sources: quick and near ones first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .sites import Mutant, find_mutants

ROOT = Path(__file__).resolve().parents[2]

CHAIN_STEPS = (
    "tests/kernels/test_chain_start.py",
    "tests/kernels/test_gap_closing.py",
    "tests/kernels/test_chain_turns.py",
)
JOINT_STEPS = (
    "tests/kernels/test_joint_coordinates.py",
    "tests/kernels/test_joint_trees.py",
    "tests/kernels/test_joint_steps.py",
    "tests/kernels/test_descent.py",
    "tests/kernels/test_posture_steps.py",
)
METHODS = (
    "tests/solvers/test_sweeps.py",
    "tests/solvers/test_steps.py",
    "tests/solvers/test_finish.py",
    "tests/solvers/test_jacobian.py",
    "tests/solvers/test_slides.py",
    "tests/solvers/test_settings.py",
    "tests/solvers/test_bad_input.py",
    "tests/solvers/test_multi_effector.py",
    "tests/solvers/test_tree_details.py",
    "tests/solvers/test_segments.py",
    *(f"tests/solvers/test_{name}.py" for name in ("mimic", "posture", "tips")),
    *(f"tests/solvers/test_{name}.py" for name in ("start", "not_finite")),
    "tests/solvers/test_contract.py",
    "tests/scene/test_chain_solvers.py",
    "tests/scene/robot/test_joint_angles.py",
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
    return tuple(f"ikrig/kernels/source/{name}.py" for name in names)


def actor(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/scene/actor/test_{name}.py" for name in names)


AREAS = (
    Area(
        "sweeps",
        kernels("limited_sweeps"),
        (*JOINT_STEPS, *METHODS),
    ),
    Area(
        "descent",
        (
            *kernels("dls_search", "dls_step", "dls_posture", "jacobian", "segments"),
            "ikrig/solvers/tree_segments.py",
        ),
        (*JOINT_STEPS, *METHODS),
    ),
    Area(
        "joints",
        kernels("joint_coordinates", "joint_fk"),
        (*JOINT_STEPS, *METHODS),
    ),
    Area(
        "chain",
        kernels(
            "chain_frame",
            "fabrik_sweep",
            "ccd_sweep",
            "gap_closing",
            "initial_guess",
            "bone_rotations",
        ),
        (
            *CHAIN_STEPS,
            *METHODS,
            "tests/scene/test_chain.py",
        ),
    ),
    Area(
        "spatial",
        kernels("quat_ops", "rest_pose", "joint_rotations", "matrices"),
        (
            "tests/kernels/test_matrices.py",
            "tests/kernels/test_rest.py",
            *CHAIN_STEPS,
            *JOINT_STEPS,
            "tests/scene/test_chain.py",
            *actor("settings", "situations", "aim", "reach"),
            "tests/scene/robot/test_joint_angles.py",
            *METHODS,
        ),
    ),
    Area(
        "bodies",
        kernels("joint_poses", "robot_fk", "robot_coordinates", "trig"),
        (
            "tests/kernels/test_tree_both_ways.py",
            "tests/model/test_robot.py",
            "tests/model/test_kinematics.py",
            *(f"tests/model/test_{name}.py" for name in ("mimic", "limits")),
            *(f"tests/solvers/test_{name}.py" for name in ("robot_solver", "mimic")),
            "tests/solvers/test_posture.py",
            "tests/scene/robot/test_robot_nodes.py",
        ),
    ),
    Area(
        "arm",
        kernels("six_axis_branches", "six_axis_select"),
        ("tests/kernels/test_arm6_both_ways.py", "tests/solvers/six_axis"),
    ),
    Area(
        "solvers",
        tuple(
            f"ikrig/solvers/{name}.py"
            for name in (
                *("base", "bfgs", "ccd", "cg", "descent", "bone_frames", "fabrik"),
                *("joint_space", "pinv", "slides", "transpose", "multi_effector"),
                *(
                    "chain_workspace",
                    "multi_effector_ends",
                    "multi_effector_goals",
                    "multi_effector_workspace",
                    "settings",
                    "registry",
                ),
            )
        ),
        (
            *METHODS,
            *(
                f"tests/scene/test_{n}.py"
                for n in ("tree", "tree_poles", "tips", "slides", "chain")
            ),
            *actor("settings", "pinned", "limited_start"),
        ),
    ),
    Area(
        "learned",
        tuple(f"ikrig/solvers/learned/{name}.py" for name in ("solver", "network")),
        ("tests/solvers/test_learned.py", "tests/solvers/test_learned_training.py"),
    ),
    Area(
        "feet",
        (
            *(
                "ikrig/character/foot_planner.py",
                "ikrig/character/foot_settings.py",
                "ikrig/character/heightfield.py",
                "ikrig/character/ground_grid.py",
            ),
            "ikrig/scene/behaviours/foot_placement.py",
            *("ikrig/scene/behaviours/ground.py", "ikrig/scene/behaviours/sole.py"),
            "ikrig/scene/behaviours/node_ground.py",
            "ikrig/scene/behaviours/clip_speed.py",
            "ikrig/scene/behaviours/pace_watch.py",
            *kernels("feet_frame", "foot_ground", "foot_hold", "foot_pose"),
            *kernels("foot_reach", "foot_step", "pelvis"),
        ),
        (
            "tests/kernels/test_feet_frame.py",
            *(
                f"tests/kernels/test_foot_{name}.py"
                for name in ("pose", "reach", "hold", "step")
            ),
            "tests/kernels/test_feet_both_ways.py",
            "tests/character/test_foot_planner.py",
            "tests/character/test_grounds.py",
            *actor("feet", "settings", "situations", "bad_input", "feet_course"),
            *actor("feet_range", "feet_ground", "feet_knees", "clip_speed"),
            *actor("feet_events"),
        ),
    ),
    Area(
        "limbs",
        tuple(
            f"ikrig/character/{name}.py"
            for name in (
                *("bone_names", "branches", "facing_side", "find_head", "find_limbs"),
                *("skin_shape", "symmetry"),
            )
        ),
        tuple(
            f"tests/character/test_{name}.py"
            for name in ("shapes", "bone_names", "find_limbs", "find_limbs_kinds")
        ),
    ),
    Area(
        "looking",
        (
            *("ikrig/math3d/springs.py", "ikrig/scene/behaviours/look_at.py"),
            *kernels("spring_damper"),
            *(
                "ikrig/scene/behaviours/gaze_base.py",
                "ikrig/scene/behaviours/facing.py",
            ),
            *(
                "ikrig/scene/behaviours/joint_weights.py",
                "ikrig/scene/behaviours/aim.py",
            ),
        ),
        (
            "tests/math3d/test_springs.py",
            *actor("facing", "aim", "look_at", "settings", "bad_input", "situations"),
            *actor("reach", "survives"),
        ),
    ),
    Area(
        "actor",
        (
            *("ikrig/scene/behaviours/reach.py", "ikrig/scene/ik/chain.py"),
            *("ikrig/scene/behaviours/pose_hold.py", "ikrig/scene/ik/chain_pose.py"),
            *("ikrig/scene/behaviours/behaviour.py", "ikrig/scene/actor/actor_rig.py"),
            *("ikrig/scene/ik/tree.py", "ikrig/scene/actor/actor_skeleton.py"),
            *("ikrig/scene/actor/pose_modifier.py", "ikrig/scene/actor/actor_limbs.py"),
            *(
                "ikrig/scene/actor/joint_node.py",
                "ikrig/scene/ik/effector.py",
            ),
            *("ikrig/scene/ik/component.py", *kernels("chain_update")),
        ),
        (
            *(
                f"tests/scene/test_{n}.py"
                for n in ("weight_zero", "chain_update", "own_solvers")
            ),
            *actor(
                "lean",
                "pose_hold",
                "reach",
                "settings",
                "bad_input",
                "situations",
                "pinned",
            ),
            *actor("aim", "harmed", "order"),
            *(f"tests/scene/test_{n}.py" for n in ("tips", "dependencies")),
            *actor("body", "feet", "look_at", "survives", "gltf"),
        ),
    ),
    Area(
        "frames",
        (
            *kernels("actor_frame", "direct_solve", "node_frame", "tree_update"),
            *(
                f"ikrig/scene/ik/{name}.py"
                for name in (
                    *("bound_bones", "node_binding", "node_transforms"),
                    "pose_binding",
                )
            ),
            "ikrig/scene/actor/actor_binding.py",
        ),
        (
            *("tests/kernels/test_frames.py", "tests/kernels/test_direct_solve.py"),
            *(
                f"tests/scene/test_{n}.py"
                for n in (
                    *("chain_update", "chain", "tree", "slides", "tips", "finite"),
                    *("weight_zero", "measured_rotation", "chain_survives", "honest"),
                    *("tree_survives", "tree_runs", "tree_poles"),
                )
            ),
            *actor("tips", "goals", "settings", "situations", "lean", "reach", "body"),
            "tests/scene/robot/test_jog_nodes.py",
        ),
    ),
    Area(
        "order",
        (
            *(
                f"ikrig/scene/ik/{name}.py"
                for name in ("dependencies", "effector_keys", "phase", "plan", "system")
            ),
            "ikrig/scene/fade.py",
            "ikrig/scene/actor/layer_stack.py",
            "ikrig/scene/actor/dormant.py",
        ),
        (
            *(f"tests/scene/test_{n}.py" for n in ("fade", "system", "dependencies")),
            *actor("order", "long_frames", "survives", "harmed", "settings"),
            *(f"tests/scene/test_{n}.py" for n in ("chain", "tree", "chain_survives")),
            "tests/animation",
        ),
    ),
    Area(
        "model",
        (
            "ikrig/model/*.py",
            *(f"ikrig/math3d/{n}.py" for n in ("jog", "quaternion", "timestep")),
            *(
                f"ikrig/solvers/{n}.py"
                for n in ("joint_limits", "joint_motion", "robot_solver")
            ),
            "ikrig/solvers/six_axis/*.py",
        ),
        (
            *("tests/model", "tests/math3d"),
            *(
                f"tests/solvers/test_{n}.py"
                for n in ("robot_solver", "limits", "mimic", "posture", "bad_input")
            ),
            *("tests/solvers/six_axis", "tests/formats/test_robot_yaml.py"),
            "tests/scene/robot/test_jog_nodes.py",
        ),
    ),
    Area(
        "formats",
        (
            *(
                f"ikrig/formats/{name}.py"
                for name in (
                    *("clip_yaml", "robot_urdf", "robot_yaml", "robot_mujoco"),
                    *("xml_limits", "yaml_reader", "yaml_writer", "mesh_files"),
                )
            ),
        ),
        (
            "tests/formats",
            *("tests/clip/test_clip_files.py", "tests/clip/test_clip_errors.py"),
            "tests/scene/robot/test_mesh_files.py",
        ),
    ),
    Area(
        "clip",
        (
            "ikrig/clip/*.py",
            "ikrig/kernels/source/bezier.py",
            "ikrig/formats/clip_edit.py",
        ),
        (
            *("tests/kernels/test_bezier.py", "tests/clip"),
            *("tests/formats/test_clip_edit.py", "tests/animation/test_mix.py"),
        ),
    ),
    Area("feed", ("ikrig/feed/*.py",), ("tests/feed",)),
    Area(
        "animation",
        ("ikrig/scene/animation/*.py", *kernels("clip_blend")),
        (
            *("tests/kernels/test_clip_blend.py", "tests/animation"),
            *actor("clip_sampling", "settings"),
        ),
    ),
)


def mutants_of(path: str) -> list[Mutant]:
    """Return every mutant of a file, by its name from the root of the tree."""
    source = (ROOT / path).read_text()
    return find_mutants(path, source, indices="kernels" in path)
