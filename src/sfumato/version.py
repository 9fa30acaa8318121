"""The version of sfumato; builds and written releases take it from here."""

__version__ = "0.1.0"
