"""Binding ports, with errors that say which one and what to do."""

import errno
import socket
from dataclasses import dataclass
from typing import Final

from ragmon.errors import ConfigError, PortInUseError

_BACKLOG: Final = 2048


@dataclass(frozen=True, slots=True)
class Ports:
    """The numbers of the three ports; 0 asks for any free one."""

    otlp_grpc: int
    otlp_http: int
    views: int


def bind(host: str, port: int, key: str) -> socket.socket:
    """A listening socket; `key` is the port's name in the configuration.

    Raises:
        PortInUseError: something listens there already.
        ConfigError: the address cannot be listened on.
    """
    family, address = _resolve(host, port)
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((address, port))
        # Before somebody listens, two sockets could hold one port.
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise port_in_use(host, port, key) from None
        why = error.strerror or "unknown error"
        raise ConfigError((f"listen.{key}: cannot listen on {host}:{port}: {why}",)) from None
    return bound


def port_in_use(host: str, port: int, key: str) -> PortInUseError:
    """The error for a port that is taken."""
    return PortInUseError(
        f"listen.{key}: port {port} on {host} is in use; "
        "stop what listens there or set another port"
    )


def target(bound: socket.socket) -> str:
    """The address of a socket as gRPC wants it."""
    host, port = bound.getsockname()[:2]
    return f"[{host}]:{port}" if bound.family == socket.AF_INET6 else f"{host}:{port}"


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ConfigError((f"listen.host: no address for {host!r}",)) from None
    # `localhost` is both; senders try 127.0.0.1 far more often.
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, str(address[0])
