"""Releases: making, writing, opening and auditing what may be published."""

from sfumato.release.audit import audit_folder
from sfumato.release.audit_result import Audit
from sfumato.release.finding import Finding
from sfumato.release.release import Release
from sfumato.release.release_reader import open_release

__all__ = ["Audit", "Finding", "Release", "audit_folder", "open_release"]
