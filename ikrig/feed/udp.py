"""Packets as UDP datagrams."""

from __future__ import annotations

import selectors
import socket

from .address import check_listening, refused
from .feed_checks import whole
from .receiver import POLL, PacketReceiver

LARGEST_DATAGRAM = 65536
QUEUE = 1 << 20
"""Requested size of the receive buffer [bytes]; systems may grant less."""


class UdpSource:
    """A UDP socket; each datagram is one packet.

    Args:
        port: Port to listen on; 0 chooses a free one, which ``port`` has after start.
        host: Address to listen on; by default only this machine can send.
        remote: Must be True for a ``host`` that other machines can reach. Senders are
            not authenticated, so use it only in a network that you trust.

    Raises:
        SettingError: Names the setting, its value and allowed values.
    """

    def __init__(
        self, port: int, *, host: str = "127.0.0.1", remote: bool = False
    ) -> None:
        self.port = whole(port, "port", 0, 65535)
        self.host = check_listening(host, remote)
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Open the port and listen."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_DGRAM)
        try:
            listener.bind((self.host, self.port))
        except OSError as error:
            listener.close()
            raise refused("UDP", self.host, self.port, error) from None
        listener.setblocking(False)
        # datagrams may pile up during a slow frame
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, QUEUE)
        self.port = listener.getsockname()[1]
        self._socket = listener

    def run(self, receiver: PacketReceiver) -> None:
        """Pass on datagrams until the feed stops."""
        listener = self._socket
        assert listener is not None
        # room for the largest: a truncated one could pass for a short one
        buffer = bytearray(LARGEST_DATAGRAM)
        view = memoryview(buffer)
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            while not receiver.stopping.is_set():
                # wait only when nothing is left: every call may release the
                # interpreter's lock to the frame's thread for milliseconds
                try:
                    size = listener.recv_into(buffer)
                except BlockingIOError:
                    selector.select(POLL)
                except OSError as error:
                    receiver.drop("source", f"UDP: {error}")
                    receiver.wait(POLL)
                else:
                    receiver.receive(view[:size])

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            self._socket.close()
