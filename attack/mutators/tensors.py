"""Damage to safetensors files: a JSON header that names types, shapes and places, and the bytes after it."""

import json
import random
import struct

from attack.mutators.documents import damage_json


def damage_safetensors(rng: random.Random, content: bytes) -> bytes:
    """Return a file with another header, or with another state of training within it."""
    (length,) = struct.unpack("<Q", content[:8])
    header, data = content[8 : 8 + length], content[8 + length :]
    if rng.random() < 0.5:
        document = json.loads(header)
        meta = document["__metadata__"]
        meta["edgeorbit"] = damage_json(rng, meta["edgeorbit"].encode()).decode("utf-8", "replace")
        changed = json.dumps(document).encode()
    else:
        changed = damage_json(rng, header)
    announced = len(changed) if rng.random() < 0.9 else rng.choice((0, 2**31, 2**63, 2**64 - 1))
    return struct.pack("<Q", announced) + changed + data
