"""Where packets come from: UDP and TCP, lines of streams, recordings, functions."""

from __future__ import annotations

import ipaddress
import os
import selectors
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TextIO

from ..errors import MissingPackageError, SettingError, shown
from ..files.file_access import is_file
from .feed_checks import positive, whole
from .packet import Packet, decode
from .receiver import POLL, PacketReceiver

CHUNK = 16384
RETRY = 0.5
"""Time before connecting again [s]."""


class _Listening:
    """A port that senders reach, opened and closed."""

    _protocol: ClassVar[str]

    def __init__(
        self, port: int, *, host: str = "127.0.0.1", remote: bool = False
    ) -> None:
        self.port = whole(port, "port", 0, 65535)
        try:
            if not isinstance(host, str):
                raise ValueError
            known = "127.0.0.1" if host == "localhost" else host
            address = ipaddress.ip_address(known)
        except ValueError:
            raise SettingError(
                "host must be an address such as '127.0.0.1' or '::1', not "
                f"{shown(host)}"
            ) from None
        if not address.is_loopback and remote is not True:
            raise SettingError(
                f"host {host!r} can be reached from other machines: pass remote=True "
                "if anyone in that network may move the joints, or omit host"
            )
        self.host = str(address)
        self._socket: socket.socket | None = None

    def _listen(self, family: int) -> socket.socket:
        raise NotImplementedError

    def open(self) -> None:
        """Open the port and listen."""
        try:
            family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
            self._socket = self._listen(family)
        except OSError as error:
            why = error.strerror or error
            text = f"{self._protocol} port {self.port} at {self.host}: {why}"
            raise SettingError(text) from None
        self.port = self._socket.getsockname()[1]

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            self._socket.close()


class TcpSource(_Listening):
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

    _protocol = "TCP"

    def __init__(
        self,
        port: int,
        *,
        host: str = "127.0.0.1",
        remote: bool = False,
        patience: float = 5.0,
    ) -> None:
        super().__init__(port, host=host, remote=remote)
        self.patience = positive(patience, "patience")

    def _listen(self, family: int) -> socket.socket:
        here = self.host, self.port
        listener = socket.create_server(here, family=family, backlog=1)
        listener.settimeout(POLL)
        return listener

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


class _Unopened:
    """A source with nothing to open before it runs, or to close afterwards."""

    def open(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class TcpClientSource(_Unopened):
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


class StreamSource(_Unopened):
    r"""Standard input, a pipe or any other open stream; each line is one packet.

    On Windows a blocked read can't be interrupted: the thread ends with the next line,
    or with the program.

    Args:
        stream: An object with ``fileno()``, or that number; None: standard input. It is
            not closed.

    Raises:
        SettingError: The stream has no ``fileno()``.
    """

    def __init__(self, stream: TextIO | int | None = None) -> None:
        stream = sys.stdin if stream is None else stream
        try:
            self._fd = stream if isinstance(stream, int) else int(stream.fileno())
        except (AttributeError, OSError, ValueError):
            raise SettingError(
                "stream must have a fileno(), as files, pipes and serial ports do, "
                f"not {shown(stream)}"
            ) from None

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


LARGEST_DATAGRAM = 65536
QUEUE = 1 << 20
"""Requested size of the receive buffer [bytes]; systems may grant less."""


class UdpSource(_Listening):
    """A UDP socket; each datagram is one packet.

    Args:
        port: Port to listen on; 0 chooses a free one, which ``port`` has after start.
        host: Address to listen on; by default only this machine can send.
        remote: Must be True for a ``host`` that other machines can reach. Senders are
            not authenticated, so use it only in a network that you trust.

    Raises:
        SettingError: Names the setting, its value and allowed values.
    """

    _protocol = "UDP"

    def _listen(self, family: int) -> socket.socket:
        listener = socket.socket(family, socket.SOCK_DGRAM)
        try:
            listener.bind((self.host, self.port))
        except OSError:
            listener.close()
            raise
        listener.setblocking(False)
        # datagrams may pile up during a slow frame
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, QUEUE)
        return listener

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


FASTEST = 12_000_000


class SerialSource:
    r"""A serial port, such as an Arduino's; each line is one packet.

    A device that was unplugged is reopened when it is back. ::

        source = ikrig.SerialSource("/dev/ttyUSB0", baud=115200)
        feed = ikrig.JointFeed(source, 6, degrees=True, parse="csv").start()

    Args:
        device: The port: "/dev/ttyUSB0", "COM3".
        baud: Its speed, which must match the sender's [bit/s].

    Raises:
        SettingError: Names the setting, its value and allowed values.
        MissingPackageError: The ``pyserial`` package is not installed.
    """

    def __init__(self, device: str, *, baud: int = 115200) -> None:
        if not isinstance(device, str) or not device or "\0" in device:
            raise SettingError(
                "device must be the name of a serial port, such as '/dev/ttyUSB0' or "
                f"'COM3', not {shown(device)}"
            )
        self.device = device
        self.baud = whole(baud, "baud", 50, FASTEST)
        try:
            import serial
            import serial.tools.list_ports
        except ImportError:
            raise MissingPackageError(
                "serial ports need the package pyserial, which is not installed: pip "
                "install 'panda3d-ikrig[serial]'"
            ) from None
        self._serial = serial
        self._port: Any = None

    def open(self) -> None:
        """Open the port."""
        try:
            self._port = self._opened()
        except (OSError, ValueError) as error:
            ports = [port.device for port in self._serial.tools.list_ports.comports()]
            found = ", ".join(ports) or "none"
            raise SettingError(
                f"serial port {self.device}: {_reason(error)}; available: {found}"
            ) from None

    def run(self, receiver: PacketReceiver) -> None:
        """Pass on lines until the feed stops; reopen a port that was lost."""
        lines = Lines(receiver)
        while not receiver.stopping.is_set():
            try:
                if self._port is None:
                    self._port = self._opened()
                    lines = Lines(receiver)
                # all that is available, or else wait for the next byte
                data = self._port.read(max(1, min(self._port.in_waiting, CHUNK)))
            except (OSError, ValueError) as error:
                receiver.drop("source", f"serial port {self.device}: {_reason(error)}")
                self.close()
                receiver.wait(RETRY)
                continue
            if data:
                lines.push(data)

    def close(self) -> None:
        """Close the port."""
        port, self._port = self._port, None
        if port is not None:
            port.close()

    def _opened(self) -> object:
        return self._serial.Serial(self.device, self.baud, timeout=POLL)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


LOOP_GAP = 0.02
"""Time from a recording's last pose to its first, when it loops [s]."""


class RecordingSource:
    """Plays back a file of JSON lines, each a packet with a ``time``.

    ``JointFeed.record`` writes such files.

    Args:
        path: The file. It is read while it plays, so it may be of any length.
        speed: Factor of the speed; may be set while it plays.
        loop: Whether to start again at the end.

    Raises:
        SettingError: The file can't be read, or a setting is out of range.
    """

    def __init__(
        self, path: str | Path, *, speed: float = 1.0, loop: bool = False
    ) -> None:
        if not isinstance(path, (str, Path)):
            raise SettingError(
                f"recording must be the path of a file, not {shown(path)}"
            )
        self.path = Path(path)
        self.speed = speed
        self.loop = loop
        self._file: BinaryIO | None = None
        if not is_file(self.path):
            raise SettingError(f"recording {self.path}: no such file")

    @property
    def speed(self) -> float:
        """Factor of the speed; 2 plays twice as fast as recorded."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = positive(speed, "speed")

    def open(self) -> None:
        """Open the file."""
        try:
            self._file = self.path.open("rb")
        except OSError as error:
            raise SettingError(f"recording {self.path}: {error.strerror}") from None

    def run(self, receiver: PacketReceiver) -> None:
        """Pass on each pose at its time."""
        due = receiver.clock()
        while not receiver.stopping.is_set():
            good, due = self._play(receiver, due)
            # a file without any good line would loop at full speed
            if not self.loop or not good:
                return
            due += LOOP_GAP

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _play(self, receiver: PacketReceiver, due: float) -> tuple[bool, float]:
        """Play the file once; return whether a pose was good, and the last time."""
        assert self._file is not None
        self._file.seek(0)
        good = False
        last: float | None = None
        # a line that is too long is read, and counted, in pieces
        while not receiver.stopping.is_set():
            line = self._file.readline(receiver.max_bytes + 1)
            if not line:
                break
            packet = receiver.decode(line, decode) if line.strip() else None
            if packet is None:
                continue
            if packet.time is None:
                receiver.drop("layout", 'each packet of a recording needs a "time"')
                continue
            if last is not None:
                due += max(0.0, packet.time - last) / self._speed
            last = packet.time
            if _wait_until(due, receiver):
                break
            # stamped with the due time, not the wake-up time, to avoid jitter
            good = receiver.enqueue(packet._replace(time=due, seq=None)) or good
        return good, due


class FunctionSource(_Unopened):
    """Calls a Python function for poses, on a separate thread.

    Args:
        function: Returns the values in order, a dict by joint name, or None when there
            is nothing new. Exceptions are counted as dropped packets.
        rate: Calls per second, at most 1000.

    Raises:
        SettingError: Names the setting, its value and allowed values.
    """

    def __init__(self, function: Callable[[], Any], *, rate: float = 60.0) -> None:
        if not callable(function):
            raise SettingError(f"function must be callable, not {shown(function)}")
        self._function = function
        self.rate = positive(rate, "rate", 1000.0)

    def run(self, receiver: PacketReceiver) -> None:
        """Call the function at its rate; missed calls are not made up for."""
        due = receiver.clock()
        while not _wait_until(due, receiver):
            try:
                values = self._function()
                if isinstance(values, dict):
                    values = {key: float(value) for key, value in values.items()}
                elif values is not None:
                    values = [float(value) for value in values]
            except Exception as error:
                receiver.drop("source", f"function: {error!r}")
            else:
                if values is not None:
                    receiver.enqueue(Packet(values))
            due = max(due + 1.0 / self.rate, receiver.clock())


def _wait_until(due: float, receiver: PacketReceiver) -> bool:
    """Wait by the feed's clock; return True when the feed is being stopped."""
    while (left := due - receiver.clock()) > 0.0:
        if receiver.wait(min(left, POLL)):
            return True
    return receiver.stopping.is_set()
