"""Sends the angles of a six-axis arm, as a robot's controller would.

    python -m demos.senders.arm_feed [--port 9870] [--rate 100] [--tcp]

Needs nothing but Python, so the file can be copied anywhere. To send from a real
controller, let `read_joints` return its angles; "time" and "seq" may be left
out. The other end is one line:

    feed = ikrig.JointFeed(ikrig.UdpSource(9870), list("SLURBT")).start()

and `feed.sample()` in every frame; for `--tcp` it is `ikrig.TcpSource(9870)`.
"""

import argparse
import contextlib
import json
import math
import socket
import time


def read_joints(now: float) -> dict[str, float]:
    """Return the angle of each axis [rad]: here a dance; replace it by your robot's."""
    return {
        "S": 0.8 * math.sin(0.50 * now),
        "L": 0.4 + 0.3 * math.sin(0.70 * now),
        "U": 0.9 + 0.4 * math.sin(0.90 * now),
        "R": 0.6 * math.sin(1.10 * now),
        "B": 0.7 + 0.5 * math.sin(1.30 * now),
        "T": 1.5 * math.sin(1.50 * now),
    }


def main() -> None:
    """Send until Ctrl+C."""
    parser = argparse.ArgumentParser(description="Send the angles of a six-axis arm.")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address of the computer that runs ikrig"
    )
    parser.add_argument("--port", type=int, default=9870)
    parser.add_argument("--rate", type=float, default=100.0, help="packets per second")
    parser.add_argument(
        "--tcp",
        action="store_true",
        help="send lines over TCP instead of UDP datagrams",
    )
    args = parser.parse_args()

    kind = socket.SOCK_STREAM if args.tcp else socket.SOCK_DGRAM
    with socket.socket(socket.AF_INET, kind) as link:
        link.connect((args.host, args.port))
        seq = 0
        while True:
            now = time.monotonic()
            packet = {"joints": read_joints(now), "time": now, "seq": seq}
            # a datagram without a receiver is refused; one may start later
            with contextlib.suppress(ConnectionRefusedError):
                # over TCP, a newline ends each packet
                link.sendall(json.dumps(packet).encode() + b"\n")
            seq += 1
            time.sleep(1.0 / args.rate)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, ConnectionError) as error:
        print(f"ended: {error or 'Ctrl+C'}")
