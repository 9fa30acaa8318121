"""Runs in a peer's own environment: Adult made k-anonymous, with the seconds it took and what was lost.

``boxes_peers.py PEER CSV K``, where PEER is anonypy, anjana or aiprivacy, and CSV is ARX's Adult with its hierarchies
beside it. Prints JSON: seconds of the anonymization alone, gcp, records released, records suppressed, and k, the
smallest block released.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import time
import types
from collections import Counter
from pathlib import Path

import pandas as pd

NUMBERS = ["age"]
CATEGORIES = ["sex", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
QUASI = NUMBERS + CATEGORIES
SENSITIVE = "salary-class"
# The percentage of records that ANJANA may drop rather than generalize further; with 50, its gcp is higher.
SUPPRESSION = 5

# The values that a block covers, for each attribute of QUASI in turn; of numbers, at least the lowest and the highest.
Box = tuple[frozenset, ...]


def main() -> None:
    peer, path, k = sys.argv[1:]
    original = pd.read_csv(path, sep=";", keep_default_na=False)
    # Peers print what they do; standard output is for the answer alone.
    with contextlib.redirect_stdout(sys.stderr):
        seconds, blocks = PEERS[peer](original, int(k), Path(path).parent)
    found = {
        "seconds": seconds,
        "gcp": gcp(original, blocks),
        "records": blocks.total(),
        "suppressed": len(original) - blocks.total(),
        "k": min(blocks.values()),
    }
    print(json.dumps(found))


def gcp(original: pd.DataFrame, blocks: Counter[Box]) -> float:
    """Return the global certainty penalty: the mean, over records and attributes, of the share that a value covers.

    An interval of numbers covers (highest - lowest) / (the original's range), a set of several categories its size /
    the original's number of categories, a single category nothing, and a suppressed record all. A hierarchy may name
    more than the original holds; only what lies in the original's range and categories counts.
    """
    lost = float(len(QUASI) * (len(original) - blocks.total()))
    domains = [frozenset(original[name]) for name in QUASI]
    for box, count in blocks.items():
        for name, values, domain in zip(QUASI, box, domains, strict=True):
            if name in NUMBERS:
                lowest, highest = max(min(values), min(domain)), min(max(values), max(domain))
                lost += count * (highest - lowest) / (max(domain) - min(domain))
            elif len(values & domain) > 1:
                lost += count * len(values & domain) / len(domain)
    return lost / (len(QUASI) * len(original))


def anonypy(original: pd.DataFrame, k: int, folder: Path) -> tuple[float, Counter[Box]]:
    """Mondrian. A row is a block and one sensitive value: "17-25" or "17", joined categories, and a count."""
    import anonypy

    table = original.astype(dict.fromkeys([*CATEGORIES, SENSITIVE], "category"))
    start = time.perf_counter()
    rows = anonypy.Preserver(table, QUASI, SENSITIVE).anonymize_k_anonymity(k=k)
    seconds = time.perf_counter() - start
    blocks: Counter[Box] = Counter()
    for row in rows:
        numbers = (frozenset(int(end) for end in row[name][0].split("-")) for name in NUMBERS)
        categories = (frozenset(row[name][0].split(",")) for name in CATEGORIES)
        blocks[*numbers, *categories] += int(row["count"])
    return seconds, blocks


def anjana(original: pd.DataFrame, k: int, folder: Path) -> tuple[float, Counter[Box]]:
    """One level of its hierarchy for each attribute. A value is a label, which covers the leaves below it."""
    from anjana.anonymity import k_anonymity

    hierarchies = {}
    for name in QUASI:
        levels = pd.read_csv(folder / f"adult_hierarchy_{name}.csv", sep=";", header=None, keep_default_na=False)
        hierarchies[name] = {level: levels[level].to_numpy() for level in levels}
    # It keeps what it made of the hierarchies in the dictionary given.
    given = {name: dict(levels) for name, levels in hierarchies.items()}
    start = time.perf_counter()
    released = k_anonymity(original, [], QUASI, k, SUPPRESSION, given)
    seconds = time.perf_counter() - start
    if released.empty:
        sys.exit(f"ANJANA found no release with k = {k}")
    covers = {name: _covers(released[name], levels) for name, levels in hierarchies.items()}
    labels = Counter(released[QUASI].itertuples(index=False, name=None))
    blocks: Counter[Box] = Counter()
    for block, count in labels.items():
        blocks[tuple(covers[name][label] for name, label in zip(QUASI, block, strict=True))] += count
    return seconds, blocks


def _covers(released: pd.Series, levels: dict) -> dict:
    """Return the leaves below each label released. Not what a label says: ARX's ages "15-19" are 16 to 20."""
    level = next(level for level, labels in levels.items() if set(released) <= set(labels))
    leaves = pd.Series(levels[0]).groupby(levels[level])
    return {label: frozenset(below) for label, below in leaves}


def aiprivacy(original: pd.DataFrame, k: int, folder: Path) -> tuple[float, Counter[Box]]:
    """Leaves of a decision tree that follows a model's predictions. A value is the leaf's most typical one."""
    _do_without_torch()
    from apt.anonymization import Anonymize
    from apt.utils.datasets import ArrayDataset
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    encode = make_column_transformer((OneHotEncoder(), CATEGORIES), remainder="passthrough")
    # The tree of its notebooks; with a shallower one, the predictions need fewer leaves and gcp is higher.
    model = make_pipeline(encode, DecisionTreeClassifier(random_state=0))
    predictions = model.fit(original[QUASI], original[SENSITIVE]).predict(original[QUASI])
    start = time.perf_counter()
    anonymizer = Anonymize(k, QUASI, categorical_features=CATEGORIES)
    released = anonymizer.anonymize(ArrayDataset(original[QUASI], predictions))
    seconds = time.perf_counter() - start
    blocks: Counter[Box] = Counter()
    for _, records in original[QUASI].groupby([released[name].to_numpy() for name in QUASI]):
        blocks[tuple(frozenset(records[name]) for name in QUASI)] += len(records)
    return seconds, blocks


def _do_without_torch() -> None:
    """Stand in for torch, gigabytes that the toolkit imports only for a type of data that it is not given here."""
    if importlib.util.find_spec("torch") is None:
        import art.estimators.classification  # noqa: F401  # it does without torch, if it finds none

        torch = types.ModuleType("torch")
        torch.Tensor = type("Tensor", (), {})
        sys.modules["torch"] = torch


PEERS = {"anonypy": anonypy, "anjana": anjana, "aiprivacy": aiprivacy}

if __name__ == "__main__":
    main()
