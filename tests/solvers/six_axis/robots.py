"""Axes of real arms, from the robot files of the ``rtb-data`` package.

A chain of joints is all that is read: no other package is needed for it.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np
import pytest

from ikrig import rotation_from_ypr

FILES = {
    "irb140": "abb_irb140_description/urdf/irb140_macro.xacro",
    "puma560": "unimation_puma560_description/urdf/puma560_robot.urdf",
    "kuka kr6": "kuka_description/kuka_kr6/urdf/kr6r900sixx_macro.xacro",
    "kuka kr16": "kuka_description/kuka_kr16/urdf/kr16_2.urdf",
}
OTHERS = {"irb140 (older)": "abb_irb140_description/urdf/irb140.urdf"}


@dataclass
class Robot:
    anchors: list[np.ndarray]
    axes: list[np.ndarray]
    lower: list[float]
    upper: list[float]
    position: np.ndarray
    rotation: np.ndarray

    @property
    def zero(self):
        """Anchors, axes, and the tool's position and rotation, all joints at 0."""
        return self.anchors, self.axes, self.position, self.rotation


def load(name: str) -> Robot:
    """Return the arm; skip the test where the package is not installed."""
    package = pytest.importorskip("rtbdata", reason="rtb-data is not installed")
    folder = Path(package.__file__).parent / "xacro"
    joints = {}
    for joint in ET.parse(folder / (FILES | OTHERS)[name]).getroot().iter("joint"):
        # what has a type is a joint; the fixed one to "base" is no part of the arm
        if joint.get("type") and not joint.find("child").get("link").endswith("base"):
            joints[joint.find("parent").get("link")] = joint
    children = {joint.find("child").get("link") for joint in joints.values()}
    (link,) = set(joints) - children
    robot = Robot([], [], [], [], np.zeros(3), np.eye(3))
    while link in joints:
        joint = joints[link]
        link = joint.find("child").get("link")
        place = joint.find("origin")
        robot.position = robot.position + robot.rotation @ numbers(place.get("xyz"))
        # files round right angles to some digits
        angles = numbers(place.get("rpy", "0 0 0"))
        right = pi / 2 * np.round(angles / (pi / 2))
        angles = np.where(np.abs(angles - right) < 1e-5, right, angles)
        robot.rotation = robot.rotation @ rotation_from_ypr(*angles[::-1])
        if joint.get("type") == "revolute":
            robot.anchors.append(robot.position)
            robot.axes.append(robot.rotation @ numbers(joint.find("axis").get("xyz")))
            limit = joint.find("limit")
            robot.lower.append(numbers(limit.get("lower"))[0])
            robot.upper.append(numbers(limit.get("upper"))[0])
    return robot


def numbers(text: str) -> np.ndarray:
    """Return what an attribute says, also where it says ${-DEG2RAD * 120}."""
    for whole, sign, degrees in re.findall(r"(\$\{(-?)DEG2RAD \* ([\d.]+)\})", text):
        text = text.replace(whole, sign + repr(np.radians(float(degrees)).item()))
    return np.array([float(word) for word in text.split()])
