"""Frames: plain data arrives as it was sent, and nothing else arrives."""

import math

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.examine.plain_data import NotPlain, equal
from autograder.sandbox import wire

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=20,
)


def sent(value):
    return wire.decode(wire.frame({"value": value})[wire.LENGTH.size :])["value"]


def packed(code: int, data: bytes) -> bytes:
    return msgpack.packb({"value": msgpack.ExtType(code, data)})


def array(dtype: str, shape: list, data: bytes) -> bytes:
    header = msgpack.packb([dtype, shape])
    return packed(wire.ARRAY, wire.LENGTH.pack(len(header)) + header + data)


@given(plain)
def test_plain_data_arrives_with_its_types(value):
    assert equal(value, sent(value))


@pytest.mark.parametrize(
    "value",
    [
        2**63, -(2**64), 2**7999, math.nan, -0.0, "half a pair \ud800", (), [()], ((1, [2]), {"a": (3,)}),
        np.arange(6, dtype=np.int16).reshape(2, 3), np.arange(6.0).reshape(2, 3).T, np.zeros((0, 3)), np.array(True),
        np.int64(3), np.bool_(True), np.float32(0.1), np.complex64(1j),
    ],
    ids=repr,
)  # fmt: skip
def test_what_msgpack_has_no_word_for_arrives_too(value):
    assert equal(value, sent(value))


class Count(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


@pytest.mark.parametrize(
    "value",
    [
        Count(3), (Count(3),), {3}, {"a": {4}}, object(), np.array([None]), np.array("text"), np.longdouble(1),
        2**9000, type("Shape", (tuple,), {})(), type("Text", (str,), {})("a"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_not_plain_data_is_not_sent(value):
    with pytest.raises(wire.WireError):
        wire.frame({"value": value})


def test_a_value_that_was_not_plain_arrives_as_its_description():
    assert sent(NotPlain("generator, which is not plain data")).what == "generator, which is not plain data"


def nested(depth: int) -> bytes:
    body = msgpack.packb([])
    for _ in range(depth):
        body = msgpack.packb([msgpack.ExtType(wire.TUPLE, body)])
    return b"\x81\xa5value" + body


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xc1", id="no msgpack"),
        pytest.param(b"\x90", id="no map"),
        pytest.param(b"\x81\x01\x02", id="a key that is no name"),
        pytest.param(b"\x80\x80", id="two maps"),
        pytest.param(msgpack.packb({"value": b"bytes"}), id="bytes"),
        pytest.param(msgpack.packb({"value": msgpack.Timestamp(1)}), id="timestamp"),
        pytest.param(msgpack.packb({"value": [msgpack.ExtType(wire.NOT_PLAIN, b"x")]}), id="not plain within plain"),
        pytest.param(packed(99, b""), id="unknown extension"),
        pytest.param(packed(wire.TUPLE, msgpack.packb({"a": 1})), id="tuple of a map"),
        pytest.param(packed(wire.INT, b"\x01" * 5000), id="huge int"),
        pytest.param(array("|O", [1], b"\0" * 8), id="array of objects"),
        pytest.param(array("<f16", [1], b"\0" * 16), id="array of a dtype not on the list"),
        pytest.param(array("<f8,(9999,9999)<f8", [1], b""), id="array of a structure"),
        pytest.param(array("<i8", [2], b"\0" * 8), id="array too short"),
        pytest.param(array("<i8", [1], b"\0" * 16), id="array too long"),
        pytest.param(array("<i8", [-1], b"\0" * 8), id="array of negative size"),
        pytest.param(array("<i8", [2**62, 4], b""), id="array whose product wraps around to 0"),
        pytest.param(array("<i8", [0, 2**62, 2**62], b""), id="array too large to exist"),
        pytest.param(array("<i8", [True], b"\0" * 8), id="array whose size is a bool"),
        pytest.param(array("<i8", [1] * 60, b"\0" * 8), id="array of too many dimensions"),
        pytest.param(nested(2000), id="nested tuples"),
        pytest.param(b"\x81\xa5value" + b"\x91" * 100 + b"\x90", id="nested lists"),
        pytest.param(b"\x81\xa5value" + b"\xdd\xff\xff\xff\xff" * 1000, id="lists that claim to be long"),
    ],
)
def test_malformed_bytes_are_no_message(body):
    with pytest.raises(wire.WireError):
        wire.decode(body)


@given(st.binary(max_size=200))
def test_random_bytes_are_a_message_or_a_wire_error(body):
    try:
        wire.decode(body)
    except wire.WireError:
        return


def test_an_array_that_arrived_can_be_written_to():
    assert sent(np.zeros(3)).flags.writeable
