"""Damage to bytes, whatever they mean: flips, cuts, inserts, splices, and extreme machine words."""

import random

TOKENS = [
    *(
        b"-1",
        b"1.5",
        b"nan",
        b"inf",
        b"9" * 25,
        b"2147483647",
        b"2147483648",
        b"9223372036854775807",
        b"0x1f",
        b"1e999",
    ),
    *(b'"', b"'", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b",", b"\t", b";", b" ", b"#", b"%", b"//"),
    *(b"<!DOCTYPE a [", b"<", b">", b"/>", b"&amp;", b"&#0;", b"]", b"[", b"{", b"}", b"graph [", b"node [ id 1 ]"),
    *(b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x93NUMPY", b"PAR1", b"PK", b"\xff" * 4, b"\xff" * 8, b"\0" * 8, b"\x1b[31m"),
]
WORDS = (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\x00\x00\x00\x40", b"\x00\x00\x00\x00")


def damage_bytes(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Return the content with one to four things done to its bytes; `other` is another valid file."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
        place = rng.randrange(len(data) + 1)
        length = rng.choice((1, 2, 4, 8, 64))
        match rng.randrange(9):
            case 0:
                data[place : place + 1] = bytes([rng.randrange(256)])
            case 1 if place < len(data):
                data[place] ^= 1 << rng.randrange(8)
            case 2:
                del data[place:]
            case 3:
                del data[place : place + length]
            case 4:
                data[place:place] = rng.choice(TOKENS)
            case 5:
                token = rng.choice(TOKENS)
                data[place : place + len(token)] = token
            case 6:
                data[place:] = other[rng.randrange(len(other) + 1) :]
            case 7:
                data[place:place] = data[place : place + length]
            case _:
                place &= ~3
                data[place : place + 4] = rng.choice(WORDS)
    return bytes(data)
