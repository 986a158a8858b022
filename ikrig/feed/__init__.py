"""Live joint values from other programs: sources and smoothing; engine-free."""

from __future__ import annotations

from .joint_feed import JointFeed
from .sources import (
    FunctionSource,
    RecordingSource,
    SerialSource,
    StreamSource,
    TcpClientSource,
    TcpSource,
    UdpSource,
)

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
