"""PackStream, the encoding of Bolt's messages: the types that a server needs."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

# Marker of the short form (up to 15 items or bytes), and of the forms with a length of 1, 2 and 4 bytes.
TEXT, LIST, MAP = (0x80, 0xD0), (0x90, 0xD4), (0xA0, 0xD8)
STRUCTURE = 0xB0
CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
NUMBERS = {0xC1: ">d", 0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
LENGTHS = (">B", ">H", ">I")


class Message(NamedTuple):
    """A message of Bolt: its signature and its fields."""

    signature: int
    fields: tuple[object, ...] = ()


def pack(value: object) -> bytes:
    """A value as PackStream.

    Example:
        >>> pack({"a": [1, None, "é"]}).hex()
        'a181619301c082c3a9'
    """
    match value:
        case None | bool():
            return next(bytes([marker]) for marker, constant in CONSTANTS.items() if constant is value)
        case int() if -16 <= value < 128:
            return struct.pack(">b", value)
        case int() | float():
            marker = 0xCB if isinstance(value, int) else 0xC1
            return bytes([marker]) + struct.pack(NUMBERS[marker], value)
        case str():
            return _head(len(value.encode()), TEXT) + value.encode()
        case Message(signature, fields):
            return bytes([STRUCTURE + len(fields), signature]) + b"".join(map(pack, fields))
        case list() | tuple():
            return _head(len(value), LIST) + b"".join(map(pack, value))
        case dict():
            return _head(len(value), MAP) + b"".join(pack(key) + pack(item) for key, item in value.items())
    raise TypeError(f"not in PackStream: {value!r}")


def unpack(data: bytes) -> object:
    """The value of a PackStream.

    Example:
        >>> unpack(pack(Message(0x10, ("RETURN $x", {"x": [-17, 0.5, True]}))))
        Message(signature=16, fields=('RETURN $x', {'x': [-17, 0.5, True]}))
    """
    return _value(iter(data))


def _head(length: int, markers: tuple[int, int]) -> bytes:
    short, long = markers
    if length < 16:
        return bytes([short + length])
    size = next(size for size in range(3) if length < 256 ** (2**size))
    return bytes([long + size]) + struct.pack(LENGTHS[size], length)


def _value(data: Iterator[int]) -> object:
    marker = next(data)
    if marker in CONSTANTS:
        return CONSTANTS[marker]
    if marker in NUMBERS:
        return _number(data, NUMBERS[marker])
    if marker < 0x80 or marker >= 0xF0:
        return struct.unpack(">b", bytes([marker]))[0]
    if marker & 0xF0 == STRUCTURE:
        return Message(next(data), tuple(_value(data) for _ in range(marker & 0x0F)))
    for kind in (TEXT, LIST, MAP):
        if marker & 0xF0 == kind[0]:
            return _items(data, kind, marker & 0x0F)
        if kind[1] <= marker < kind[1] + 3:
            return _items(data, kind, _number(data, LENGTHS[marker - kind[1]]))
    raise ValueError(f"no marker of PackStream: {marker:#x}")


def _items(data: Iterator[int], kind: tuple[int, int], length: int) -> object:
    if kind is TEXT:
        return bytes(next(data) for _ in range(length)).decode()
    if kind is LIST:
        return [_value(data) for _ in range(length)]
    return {_value(data): _value(data) for _ in range(length)}


def _number(data: Iterator[int], form: str) -> int | float:
    return struct.unpack(form, bytes(next(data) for _ in range(struct.calcsize(form))))[0]
