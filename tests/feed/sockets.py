"""The addresses on which this process listens, from the kernel (Linux)."""

from __future__ import annotations

import ipaddress
import os
import struct
from pathlib import Path
from typing import NamedTuple

LISTENING = "0A"


class Listening(NamedTuple):
    protocol: str
    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    port: int
    lost: int | None
    """Datagrams that came while the queue was full."""


def listening() -> list[Listening]:
    """Return every UDP socket and every listening TCP socket of this process."""
    own = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            link = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue  # the listing itself
        if link.startswith("socket:["):
            own.add(link[8:-1])
    found = []
    for protocol in ("udp", "udp6", "tcp", "tcp6"):
        for line in Path("/proc/net", protocol).read_text().splitlines()[1:]:
            fields = line.split()
            udp = protocol.startswith("udp")
            if fields[9] in own and (udp or fields[3] == LISTENING):
                address, port = fields[1].split(":")
                lost = int(fields[12]) if udp else None
                found.append(Listening(protocol, _ip(address), int(port, 16), lost))
    return found


def _ip(digits: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    # words of four bytes in the machine's own order
    words = [int(digits[i : i + 8], 16) for i in range(0, len(digits), 8)]
    return ipaddress.ip_address(struct.pack(f"={len(words)}I", *words))
