from __future__ import annotations

import json

import pytest

from sfumato.cli.app import main
from sfumato.kernels import compiled


@pytest.mark.parametrize(
    ("n_compiled", "text"),
    [(0, "All 5 kernels were compiled already."), (3, "Compiled 3 of 5 kernels; the rest were already compiled.")],
)
def test_warm_says_what_it_compiled(
    n_compiled: int, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiled, "compile_all", lambda progress: compiled.Compilations(5, n_compiled))
    with pytest.raises(SystemExit) as left:
        main(["warm"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"{text}\n"
    with pytest.raises(SystemExit):
        main(["warm", "--json"])
    assert json.loads(capsys.readouterr().out) == {"kernels": 5, "compiled": n_compiled}
