"""Benchmarks: peers and sfumato on the same data in one run. ``python -m benchmarks [NAME ...]``."""
