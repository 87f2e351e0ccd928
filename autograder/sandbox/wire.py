"""Frames between the broker and a worker: a length, then msgpack; nothing is ever unpickled.

    <u32 length> <msgpack map>

Plain data (`plain_data.py` of examine/) travels with its exact types: what msgpack has no word for is an extension.
The worker runs a student's code, so the broker believes nothing that comes back: sizes are checked before
memory is reserved, and what was decoded must be plain data again.
"""

import math
import re
import struct
from typing import Any

import msgpack
import numpy as np

from autograder.examine.plain_data import DEEPEST, LONGEST_INT, MOST_ITEMS, NotPlain, blemish

LENGTH = struct.Struct("<I")
LONGEST_FRAME = 4 << 20  # bytes
MOST_DIMENSIONS = 32
DTYPES = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<c(8|16)")
TUPLE, ARRAY, SCALAR, INT, NOT_PLAIN = 1, 2, 3, 4, 5  # extension types


class WireError(ValueError):
    """Bytes that are not a valid frame, or data that can't be encoded in one."""


def frame(message: dict[str, Any]) -> bytes:
    """Encode `message` as one frame, with its length.

    Raises:
        WireError: a value is not plain data (and not a NotPlain), or the frame is too long.
    """
    reasons = (blemish(value) for value in message.values() if type(value) is not NotPlain)
    if reason := next(filter(None, reasons), ""):
        raise WireError(reason)
    body = _pack(message)
    if len(body) > LONGEST_FRAME:
        raise WireError(f"a value of {len(body):,} bytes, which is too large")
    return LENGTH.pack(len(body)) + body


def decode(body: bytes) -> dict[str, Any]:
    """Decode the message in a frame's body; a value that was not plain data is returned as a NotPlain.

    Raises:
        WireError: these bytes were not made by `frame`.
    """
    try:
        message = _unpack(body, 0)
    except Exception as error:  # msgpack and NumPy raise many kinds for malformed bytes
        raise WireError(f"undecodable frame: {type(error).__name__}") from None
    if type(message) is not dict:
        raise WireError("undecodable frame: not a map")
    for name, value in message.items():
        if type(name) is not str or (type(value) is not NotPlain and blemish(value)):
            raise WireError("undecodable frame: not plain data")
    return message


def _pack(value: Any) -> bytes:
    try:
        return msgpack.packb(value, default=_extend, strict_types=True, unicode_errors="surrogatepass")
    except (OverflowError, RecursionError, TypeError, ValueError) as error:
        raise WireError(str(error)) from None


def _extend(value: Any) -> msgpack.ExtType:
    """Encode plain data for which msgpack has no type."""
    kind = type(value)
    if kind is NotPlain:
        return msgpack.ExtType(NOT_PLAIN, value.what.encode("utf-8", "surrogatepass")[:200])
    if kind is tuple:
        return msgpack.ExtType(TUPLE, _pack(list(value)))
    if kind is int:
        return msgpack.ExtType(INT, value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
    array = np.ascontiguousarray(value).reshape(np.shape(value))
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    if DTYPES.fullmatch(array.dtype.str) is None:
        raise WireError(f"an array of {array.dtype}, which is not plain data")
    if kind is not np.ndarray:
        return msgpack.ExtType(SCALAR, _pack_array(array))
    return msgpack.ExtType(ARRAY, _pack_array(array))


def _pack_array(array: np.ndarray) -> bytes:
    header = msgpack.packb([array.dtype.str, list(array.shape)])
    return LENGTH.pack(len(header)) + header + array.tobytes()


def _unpack(body: bytes, depth: int) -> Any:
    if depth > DEEPEST:
        raise WireError("nested too deeply")
    most = min(len(body), MOST_ITEMS)  # msgpack reserves a list before it has seen its items
    return msgpack.unpackb(
        body,
        ext_hook=lambda code, data: _restore(code, data, depth + 1),
        max_array_len=most,
        max_map_len=most,
        raw=False,
        unicode_errors="surrogatepass",
    )


def _restore(code: int, data: bytes, depth: int) -> Any:
    if code == TUPLE:
        items = _unpack(data, depth)
        if type(items) is not list:
            raise WireError("a tuple that is no list of items")
        return tuple(items)
    if code == ARRAY:
        return _restore_array(data)
    if code == SCALAR:
        return _restore_array(data).reshape(())[()]
    if code == INT:
        if len(data) * 8 > LONGEST_INT + 8:
            raise WireError("an int that is too large")
        return int.from_bytes(data, "little", signed=True)
    if code == NOT_PLAIN:
        return NotPlain(data.decode("utf-8", "backslashreplace"))
    raise WireError(f"unknown extension {code}")


def _restore_array(data: bytes) -> np.ndarray:
    (length,) = LENGTH.unpack_from(data)
    start = LENGTH.size + length
    name, shape = msgpack.unpackb(data[LENGTH.size : start], max_array_len=MOST_DIMENSIONS)
    dtype = _dtype(name)
    if any(type(size) is not int or size < 0 for size in shape):
        raise WireError("an array whose sizes are not sizes")
    # math.prod is exact where NumPy's product would wrap around.
    if math.prod(shape) * dtype.itemsize != len(data) - start:
        raise WireError("an array whose bytes do not fill its sizes")
    return np.frombuffer(data, dtype, offset=start).reshape(shape).copy()


def _dtype(name: Any) -> np.dtype:
    if type(name) is not str or DTYPES.fullmatch(name) is None:
        raise WireError("an array whose dtype is not on the list")
    return np.dtype(name)
