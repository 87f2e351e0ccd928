"""Addresses of dask's scheduler, and the check that students' answers may be sent there."""

import ipaddress
import socket
from urllib.parse import urlsplit

EXPECTED = "tls://host:8786"
HERE = "none"  # instead of an address: judge on this machine


def problem(address: str) -> str:
    """Return the reason to reject a scheduler's address (malformed, or plain tcp to another machine), or ""."""
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("tls", "tcp") and bool(parts.hostname) and bool(parts.port)
    except ValueError:  # a port that is not a number
        is_address = False
    if not is_address or not parts.hostname:
        return f"expected {EXPECTED}, got {address!r}"
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname):
        return (
            f"{address} would send students' answers unencrypted, and anybody there could answer: use tls://. "
            "Plain tcp is for this machine alone, tcp://127.0.0.1:8786."
        )
    return ""


def _is_loopback(host: str) -> bool:
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(ipaddress.ip_address(address).is_loopback for address in found)
