"""Live joint values from other programs: sources and smoothing; engine-free."""

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
