from __future__ import annotations

import pytest

from sfumato.cli import main


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        captured = capsys.readouterr()
        assert "SECRET" not in captured.out + captured.err
        return stopped.value.code or 0, captured.out, captured.err

    return call
