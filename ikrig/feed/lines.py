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
"""How long to wait before connecting again [s]."""


class TcpSource:
    r"""Listens, and a controller connects: as URScript's ``socket_open`` does.

    Each line (ended by ``\n``) is one packet. There is one controller at a time; one
    that was cut off connects again, and others wait until it is gone.

    Args:
        port: Where to listen; 0 takes a free one, which ``port`` has after start.
        host: Address to listen at: this machine alone by default.
        remote: Must be True for any ``host`` that other machines can reach. Nothing
            checks who sends, so do so only in a network that you trust.
        patience: A connection without a good packet for so long is ended [s], so that
            one whose cable was pulled makes room for the next.

    Raises:
        SettingError: Names the setting, its value and what is allowed.
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
        """Listen."""
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

    def run(self, intake: PacketReceiver) -> None:
        """Hand over the lines of one connection after the other."""
        assert self._socket is not None
        while not intake.stopping.is_set():
            try:
                connection, _ = self._socket.accept()
            except TimeoutError:
                continue
            except OSError as error:
                intake.drop("source", f"TCP: {error}")
                intake.wait(POLL)
                continue
            with connection:
                follow(connection, intake, self.patience)

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            self._socket.close()


class TcpClientSource:
    r"""Connects to a controller that serves its angles; reconnects when it was gone.

    Each line (ended by ``\n``) is one packet.

    Args:
        port: The controller's port.
        host: The controller, by address or name.
        patience: A connection without a good packet for so long is made anew [s].

    Raises:
        SettingError: Names the setting, its value and what is allowed.
    """

    def __init__(
        self, port: int, *, host: str = "127.0.0.1", patience: float = 5.0
    ) -> None:
        self.port = whole(port, "port", 1, 65535)
        if not isinstance(host, str) or not host:
            raise SettingError(f"host must be an address or a name, not {shown(host)}")
        try:
            # as the connection will do it, on a thread where nobody hears an error
            host.encode("idna")
            named = "\0" not in host
        except UnicodeError:
            named = False
        if not named:
            raise SettingError(f"host can't be a machine's name: {shown(host)}")
        self.host = host
        self.patience = positive(patience, "patience")

    def open(self) -> None:
        """Do nothing: the controller may be switched on later."""

    def run(self, intake: PacketReceiver) -> None:
        """Connect, hand over lines, and connect again."""
        while not intake.stopping.is_set():
            try:
                connection = socket.create_connection((self.host, self.port), 1.0)
            except OSError as error:
                intake.drop("source", f"TCP {self.host}:{self.port}: {error}")
            else:
                with connection:
                    follow(connection, intake, self.patience)
            intake.wait(RETRY)

    def close(self) -> None:
        """Do nothing: connections end with ``run``."""


class StreamSource:
    r"""Reads standard input, a pipe or a serial port; each line is one packet.

    On Windows a stream can't be waited for: the thread that reads it ends with the
    next line, or with the program.

    Args:
        stream: Anything with ``fileno()``, or its number; None is standard input. It is
            not closed.

    Raises:
        SettingError: It has none.
    """

    def __init__(self, stream: Any = None) -> None:
        stream = sys.stdin if stream is None else stream
        try:
            self._fd = stream if isinstance(stream, int) else int(stream.fileno())
        except (AttributeError, OSError, ValueError):
            raise SettingError(
                f"stream must have a fileno(), as files, pipes and serial ports have; "
                f"{shown(stream)} has none"
            ) from None

    def open(self) -> None:
        """Do nothing: the stream is open."""

    def run(self, intake: PacketReceiver) -> None:
        """Hand over lines until the stream ends."""
        lines = Lines(intake)
        with selectors.DefaultSelector() as selector:
            try:
                selector.register(self._fd, selectors.EVENT_READ)
                waits = True
            except (OSError, ValueError):
                # a file, which is always readable, or Windows
                waits = False
            while not intake.stopping.is_set():
                if waits and not selector.select(POLL):
                    continue
                try:
                    data = os.read(self._fd, CHUNK)
                except OSError as error:
                    intake.drop("source", f"stream: {error}")
                    return
                # the end also ends its last line
                lines.push(data or b"\n")
                if not data:
                    return

    def close(self) -> None:
        """Do nothing: the stream is its owner's."""


class Lines:
    """Cuts bytes into lines and hands them to an intake."""

    def __init__(self, intake: PacketReceiver) -> None:
        self._intake = intake
        self._rest = b""

    def push(self, data: bytes) -> bool:
        """Hand over the lines that are complete; return whether one was good."""
        *lines, rest = (self._rest + data).split(b"\n")
        good = False
        for line in lines:
            if self._intake.stopping.is_set():
                break
            # a blank line is a way to keep a connection alive
            if line.strip():
                good = self._intake.take(line) or good
        if len(rest) > self._intake.max_bytes:
            # a line without end: enough of it to count it once, and no hurry
            rest = rest[: self._intake.max_bytes + 1]
            self._intake.wait(0.001)
        self._rest = rest
        return good


def follow(connection: socket.socket, intake: PacketReceiver, patience: float) -> None:
    """Hand over the lines of a connection until it ends or has nothing good to say."""
    lines = Lines(intake)
    connection.settimeout(POLL)
    heard = intake.clock()
    while not intake.stopping.is_set():
        try:
            data = connection.recv(CHUNK)
        except TimeoutError:
            pass
        except OSError as error:
            intake.drop("source", f"TCP: {error}")
            return
        else:
            if not data:
                return
            if lines.push(data):
                heard = intake.clock()
        if intake.clock() - heard > patience:
            return
