"""A small network that guesses the angles of one chain of hinges."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ModelError
from ...math3d.quaternion import Floats
from ...model.limits import FixedLimit, HingeLimit, Limit, LimitsByJoint
from ...model.skeleton import ChainModel, SkeletonModel
from ..joint_limits import check_limits

Singles = NDArray[np.float32]

INPUTS = 12
"""The goal's position over the chain's size (3), and the rotation matrix of the leaf,
row by row (9), or zeros when any rotation will do."""
ALIKE = 1e-3
"""Tolerance between a chain and the learned one [rad, fraction of the size]."""


class Network:
    """A chain, and the perceptron's weights that were learned for it.

    The hidden layers are rectified. The outputs are several answers: a goal can be
    reached by poses that lie far apart, and their mean reaches nothing.

    Args:
        title: Description of the chain, for messages.
        positions: Its joints with all angles 0, (n + 1, 3).
        limits: A ``HingeLimit`` or a ``FixedLimit`` for each of them, by index.
        sizes: Sizes of the layers: ``INPUTS``, the hidden ones, answers × hinges.
        weights: For each pair of layers the matrix (from, to) and the offsets (to):
            float16, little-endian, in base64.

    Raises:
        ModelError: A joint is neither a hinge nor fixed.
    """

    def __init__(
        self,
        *,
        title: str,
        positions: ArrayLike,
        limits: Mapping[int, Limit],
        sizes: Sequence[int],
        weights: str,
    ) -> None:
        self.title = title
        self.model = ChainModel(positions)
        self.limits = dict(limits)
        self._table = chain_table(self.model, self.limits)
        hinges = self._table[:, 3:6].any(axis=1)
        lower, upper = self._table[hinges, 6:].T.astype(np.float32)
        self.middle: Singles = 0.5 * (lower + upper)
        self.half: Singles = 0.5 * (upper - lower)
        self.layers: list[tuple[Singles, Singles]] = []
        numbers = np.frombuffer(b64decode(weights), "<f2").astype(np.float32)
        for count, after in pairwise(sizes):
            matrix, offsets, numbers = np.split(
                numbers, [count * after, (count + 1) * after]
            )
            self.layers.append((matrix.reshape(count, after), offsets))

    def fit(
        self, model: SkeletonModel, limits: LimitsByJoint
    ) -> list[tuple[Singles, Singles]]:
        """Return the layers for a chain: the learned one, rotated and scaled.

        Their inputs are the goal's position from the root [scene unit] and the matrix
        of the leaf's rotation, both in the root space of this chain.
        """
        advice = (
            f"The network is for {self.title}. Use the solver 'dls', or train your "
            "own network: python -m ikrig train --help"
        )
        own = self._table
        if len(model.names) != len(own):
            raise ModelError(
                f"'learned' can't guess for a chain of {len(model.names) - 1} bones "
                f"({', '.join(model.names)}), only for {len(own) - 1}. {advice}"
            )
        found = check_limits(model, limits)
        table = chain_table(model, found)
        # the rotation from the learned chain to this one (Kabsch 1976)
        arrows, own_arrows = table[:, :6].reshape(-1, 3), own[:, :6].reshape(-1, 3)
        u, _, v = np.linalg.svd(arrows.T @ own_arrows)
        rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v
        turned = np.hstack([(own_arrows @ rotation.T).reshape(-1, 6), own[:, 6:]])
        off = np.abs(table - turned).max(axis=1)
        if off.max() > ALIKE:
            j = int(off.argmax())
            fraction, own_fraction = np.linalg.norm([table[j, :3], own[j, :3]], axis=1)
            raise ModelError(
                f"'learned' can't guess for this chain: {model.names[j]} (joint {j}) "
                f"is {fraction:.4g} of the chain's size from the joint before it, "
                f"with {found[j]}; it was trained for {own_fraction:.4g} with "
                f"{self.limits[j]}, in any orientation of the whole. {advice}"
            )
        # back into the learned chain's space: for a matrix, rotationᵀ M rotation
        back = np.zeros((INPUTS, INPUTS))
        back[:3, :3] = rotation / model.size
        back[3:, 3:] = np.kron(rotation, rotation)
        first, offsets = self.layers[0]
        return [((back @ first).astype(np.float32), offsets), *self.layers[1:]]

    def guess(self, layers: list[tuple[Singles, Singles]], inputs: Singles) -> Singles:
        """Return the angles of every answer, (answers, hinges) [rad], inside limits.

        Args:
            layers: From ``fit``.
            inputs: Goal position and rotation matrix, (INPUTS).
        """
        values = inputs
        for matrix, offsets in layers[:-1]:
            values = np.maximum(values @ matrix + offsets, 0.0)
        matrix, offsets = layers[-1]
        fractions = np.tanh(values @ matrix + offsets).reshape(-1, len(self.half))
        angles: Singles = self.middle + self.half * fractions
        return angles


def chain_table(model: SkeletonModel, limits: Mapping[int, Limit]) -> Floats:
    """Return a chain of hinges as numbers, a row for each joint, (n + 1, 8).

    Columns: offset from the joint before it over the chain's size (3), axis (3), lower,
    upper [rad]. A fixed joint's axis is zero; a hinge without bounds has those of one
    turn.
    """
    table = np.zeros((len(model.names), 8))
    table[:, :3] = model.offsets / model.size
    for j, name in enumerate(model.names):
        limit = limits.get(j)
        if isinstance(limit, HingeLimit):
            bounds = np.array([limit.lower, limit.upper])
            bounds = np.where(np.isfinite(bounds), bounds, [-np.pi, np.pi])
            table[j, 3:] = *limit.axis, *bounds
        elif not isinstance(limit, FixedLimit):
            raise ModelError(
                f"a network can only be trained for a chain of hinges: {name} ({j}) "
                f"must have a HingeLimit or a FixedLimit, not {limit}"
            )
    return table
