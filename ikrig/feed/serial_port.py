"""Packets as lines from a serial port, through the optional package ``pyserial``."""

from __future__ import annotations

from typing import Any

from ..errors import MissingPackageError, SettingError, shown
from .feed_checks import whole
from .lines import CHUNK, RETRY, Lines
from .receiver import POLL, PacketReceiver

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
