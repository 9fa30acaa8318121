"""Randomness: one secret per release, and an independent stream of random numbers for each purpose."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.array_types import Counts
from sfumato.errors import SettingError

BYTES = 16
"""The length of a secret: 128 bits, too many to try."""
KNOWN = "Drawn from a seed, for demonstrations only: anyone who knows the seed can repeat all draws."
"""The note on a release that draws from a seed."""


@dataclass(frozen=True, repr=False)
class Secret:
    """What all random numbers of a release are derived from.

    The same secret, file and settings reproduce a release byte by byte; without the secret nobody can repeat its
    draws. The streams of different purposes are independent: knowing one reveals nothing about the others.

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
    """The seed that the key was made from, if it is not secret at all."""

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) != BYTES:
            raise SettingError(f"a secret has {BYTES} bytes", hint="draw one with Secret.drawn()", setting="secret")

    def __repr__(self) -> str:
        return "Secret(...)"

    @classmethod
    def drawn(cls) -> Secret:
        """Draw a secret from the operating system."""
        return cls(secrets.token_bytes(BYTES))

    @classmethod
    def from_hex(cls, text: str) -> Secret:
        """Read a secret as it is written in a confidential record."""
        try:
            return cls(bytes.fromhex(text))
        except (SettingError, TypeError, ValueError):
            raise SettingError(
                f"secret: give {2 * BYTES} hexadecimal digits",
                hint="take them from a confidential record",
                setting="secret",
            ) from None

    @classmethod
    def from_seed(cls, seed: int) -> Secret:
        """Make a secret for demonstrations only: whoever knows the seed can repeat the draws."""
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise SettingError("seed must be a whole number of 0 or more", setting="seed")
        return cls(hashlib.sha256(f"sfumato seed {seed}".encode()).digest()[:BYTES], seed)

    @classmethod
    def chosen(cls, seed: int | None, given: Secret | str | None = None) -> Secret:
        """Return the secret of a protection: that of its seed, else the given one, else a new one."""
        if seed is not None:
            return cls.from_seed(seed)
        return cls.drawn() if given is None else given if isinstance(given, Secret) else cls.from_hex(given)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Secret:
        """Return the secret in a confidential record."""
        return cls(cls.from_hex(record.get("secret", "")).key, record.get("seed"))

    def record(self) -> dict[str, Any]:
        """Return the secret as a confidential record holds it."""
        return {"secret": self.key.hex(), **({} if self.seed is None else {"seed": self.seed})}

    def notes(self) -> tuple[str, ...]:
        """Return the notes on a release that draws from this secret."""
        return () if self.seed is None else (KNOWN,)

    def part(self, purpose: str) -> Secret:
        """Return a separate secret for a part of the work that has several purposes."""
        return Secret(self._bytes(f"part {purpose}", BYTES), self.seed)

    def stream(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of a purpose."""
        return np.random.Generator(self._source(purpose))

    def legacy_stream(self, purpose: str) -> np.random.RandomState:
        """Return the random numbers of a purpose in the form that scikit-learn takes."""
        return np.random.RandomState(self._source(purpose))

    def integer(self, purpose: str) -> int:
        """Return an integer of 62 bits for kernels with random numbers of their own."""
        return int.from_bytes(self._bytes(purpose, 8), "big") >> 2

    def permutation(self, purpose: str, size: int) -> Counts:
        """Return the numbers below ``size`` in a random order, the same in all versions of numpy."""
        keys = np.frombuffer(self._bytes(purpose, 8 * size), dtype="<u8")
        return np.argsort(keys, kind="stable")

    def _source(self, purpose: str) -> np.random.Philox:
        return np.random.Philox(key=int.from_bytes(self._bytes(purpose, 16), "big"))

    def _bytes(self, purpose: str, count: int) -> bytes:
        return hashlib.shake_256(b"sfumato " + self.key + purpose.encode()).digest(count)
