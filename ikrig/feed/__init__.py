"""Live joint angles from other programs, engine-free: sources and smoothing."""

from __future__ import annotations

from .joint_feed import JointFeed
from .lines import StreamSource, TcpClientSource, TcpSource
from .replay import FunctionSource, RecordingSource
from .serial_port import SerialSource
from .udp import UdpSource

__all__ = [
    "FunctionSource",
    "JointFeed",
    "RecordingSource",
    "SerialSource",
    "StreamSource",
    "TcpClientSource",
    "TcpSource",
    "UdpSource",
]
