"""Checks the address that a feed listens on."""

from __future__ import annotations

import ipaddress

from ..errors import SettingError, shown


def check_listening(host: object, remote: bool) -> str:
    try:
        if not isinstance(host, str):
            raise ValueError
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        raise SettingError(
            f"host must be an address such as '127.0.0.1' or '::1', not {shown(host)}"
        ) from None
    if not address.is_loopback and remote is not True:
        raise SettingError(
            f"host {host!r} can be reached from other machines: pass remote=True if "
            "anyone in that network may move the joints, or omit host"
        )
    return str(address)


def refused(what: str, host: str, port: int, error: OSError) -> SettingError:
    """Return the error for a port that can't be opened."""
    return SettingError(f"{what} port {port} at {host}: {error.strerror or error}")
