"""Releases: what may leave, written and opened, and audited."""

from sfumato.release.audit import Audit, Finding, audit_folder
from sfumato.release.release import Release, open_release

__all__ = ["Audit", "Finding", "Release", "audit_folder", "open_release"]
