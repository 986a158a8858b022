"""A ShowBase without a window, for Actors."""

from __future__ import annotations

import panda3d.core as p3d
import pytest


@pytest.fixture(scope="package", autouse=True)
def base():
    from direct.showbase.ShowBase import ShowBase

    p3d.load_prc_file_data("", "audio-library-name null\nmodel-cache-dir\n")
    base = ShowBase(windowType="none")
    yield base
    base.destroy()
