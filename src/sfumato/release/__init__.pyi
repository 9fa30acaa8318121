from .atomic_folder import beside, named
from .audit import audit_files, audit_folder
from .audit_checks import AuditCheck, AuditSubject, CheckResult, Measurement
from .audit_notes import weights_note
from .audit_result import Audit
from .broken_limit_reasons import broken_limit_facts
from .certificate import Certificate, read_private, to_json
from .codebook import Codebook
from .data_file import released_frame
from .edge_grids import DATE_UNITS, TIME_UNITS, grid_of, is_noisy
from .finding import Finding
from .fuzzy_measures import fuzzy_forms, fuzzy_safety
from .measured_release import ReleaseEvidence, evidence_of
from .opened_release import OpenedRelease, certificate_of, open_files, require_release
from .preserved_statistics import PreservedNumber, preserved_by
from .public_settings import Exchanged, HouseholdPromise, Positive, PublicSettings, public_wanted, short
from .release import Release, refuse_unkept
from .release_reader import open_release
from .release_writer import Format, check_folder
from .released_households import refuse_sharper, released_in_common, renumbered, shared_names
from .steward_facts import StewardFacts
from .steward_store import keep, kept, release_to_repeat
from .steward_warnings import concerns_of, naming, warn_of

__all__ = [
    "DATE_UNITS",
    "TIME_UNITS",
    "Audit",
    "AuditCheck",
    "AuditSubject",
    "Certificate",
    "CheckResult",
    "Codebook",
    "Exchanged",
    "Finding",
    "Format",
    "HouseholdPromise",
    "Measurement",
    "OpenedRelease",
    "Positive",
    "PreservedNumber",
    "PublicSettings",
    "Release",
    "ReleaseEvidence",
    "StewardFacts",
    "audit_files",
    "audit_folder",
    "beside",
    "broken_limit_facts",
    "certificate_of",
    "check_folder",
    "concerns_of",
    "evidence_of",
    "fuzzy_forms",
    "fuzzy_safety",
    "grid_of",
    "is_noisy",
    "keep",
    "kept",
    "named",
    "naming",
    "open_files",
    "open_release",
    "preserved_by",
    "public_wanted",
    "read_private",
    "refuse_sharper",
    "refuse_unkept",
    "release_to_repeat",
    "released_frame",
    "released_in_common",
    "renumbered",
    "require_release",
    "shared_names",
    "short",
    "to_json",
    "warn_of",
    "weights_note",
]
