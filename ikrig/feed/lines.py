"""Packets as lines of text: over TCP, from standard input, a pipe, a serial port."""

from __future__ import annotations

import os
import selectors
import socket
import sys
from typing import Any

from ..errors import SettingError, shown
from .address import check_listening, refused
from .feed_checks import positive, whole
from .receiver import POLL, PacketReceiver

CHUNK = 16384
RETRY = 0.5
"""Time before connecting again [s]."""


class TcpSource:
    r"""A TCP server for a controller that connects, as by URScript's ``socket_open``.

    Each line (ended by ``\n``) is one packet. Only one controller is served at a time;
    it may reconnect, and others wait until it is gone.

    Args:
        port: Port to listen on; 0 chooses a free one, which ``port`` has after start.
        host: Address to listen on; by default only this machine can connect.
        remote: Must be True for a ``host`` that other machines can reach. Senders are
            not authenticated, so use it only in a network that you trust.
        patience: Time without a good packet after which a connection is closed [s], so
            that one with its cable pulled makes room for the next.

    Raises:
        SettingError: Names the setting, its value and allowed values.
    """

    def __init__(
        self,
        port: int,
        *,
        host: str = "127.0.0.1",
        remote: bool = False,
        patience: float = 5.0,
    ) -> None:
        self.port = whole(port, "port", 0, 65535)
        self.host = check_listening(host, remote)
        self.patience = positive(patience, "patience")
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Open the port and listen."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            listener = socket.create_server(
                (self.host, self.port), family=family, backlog=1
            )
        except OSError as error:
            raise refused("TCP", self.host, self.port, error) from None
        listener.settimeout(POLL)
        self.port = listener.getsockname()[1]
        self._socket = listener

    def run(self, receiver: PacketReceiver) -> None:
        """Pass on the lines of one connection after the other."""
        assert self._socket is not None
        while not receiver.stopping.is_set():
            try:
                connection, _ = self._socket.accept()
            except TimeoutError:
                continue
            except OSError as error:
                receiver.drop("source", f"TCP: {error}")
                receiver.wait(POLL)
                continue
            with connection:
                read_connection(connection, receiver, self.patience)

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            self._socket.close()


class TcpClientSource:
    r"""A TCP client for a controller that serves its angles; reconnects when lost.

    Each line (ended by ``\n``) is one packet.

    Args:
        port: The controller's port.
        host: Address or name of the controller.
        patience: Time without a good packet after which it reconnects [s].

    Raises:
        SettingError: Names the setting, its value and allowed values.
    """

    def __init__(
        self, port: int, *, host: str = "127.0.0.1", patience: float = 5.0
    ) -> None:
        self.port = whole(port, "port", 1, 65535)
        if not isinstance(host, str) or not host:
            raise SettingError(
                f"host must be an address or a host name, not {shown(host)}"
            )
        try:
            # as the connection does on its thread, where an error would be lost
            host.encode("idna")
            named = "\0" not in host
        except UnicodeError:
            named = False
        if not named:
            raise SettingError(f"host is not a valid host name: {shown(host)}")
        self.host = host
        self.patience = positive(patience, "patience")

    def open(self) -> None:
        """Do nothing: the controller may be switched on later."""

    def run(self, receiver: PacketReceiver) -> None:
        """Connect, pass on lines, and reconnect."""
        while not receiver.stopping.is_set():
            try:
                connection = socket.create_connection((self.host, self.port), 1.0)
            except OSError as error:
                receiver.drop("source", f"TCP {self.host}:{self.port}: {error}")
            else:
                with connection:
                    read_connection(connection, receiver, self.patience)
            receiver.wait(RETRY)

    def close(self) -> None:
        """Do nothing: connections end with ``run``."""


class StreamSource:
    r"""Standard input, a pipe or any other open stream; each line is one packet.

    On Windows a blocked read can't be interrupted: the thread ends with the next line,
    or with the program.

    Args:
        stream: An object with ``fileno()``, or that number; None: standard input. It is
            not closed.

    Raises:
        SettingError: The stream has no ``fileno()``.
    """

    def __init__(self, stream: Any = None) -> None:
        stream = sys.stdin if stream is None else stream
        try:
            self._fd = stream if isinstance(stream, int) else int(stream.fileno())
        except (AttributeError, OSError, ValueError):
            raise SettingError(
                "stream must have a fileno(), as files, pipes and serial ports do, "
                f"not {shown(stream)}"
            ) from None

    def open(self) -> None:
        """Do nothing: the stream is open already."""

    def run(self, receiver: PacketReceiver) -> None:
        """Pass on lines until the stream ends."""
        lines = Lines(receiver)
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self._fd, selectors.EVENT_READ)
                waits = True
            except (OSError, ValueError):
                # a regular file, which is always readable, or any stream on Windows
                waits = False
            while not receiver.stopping.is_set():
                if waits and not selector.select(POLL):
                    continue
                try:
                    data = os.read(self._fd, CHUNK)
                except OSError as error:
                    receiver.drop("source", f"stream: {error}")
                    return
                # the end of the stream ends its last line
                lines.push(data or b"\n")
                if not data:
                    return

    def close(self) -> None:
        """Do nothing: the owner closes the stream."""


class Lines:
    """Splits bytes into lines and passes them to a receiver."""

    def __init__(self, receiver: PacketReceiver) -> None:
        self._receiver = receiver
        self._rest = b""

    def push(self, data: bytes) -> bool:
        """Pass on the complete lines; return whether one was good."""
        *lines, rest = (self._rest + data).split(b"\n")
        good = False
        for line in lines:
            if self._receiver.stopping.is_set():
                break
            # blank lines only keep a connection alive
            if line.strip():
                good = self._receiver.receive(line) or good
        if len(rest) > self._receiver.max_bytes:
            # an endless line: keep enough to count it once, and read slowly
            rest = rest[: self._receiver.max_bytes + 1]
            self._receiver.wait(0.001)
        self._rest = rest
        return good


def read_connection(
    connection: socket.socket, receiver: PacketReceiver, patience: float
) -> None:
    """Pass on the lines of a connection until it ends or ``patience`` runs out."""
    lines = Lines(receiver)
    connection.settimeout(POLL)
    heard = receiver.clock()
    while not receiver.stopping.is_set():
        try:
            data = connection.recv(CHUNK)
        except TimeoutError:
            pass
        except OSError as error:
            receiver.drop("source", f"TCP: {error}")
            return
        else:
            if not data:
                return
            if lines.push(data):
                heard = receiver.clock()
        if receiver.clock() - heard > patience:
            return
