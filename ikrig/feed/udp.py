"""Packets as UDP datagrams."""

from __future__ import annotations

import selectors
import socket

from .address import check_listening, refused
from .feed_checks import whole
from .receiver import POLL, PacketReceiver

LARGEST_DATAGRAM = 65536
QUEUE = 1 << 20
"""How many bytes may wait to be read; systems give what they allow."""


class UdpSource:
    """Each datagram is one packet: the simplest thing a controller can send.

    Args:
        port: Where to listen; 0 takes a free one, which ``port`` has after start.
        host: Address to listen at: this machine alone by default.
        remote: Must be True for any ``host`` that other machines can reach. Nothing
            checks who sends, so do so only in a network that you trust.

    Raises:
        SettingError: Names the setting, its value and what is allowed.
    """

    def __init__(
        self, port: int, *, host: str = "127.0.0.1", remote: bool = False
    ) -> None:
        self.port = whole(port, "port", 0, 65535)
        self.host = check_listening(host, remote)
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Listen."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        receiver = socket.socket(family, socket.SOCK_DGRAM)
        try:
            receiver.bind((self.host, self.port))
        except OSError as error:
            receiver.close()
            raise refused("UDP", self.host, self.port, error) from None
        receiver.setblocking(False)
        # a frame that hogs the machine may let a fair number of them pile up
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, QUEUE)
        self.port = receiver.getsockname()[1]
        self._socket = receiver

    def run(self, intake: PacketReceiver) -> None:
        """Hand over datagrams until the feed stops."""
        receiver = self._socket
        assert receiver is not None
        # room for the largest: a cut one could pass for a short one
        buffer = bytearray(LARGEST_DATAGRAM)
        view = memoryview(buffer)
        with selectors.DefaultSelector() as selector:
            selector.register(receiver, selectors.EVENT_READ)
            while not intake.stopping.is_set():
                # read until nothing is left, and only then wait: every call lets the
                # frame's thread in, which may keep us waiting for milliseconds
                try:
                    size = receiver.recv_into(buffer)
                except BlockingIOError:
                    selector.select(POLL)
                except OSError as error:
                    intake.drop("source", f"UDP: {error}")
                    intake.wait(POLL)
                else:
                    intake.take(view[:size])

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            self._socket.close()
