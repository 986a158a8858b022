"""Runs the large matrices of tests whole: ``python -m tests.bench.matrices``.

The default run takes the first case of each and every Nth after it, which holds each
kind once; so does a run of one file. ``pytest --whole`` runs all cases anywhere.
"""

from __future__ import annotations

import sys

MATRICES = {
    "tests/bench/test_bench.py::test_peer_benchmark_runs_with_ikrig_alone": 3,
    "tests/demos/test_demo_runs.py::test_no_display_renders_everything": 2,
    "tests/demos/test_gallery.py::test_two_frames_of_a_loop_are_unchanged": 3,
    "tests/solvers/six_axis/test_singular.py"
    "::test_angles_follow_fine_paths_past_singular_poses_without_jumps": 4,
    "tests/solvers/test_contract.py::test_moving_the_root_moves_the_chain": 3,
    "tests/solvers/test_contract.py::test_reachable_goals_are_reached": 3,
    "tests/solvers/test_contract.py::test_weight_blends_from_the_start_pose": 3,
    "tests/solvers/test_learned.py"
    "::test_slowly_moving_goal_is_followed_without_guesses": 3,
    "tests/solvers/test_led_bodies.py::test_led_goals_are_followed": 5,
    "tests/solvers/test_led_chains.py::test_every_method_follows_led_goals": 3,
    "tests/solvers/test_led_chains.py::test_led_hands_follow_their_goals": 5,
    "tests/solvers/test_led_plain.py::test_no_joint_jumps_on_led_paths": 3,
    "tests/solvers/test_limits.py::test_reachable_limited_goals_by_method": 3,
    "tests/solvers/test_multi_effector.py::test_reachable_poses_of_a_person": 5,
    "tests/scene/actor/test_feet_events.py::test_feet_rest_on_the_ground_again": 4,
    "tests/scene/actor/test_feet_stairs.py"
    "::test_thighs_rotate_little_faster_than_in_the_clip": 3,
}
"""Test functions with many slow cases, and which Nth ones the default run takes."""


def main() -> int:
    """Run all cases of the matrices; return pytest's code."""
    import pytest

    return int(pytest.main(["--whole", *sys.argv[1:], *MATRICES]))


if __name__ == "__main__":
    sys.exit(main())
