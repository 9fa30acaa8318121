"""``sfumato warm``: compile everything now."""

from __future__ import annotations

from sfumato.cli.options import Json
from sfumato.cli.output import console, emit, progress_shown


def warm(*, json: Json = False) -> None:
    """Compile all kernels and keep the machine code on disk, so that no first run has to wait for the compiler.

    For container images and installers. The code is for this processor; on another one it is compiled again.
    """
    from sfumato.kernels.compiled import compile_all

    with progress_shown() as progress:
        counts = compile_all(progress)
    if json:
        emit({"kernels": counts.n_kernels, "compiled": counts.n_compiled})
    elif counts.n_compiled:
        console().print(f"Compiled {counts.n_compiled} of {counts.n_kernels} kernels; the rest were already compiled.")
    else:
        console().print(f"All {counts.n_kernels} kernels were compiled already.")
