"""Questions to a worker and its answers, one after the other; whatever else comes is a forgery or too much."""

import contextlib
import os
import secrets
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from autograder.examine.plain_data import NotPlain
from autograder.examine.questions import Stopped
from autograder.examine.verdict import CRASHED, TIMED_OUT
from autograder.sandbox import wire
from autograder.sandbox.isolation import Limits

FORGED = "the program wrote to the channel that its answers go through"
AT_ONCE = 1 << 16  # bytes; a socket holds more than this, so that no side waits for room while the other does


class Channel:
    """The trusted end of a worker's channel.

    Args:
        answers: the socket, which does not block.
        output: the reading end of what the worker prints.
        limits: how long an answer may take, and how much may be printed.
        ended: makes what is raised where the worker has closed its end.
    """

    def __init__(self, answers: socket.socket, output: int, limits: Limits, ended: Callable[[], Stopped]):
        self._socket, self._output, self._ended = answers, output, ended
        self._answer_seconds, self._most_output = limits.answer_seconds, limits.output
        self._printed = 0
        self._received = bytearray()  # bytes that no reply has been made of
        self._awaited: deque[str] = deque()  # nonces of the requests without a reply
        self._poll = select.poll()
        self._poll.register(answers, select.POLLIN)
        self._poll.register(output, select.POLLIN)

    @property
    def is_open(self) -> bool:
        return self._socket.fileno() >= 0

    def close(self) -> None:
        """Close the socket and the pipe."""
        self._socket.close()
        os.close(self._output)

    def exchange(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request and return the worker's reply; raises the same errors as `send` and `reply`."""
        self.send([request], seconds)
        return self.reply(seconds)

    def send(self, requests: Iterable[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
        """Send requests once all earlier ones are answered; the worker answers them one by one, in this order.

        Of several only the first ones are sent, as many as the socket holds while nobody reads.

        Returns:
            Those that were sent, at least one.
        Raises:
            Stopped: bytes came before they were sent, the worker has ended, or too much was printed.
        """
        self._require_silence()
        sent: list[dict[str, Any]] = []
        outgoing = bytearray()
        for request in requests:
            nonce = secrets.token_hex(16)
            frame = wire.frame(request | {"nonce": nonce})
            if sent and len(outgoing) + len(frame) > AT_ONCE:
                break
            sent.append(request)
            outgoing += frame
            self._awaited.append(nonce)
        self._send(outgoing, time.monotonic() + seconds)
        return sent

    def reply(self, seconds: float) -> dict[str, Any]:
        """Return the decoded reply to the earliest unanswered request; its content is untrusted.

        Raises:
            Stopped: none came in time, none that counts, the worker has ended, or too much was printed.
        """
        nonce = self._awaited.popleft()
        try:
            reply = wire.decode(self._receive(time.monotonic() + seconds))
        except wire.WireError:
            raise Stopped(CRASHED, FORGED) from None
        nonce_back = reply.pop("nonce", None)
        if (
            type(nonce_back) is not str
            or nonce_back != nonce
            or any(type(v) is NotPlain for k, v in reply.items() if k != "value")
        ):
            raise Stopped(CRASHED, FORGED)
        return reply

    def _require_silence(self) -> None:
        """Raise Stopped if bytes have arrived: those that come before a question is asked do not answer it."""
        if self._received:
            raise Stopped(CRASHED, FORGED)
        with contextlib.suppress(BlockingIOError):
            raise Stopped(CRASHED, FORGED) if self._chunk(1) else self._ended()

    def _send(self, outgoing: bytearray, deadline: float) -> None:
        """Send it all, and read what is printed meanwhile."""
        unsent = memoryview(outgoing)
        while unsent:
            try:
                unsent = unsent[self._socket.send(unsent) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError:
                raise self._ended() from None

    def _receive(self, deadline: float) -> bytes:
        """Receive the body of one frame; read what is printed meanwhile. What follows is kept for the next reply."""
        while (end := self._end_of_frame()) > len(self._received):
            self._wait(select.POLLIN, deadline)
            with contextlib.suppress(BlockingIOError):
                chunk = self._chunk(AT_ONCE)
                if not chunk:
                    raise self._ended()
                self._received += chunk
        body = bytes(self._received[wire.LENGTH.size : end])
        del self._received[:end]
        return body

    def _end_of_frame(self) -> int:
        """Return the size of the next frame with its length, in bytes; of a length alone while it has not come."""
        head = wire.LENGTH.size
        if len(self._received) < head:
            return head
        (length,) = wire.LENGTH.unpack_from(self._received)
        if length > wire.LONGEST_FRAME:
            raise Stopped(CRASHED, FORGED)
        return head + length

    def _chunk(self, size: int) -> bytes:
        """Return at most `size` bytes, b"" at the end; raise BlockingIOError where none has come."""
        try:
            return self._socket.recv(size)
        except BlockingIOError:
            raise
        except OSError:
            return b""

    def _wait(self, event: int, deadline: float) -> None:
        """Return when the channel may be ready; read what is printed.

        Raises:
            Stopped: the time is over, or too much is printed.
        """
        left = deadline - time.monotonic()
        if left <= 0:
            raise Stopped(TIMED_OUT, f"no answer within {self._answer_seconds:g} s")
        self._poll.modify(self._socket, event)
        for descriptor, _ in self._poll.poll(min(left, 0.5) * 1000):
            if descriptor == self._output:
                self._read_output()

    def _read_output(self) -> None:
        try:
            chunk = os.read(self._output, AT_ONCE)
        except BlockingIOError:
            return
        if not chunk:
            self._poll.unregister(self._output)  # nobody can print any more
        self._printed += len(chunk)
        if self._printed > self._most_output:
            raise Stopped(CRASHED, f"printed more than {self._most_output:,} bytes")
