"""Which tests answer for which sources: quick and near ones first."""

from __future__ import annotations

from .area import ROOT, Area, each
from .sites import Mutant, find_mutants


def kernels(names: str) -> tuple[str, ...]:
    return each("ikrig/kernels/source/*.py", names)


def actor(names: str) -> tuple[str, ...]:
    return each("tests/scene/actor/test_*.py", names)


DEFAULTS = "tests/docs/test_defaults.py"
FILE_KEYS = "tests/docs/test_file_keys.py"
GOLDEN = "tests/golden/test_golden.py"
SCENES = "tests/fuzz/test_scenes.py"
METHODS = (
    *each(
        "tests/solvers/test_*.py",
        "buffers sweeps steps finish jacobian slides settings bad_input "
        "multi_effector tree_details segments mimic posture tips start not_finite "
        "contract straight_bend next_frame joint_values own_method arguments",
    ),
    "tests/fuzz/test_core.py",
    "tests/fuzz/test_trees.py",
    "tests/scene/test_chain_solvers.py",
    "tests/scene/robot/test_joint_angles.py",
    "tests/kernels/test_both_ways.py",
    *each("tests/solvers/test_*.py", "fabrik limits"),
)


AREAS = (
    Area("sweeps", ("ikrig/kernels/source/limited_sweeps.py",), METHODS),
    Area("descent",
         (*kernels("joint_search tree_frame damped_steps posture jacobian"),
          "ikrig/solvers/tree_segments.py"), METHODS),
    Area("joints", (*kernels("joints"),), METHODS),
    Area("chain", (*kernels("chain fabrik_sweep ccd_sweep gap_closing bend_sides"),),
         (*METHODS, "tests/scene/test_chain.py")),
    Area("spatial", kernels("buffers quat_ops rest_pose branch_bends matrices vectors"),
         (*each("tests/kernels/test_*.py", "quat_ops matrices rest"),
          *each("tests/scene/test_*.py", "chain tree_poles"),
          *actor("settings situations aim reach"),
          "tests/scene/robot/test_joint_angles.py", *METHODS)),
    Area("bodies", kernels("joint_poses robot_fk robot_coordinates angles"),
         (*each("tests/model/test_*.py", "robot kinematics mimic limits"),
          *each("tests/solvers/test_*.py", "robot_solver mimic posture"),
          "tests/scene/robot/test_robot_nodes.py")),
    Area("arm", kernels("six_axis"),
         (*each("tests/*.py", "fuzz/test_arm"), *("tests/solvers/six_axis", DEFAULTS))),
    Area(
        "solvers",
        (
            *each(
                "ikrig/solvers/*.py",
                "base bfgs ccd cg descent bone_frames fabrik joint_space pinv slides "
                "transpose multi_effector settings registry buffers solve_arguments "
                "dls two_bone",
            ),
        ),
        (
            *METHODS,
            *each("tests/scene/test_*.py", "tree tree_poles tips slides chain"),
            *actor("settings pinned limited_start tips"),
            DEFAULTS,
        ),
    ),
    Area("learned", (*each("ikrig/solvers/learned/*.py", "solver network train"),),
         (*each("tests/solvers/test_*.py", "learned learned_training robot_chain"),
          DEFAULTS)),
    Area(
        "feet",
        (
            *each(
                "ikrig/character/*.py",
                "foot_planner heightfield",
            ),
            *each(
                "ikrig/scene/behaviours/*.py",
                "foot_placement ground legs sole node_ground clip_speed pace_watch "
                "placed_foot",
            ),
            *kernels("feet foot foot_ground foot_pace foot_plan hips leg sole swing"),
        ),
        (
            "tests/kernels/test_feet_equivariance.py",
            *each("tests/character/test_*.py", "foot_planner grounds ramp"),
            GOLDEN,
            *actor(
                "feet settings situations bad_input feet_course feet_range "
                "feet_ground feet_knees clip_speed feet_events feet_stairs feet_bounds "
                "node_ground"
            ),
            DEFAULTS,
        ),
    ),
    Area(
        "limbs",
        (
            *each(
                "ikrig/character/*.py",
                "bone_names bone_words branches facing_side figure find_head "
                "find_limbs limb symmetry",
            ),
        ),
        (
            *each(
                "tests/character/test_*.py",
                "facing_side parts bone_names find_limbs "
                "find_limbs_kinds find_limbs_rigs find_limbs_rigify find_limbs_games",
            ),
        ),
    ),
    Area(
        "looking",
        (
            "ikrig/scene/behaviours/look_at.py",
            *kernels("spring_damper pose gaze gaze_look gaze_aim"),
            *each("ikrig/scene/behaviours/*.py", "gaze_base facing joint_weights aim"),
        ),
        (
            "tests/math3d/test_springs.py",
            *each("tests/kernels/test_*.py", "pose quat_ops"),
            *actor(
                "layers facing aim look_at settings bad_input situations reach survives"
            ),
            GOLDEN,
            DEFAULTS,
        ),
    ),
    Area(
        "actor",
        (
            "ikrig/scene/behaviours/reach.py",
            "ikrig/scene/ik/chain.py",
            "ikrig/kernels/source/hand_reach.py",
            "ikrig/scene/behaviours/behaviour.py",
            "ikrig/scene/actor/actor_rig.py",
            "ikrig/scene/ik/tree.py",
            *each(
                "ikrig/scene/actor/*.py",
                "actor_skeleton pose_modifier actor_limbs clip_sampling "
                "actor_figure actor_model bone_tag made_targets",
            ),
            *each("ikrig/scene/ik/*.py", "effector component targets"),
        ),
        (
            *each("tests/kernels/test_*.py", "hand_reach"),
            *each("tests/scene/test_*.py", "weight_zero chain_update own_solvers"),
            *actor("reach settings bad_input situations pinned aim harmed order"),
            *each("tests/scene/test_*.py", "tips dependencies system"),
            *actor(
                "body feet look_at survives clip_sampling auto skin_tip "
                "gltf_files armature straight crouch rig_details actor_figure"
            ),
            *(GOLDEN, SCENES),
            "tests/rig_builder/test_rigs.py",
            DEFAULTS,
        ),
    ),
    Area(
        "frames",
        (
            *kernels("actor_frame direct_solve node_frame frame_update"),
            *each(
                "ikrig/scene/ik/*.py",
                "component node_binding node_transforms pose_binding",
            ),
            "ikrig/scene/actor/actor_binding.py",
            "ikrig/character/pose_bones.py",
        ),
        (
            *each(
                "tests/kernels/test_*.py",
                "frames node_measures",
            ),
            *each(
                "tests/scene/test_*.py",
                "bindings chain_update chain tree slides tips finite weight_zero "
                "honest tree_survives tree_runs "
                "tree_poles",
            ),
            *actor("tips settings situations reach body twist_joints"),
            *(GOLDEN, SCENES),
            "tests/scene/robot/test_jog_nodes.py",
        ),
    ),
    Area(
        "order",
        (
            *each(
                "ikrig/scene/ik/*.py",
                "dependencies phase plan setting_attributes system",
            ),
            "ikrig/scene/fade.py",
            *each("ikrig/scene/actor/*.py", "actor_rig dormant"),
        ),
        (
            *each("tests/scene/test_*.py", "fade system dependencies"),
            *actor(
                "layers order long_frames survives harmed settings auto frame_errors"
            ),
            *each("tests/scene/test_*.py", "chain tree chain_update"),
            "tests/animation",
            DEFAULTS,
        ),
    ),
    Area(
        "model",
        (
            "ikrig/model/*.py",
            *each("ikrig/math3d/*.py", "jog quaternion timestep"),
            *each("ikrig/solvers/*.py", "joint_limits joint_motion robot_solver"),
            "ikrig/solvers/six_axis/*.py",
        ),
        (
            "tests/model",
            "tests/math3d",
            *each(
                "tests/solvers/test_*.py",
                "buffers robot_solver robot_arguments limits joint_values mimic "
                "posture bad_input",
            ),
            "tests/solvers/six_axis",
            "tests/formats/test_robot_yaml.py",
            "tests/scene/robot/test_jog_nodes.py",
            DEFAULTS,
        ),
    ),
    Area(
        "formats",
        (
            *each(
                "ikrig/formats/*.py",
                "clip_yaml schema load_robot robot_urdf robot_yaml "
                "robot_mujoco xml_limits yaml_reader yaml_writer mesh_files",
            ),
        ),
        (
            "tests/formats",
            *each("tests/clip/test_*.py", "clip_errors"),
            "tests/scene/robot/test_mesh_files.py",
            "tests/fuzz/test_files.py",
            FILE_KEYS,
        ),
    ),
    Area("clip",
         ("ikrig/clip/*.py", "ikrig/kernels/source/bezier.py",
          "ikrig/formats/clip_edit.py"),
         ("tests/kernels/test_bezier.py", "tests/clip",
          *each("tests/formats/test_*.py", "clip_edit clip_yaml"),
          *("tests/animation/test_mix.py", "tests/fuzz/test_files.py"),
          *(DEFAULTS, FILE_KEYS))),
    Area("feed", ("ikrig/feed/*.py",),
         ("tests/feed", "tests/fuzz/test_packets.py", DEFAULTS)),
    Area("animation",
         ("ikrig/scene/animation/*.py", "ikrig/kernels/source/clip_blend.py"),
         ("tests/kernels/test_clip_blend.py", "tests/animation",
          *actor("clip_sampling settings"), DEFAULTS)),
    Area("baking", ("ikrig/scene/baking/*.py",),
         ("tests/baking", "tests/cli/test_bake.py", DEFAULTS)),
    Area("rig_files", ("ikrig/scene/rig_builder/*.py", "ikrig/formats/rig_file/*.py"),
         (*("tests/rig_builder", "tests/fuzz/test_files.py"),
          "tests/scene/test_rig_kinds.py", "tests/scene/actor/test_gltf_files.py",
          "tests/cli/test_info.py", *(DEFAULTS, FILE_KEYS))),
    Area("robots", ("ikrig/scene/robot/*.py", "ikrig/scene/ik/joint_tags.py"),
         ("tests/scene/robot", "tests/formats/test_robot_yaml.py", DEFAULTS)),
    Area("gizmos", ("ikrig/scene/gizmos/*.py",),
         ("tests/scene/gizmos", *actor("gizmos picture"), DEFAULTS)),
    Area("values",
         (*each("ikrig/*.py", "checks copies errors value_shapes"), "ikrig/files/*.py",
          "ikrig/scene/checked_setting.py"),
         (*each("tests/formats/test_*.py", "value_shapes output_file"),
          "tests/rig_builder/test_file_access.py",
          *each("tests/solvers/test_*.py", "memory bad_input"),
          *actor("settings bad_input"), "tests/model", "tests/feed/test_settings.py",
          "tests/scene/test_junk_given.py", "tests/rig_builder")),
)  # fmt: skip


def mutants_of(path: str) -> list[Mutant]:
    """Return every mutant of a file, by its name from the root of the tree."""
    source = (ROOT / path).read_text()
    return find_mutants(path, source, indices="kernels" in path)
