"""Which version this is; what is built and what is written take it from here."""

__version__ = "0.1.0"
