"""``python -m sfumato`` is ``sfumato``."""

from sfumato.cli import main

if __name__ == "__main__":
    main()
