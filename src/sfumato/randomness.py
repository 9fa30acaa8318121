"""Where chance comes from: one secret a release, and an independent stream of random numbers for every purpose."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.arrays import Counts
from sfumato.errors import SettingError

BYTES = 16
"""The length of a secret: 128 bits, too many to try."""
KNOWN = "Drawn from a seed, for demonstrations only: whoever knows it can repeat all draws."
"""What is said of a release that draws from a seed."""


@dataclass(frozen=True, repr=False)
class Secret:
    """What all random numbers of a release are derived from.

    With the same secret, file and settings a release is made again byte by byte; without it nobody can repeat its
    draws. Streams of different purposes are independent: who learns one learns nothing of the others.

    Examples
    --------
    >>> secret = Secret.from_hex("000102030405060708090a0b0c0d0e0f")
    >>> secret.permutation("order", 5).tolist() == secret.permutation("order", 5).tolist()
    True
    >>> secret
    Secret(...)
    """

    key: bytes
    seed: int | None = None
    """The seed that the key was made of, if it is not secret at all."""

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) != BYTES:
            raise SettingError(f"a secret has {BYTES} bytes", hint="draw one with Secret.drawn()")

    def __repr__(self) -> str:
        return "Secret(...)"

    @classmethod
    def drawn(cls) -> Secret:
        """Draw a secret from the operating system."""
        return cls(secrets.token_bytes(BYTES))

    @classmethod
    def from_hex(cls, text: str) -> Secret:
        """Read a secret as a private record holds it."""
        try:
            return cls(bytes.fromhex(text))
        except (SettingError, TypeError, ValueError):
            raise SettingError(
                f"secret: give {2 * BYTES} hexadecimal digits", hint="take them from a private record"
            ) from None

    @classmethod
    def from_seed(cls, seed: int) -> Secret:
        """Make what only demonstrations should draw from: whoever knows the seed can repeat the draws."""
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise SettingError("seed must be a whole number, not negative")
        return cls(hashlib.sha256(f"sfumato seed {seed}".encode()).digest()[:BYTES], seed)

    @classmethod
    def chosen(cls, seed: int | None, given: Secret | str | None = None) -> Secret:
        """Return what a protection draws from: its seed if it has one, else a given secret, else a new one."""
        if seed is not None:
            return cls.from_seed(seed)
        return cls.drawn() if given is None else given if isinstance(given, Secret) else cls.from_hex(given)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Secret:
        """Return the secret that a private record holds."""
        return cls(cls.from_hex(record.get("secret", "")).key, record.get("seed"))

    def record(self) -> dict[str, Any]:
        """Return what a private record holds."""
        return {"secret": self.key.hex(), **({} if self.seed is None else {"seed": self.seed})}

    def notes(self) -> tuple[str, ...]:
        """Return what has to be said of a release that draws from it."""
        return () if self.seed is None else (KNOWN,)

    def part(self, purpose: str) -> Secret:
        """Return a secret of its own for a part of the work that has several purposes."""
        return Secret(self._bytes(f"part {purpose}", BYTES), self.seed)

    def stream(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of a purpose."""
        return np.random.Generator(self._source(purpose))

    def legacy_stream(self, purpose: str) -> np.random.RandomState:
        """Return the random numbers of a purpose as scikit-learn takes them."""
        return np.random.RandomState(self._source(purpose))

    def integer(self, purpose: str) -> int:
        """Return a whole number of 62 bits for kernels that mix their own."""
        return int.from_bytes(self._bytes(purpose, 8), "big") >> 2

    def permutation(self, purpose: str, size: int) -> Counts:
        """Return the numbers below ``size`` in a random order, the same in all versions of numpy."""
        keys = np.frombuffer(self._bytes(purpose, 8 * size), dtype="<u8")
        return np.argsort(keys, kind="stable")

    def _source(self, purpose: str) -> np.random.Philox:
        return np.random.Philox(key=int.from_bytes(self._bytes(purpose, 16), "big"))

    def _bytes(self, purpose: str, count: int) -> bytes:
        return hashlib.shake_256(b"sfumato " + self.key + purpose.encode()).digest(count)
