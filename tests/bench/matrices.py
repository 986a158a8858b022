"""Runs the large matrices of tests whole: ``python -m tests.bench.matrices``.

The default run takes the first case of each and every Nth after it, which holds each
kind once; so does a run of one file. ``pytest --whole`` runs all cases anywhere.
"""

from __future__ import annotations

import sys

MATRICES = {
    "tests/baking/test_controls.py::test_controls_reproduce_the_animation": 3,
    "tests/baking/test_fit_keys.py::test_keys_reproduce_the_animation": 4,
    "tests/bench/test_bench.py::test_peer_benchmark_runs_with_ikrig_alone": 3,
    "tests/demos/test_demo_runs.py::test_demo_draws_the_same_again": 3,
    "tests/demos/test_demo_runs.py::test_no_display_renders_everything": 2,
    "tests/demos/test_figures.py::test_poles_of_the_character_can_be_dragged": 2,
    "tests/demos/test_gallery.py::test_two_frames_of_a_loop_are_unchanged": 4,
    "tests/demos/test_steps.py::test_no_joint_of_a_demo_jumps": 5,
    "tests/demos/test_street.py::test_a_character_walks_by_a_file_beside_its_own": 3,
    "tests/golden/test_golden.py::test_equal_times_give_equal_poses": 4,
    "tests/model/test_kinematics.py::test_jacobians_equal_central_differences": 2,
    "tests/model/test_springs.py::test_equals_the_specification": 3,
    "tests/scene/actor/test_feet_events.py::test_feet_rest_on_the_ground_again": 4,
    "tests/scene/actor/test_feet_stairs.py"
    "::test_thighs_rotate_little_faster_than_in_the_clip": 3,
    "tests/scene/actor/test_grab.py::test_both_hands_stay_on_a_thing_along_a_path": 3,
    "tests/scene/actor/test_hit_reaction.py"
    "::test_joint_moves_by_the_strength_and_comes_back": 3,
    "tests/scene/actor/test_node_ground.py"
    "::test_ground_is_the_highest_surface_of_any_geometry": 3,
    "tests/scene/actor/test_order.py::test_hand_aim_grip_and_head_run_in_order": 5,
    "tests/scene/actor/test_tracked_body.py"
    "::test_lost_trackers_are_let_go_and_taken_back_gently": 5,
    "tests/scene/crowd/test_crowd.py::test_poses_do_not_depend_on_threads": 3,
    "tests/scene/crowd/test_crowd.py::test_promotion_and_demotion_pop_nothing": 2,
    "tests/scene/gizmos/test_dragging.py::test_axis_drag_stays_bounded": 4,
    "tests/scene/test_run_order.py::test_order_equals_a_sort_from_scratch": 5,
    "tests/solvers/six_axis/test_singular.py"
    "::test_angles_follow_fine_paths_past_singular_poses_without_jumps": 4,
    "tests/solvers/test_contract.py::test_chains_point_at_unreachable_goals": 3,
    "tests/solvers/test_contract.py::test_degenerate_poses_stay_finite": 7,
    "tests/solvers/test_contract.py::test_goals_inside_the_dead_zone_are_approached": 3,
    "tests/solvers/test_contract.py::test_moving_the_root_moves_the_chain": 3,
    "tests/solvers/test_contract.py::test_reachable_goals_are_reached": 3,
    "tests/solvers/test_contract.py::test_rigid_motion_and_scale_change_nothing": 3,
    "tests/solvers/test_contract.py::test_tip_of_a_part_weight_never_leaps": 3,
    "tests/solvers/test_contract.py::test_weight_leads_the_tip_a_part_of_the_way": 3,
    "tests/solvers/test_contract.py"
    "::test_weights_0_and_1_are_the_start_pose_and_the_goal_s": 3,
    "tests/solvers/test_learned.py"
    "::test_slowly_moving_goal_is_followed_without_guesses": 3,
    "tests/solvers/test_led_bodies.py::test_led_goals_are_followed": 5,
    "tests/solvers/test_led_chains.py::test_every_method_follows_led_goals": 3,
    "tests/solvers/test_led_chains.py::test_led_hands_follow_their_goals": 5,
    "tests/solvers/test_led_plain.py::test_no_joint_jumps_on_led_paths": 3,
    "tests/solvers/test_limits.py::test_limits_hold_and_the_result_is_true": 3,
    "tests/solvers/test_limits.py::test_reachable_limited_goals_by_method": 3,
    "tests/solvers/test_multi_effector.py::test_reachable_poses_of_a_person": 5,
}
"""Test functions with many slow cases, and which Nth ones the default run takes."""


def main() -> int:
    """Run all cases of the matrices; return pytest's code."""
    import pytest

    return int(pytest.main(["--whole", *sys.argv[1:], *MATRICES]))


if __name__ == "__main__":
    sys.exit(main())
