"""A label of several categories must not show what a single person has.

The attack claims of every block and attribute with such a label: exactly one person of the block has its rarest
category, by public marginal frequencies. Somebody who does not see the label claims it of the rarest category of all,
or, at best, of the category for which it is likeliest in a block of that size.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.measures.blocks import blocks_of

QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


class Claims:
    """What the original holds behind every label of several categories."""

    def __init__(self, people, release):
        forms = release.codebook.forms()
        quasi = release.promise.quasi
        blocks = blocks_of(release.microfile, [column for name in quasi for column in forms[name].columns(name)])
        self.rows = []
        self.likeliest = []
        for name in quasi:
            form = forms[name]
            if form.form != "sets":
                continue
            encoded = people.encoded(name)
            names = [str(value) for value in encoded.values.tolist()]
            frequency = np.bincount(encoded.codes[encoded.codes >= 0], minlength=len(names))
            known = encoded.codes >= 0
            counts = np.zeros((len(blocks), len(names)), dtype=int)
            np.add.at(counts, (blocks.numbers[known], encoded.codes[known]), 1)
            first = np.unique(blocks.numbers, return_index=True)[1]
            for block, label in enumerate(release.microfile.series(name).gather(first).to_list()):
                named = () if label is None else form.members[label]
                if len(named) > 1:
                    places = sorted((names.index(one) for one in named), key=lambda p: (frequency[p], p))
                    size, shares = int(blocks.sizes[block]), frequency / frequency.sum()
                    self.rows.append((counts[block], places, int(np.argmin(frequency)), size))
                    guess = int(np.argmax(size * shares * (1 - shares) ** (size - 1)))
                    self.likeliest.append(counts[block, guess] == 1)

    def success(self, rank=0):
        """The share of true claims of the rarest category, or of another rank."""
        return np.mean([counts[places[min(rank, len(places) - 1)]] == 1 for counts, places, _, _ in self.rows])

    def blind(self):
        """The share of true claims of somebody who does not see the label."""
        return np.mean([counts[rarest] == 1 for counts, _, rarest, _ in self.rows])

    def best_blind(self):
        """The share of true claims of somebody who does not see the label and makes the likeliest claim."""
        return np.mean(self.likeliest)

    def certain(self):
        """How many labels name as many categories as the block has records, and how many of these claims are true."""
        true = [counts[places[0]] == 1 for counts, places, _, size in self.rows if len(places) >= size]
        return len(true), np.mean(true) if true else 0.0


@pytest.fixture(scope="module")
def adult(real_data):
    people = sf.read(real_data("adult/adult_train.csv.gz"), missing="?").select(QUASI)
    return people, {edges: sf.Boxes(quasi=QUASI, k=5, edges=edges).protect(people) for edges in ("snapped", "tight")}


def test_rarest_categories_of_adult(adult, figure):
    people, releases = adult
    closed, exact = (Claims(people, releases[edges]) for edges in ("snapped", "tight"))
    figure(
        "one person with the rarest category of a label", now=closed.success(), baseline=closed.blind(), before=0.5832
    )
    for rank in (1, 2):
        told = f"the same of the {('second', 'third')[rank - 1]} rarest category"
        figure(told, now=closed.success(rank), baseline=closed.best_blind(), before=exact.success(rank))
    # the attack is as strong as it was where labels are not closed
    assert exact.success() > 0.55
    assert len(closed.rows) > 0.9 * len(exact.rows)
    assert closed.success() < 0.6 * exact.success()
    # nor is any other choice of a category as good as the rarest was
    assert max(closed.success(rank) for rank in range(4)) < 0.7 * exact.success()


def learned_groups(named):
    """Learn which categories are closed together from the labels alone: those that are mostly named together."""
    several = named[named.sum(axis=1) > 1].astype(float)
    together, often = several.T @ several, several.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = together / often[:, None] - (often - together) / (len(several) - often)[:, None]
    score = np.nan_to_num(np.minimum(score, score.T), nan=-9.0, posinf=-9.0, neginf=-9.0)
    np.fill_diagonal(score, -9.0)
    groups = np.arange(named.shape[1])
    for category in np.argsort(-score.max(axis=1)):
        if (groups == groups[category]).sum() == 1:
            groups[category] = groups[int(np.argmax(score[category]))]
    return groups


def test_who_learns_the_groups_seldom_knows_how_many_are_in_one(adult, figure):
    """Two records at least of each category named alone, and one of each group, may account for the whole block."""
    people, releases = adult
    rows = Claims(people, releases["snapped"]).rows
    claims = []
    for categories in {counts.size for counts, *_ in rows if counts.size > 3}:
        own = [row for row in rows if row[0].size == categories]
        named = np.zeros((len(own), categories), dtype=bool)
        for row, (_, places, _, _) in enumerate(own):
            named[row, places] = True
        groups = learned_groups(named)
        for row, (counts, places, _, size) in enumerate(own):
            whole = {group for group in groups[places] if named[row, groups == group].all()}
            alone = sum(groups[place] not in whole for place in places)
            if size - 2 * alone == len(whole):
                claims += [counts[groups == group].sum() == 1 for group in whole]
    share, before = len(claims) / len(rows), 0.09
    figure("labels that tell that one person is in a group of categories", now=share, baseline=0.0, before=before)
    assert share < 0.03


def test_no_label_of_adult_makes_it_certain(adult, figure):
    people, releases = adult
    closed = Claims(people, releases["snapped"])
    labels, true = closed.certain()
    before_labels, before_true = Claims(people, releases["tight"]).certain()
    assert before_labels > 30
    assert before_true == 1.0
    figure(
        "the same where a label has as many categories as records",
        now=true,
        baseline=closed.blind(),
        before=before_true,
    )
    assert labels > 30
    assert true < 0.5


def test_the_certificate_counts_what_is_left(adult):
    _, releases = adult
    closed, exact = (releases[edges].audit().measured["sets"] for edges in ("snapped", "tight"))
    assert closed["single"] == 0
    assert closed["single"] < exact["single"]
    assert closed["rare"] == 0


def small_case(edges):
    """Two common categories, and in some boxes a single person of another."""
    rng = np.random.default_rng(7)
    ways = ["car", "bus"] * 150
    for place in range(0, 300, 10):
        ways[place] = ["boat", "ferry", "plane", "train"][place // 10 % 4]
    people = sf.Microfile(
        pl.DataFrame({"way": ways, "age": np.repeat(np.arange(30), 10), "ill": rng.choice(list("ab"), 300)})
    )
    return people, sf.Boxes(quasi=["way", "age"], sensitive="ill", k=6, edges=edges, detail=0.01).protect(people)


def test_single_persons_of_a_small_file(figure):
    before, now = Claims(*small_case("tight")), Claims(*small_case("snapped"))
    figure(
        "one person with the rarest category, small file",
        now=now.success(),
        baseline=now.blind(),
        before=before.success(),
    )
    assert len(now.rows) >= 15
    assert before.success() > 0.5
    assert now.success() <= 0.75 * before.success()


def test_a_category_of_fewer_than_k_records_is_never_named_alone():
    ways = ["car"] * 40 + ["bus"] * 40 + ["boat"] * 2
    people = sf.Microfile(pl.DataFrame({"way": ways, "age": [*range(40), *range(40), 20, 21]}))
    release = sf.Boxes(quasi=["way", "age"], k=5).protect(people)
    labels = [its for its in release.codebook.attributes["way"].form.members.values() if "boat" in its]
    assert labels
    assert all(len(its) > 1 for its in labels)
    assert release.audit().measured["sets"]["rare"] == 0


def test_ends_of_ordinal_ranges_do_not_show_a_single_person(real_data, figure):
    people = sf.read(real_data("adult/adult_train.csv.gz")).select(["age", "hours-per-week", "education-num"])
    people = people.with_columns({}, kinds={"education-num": "ordinal"})

    def success(edges):
        release = sf.Boxes(quasi=people.names, k=5, edges=edges).protect(people)
        form = release.codebook.attributes["education-num"].form
        blocks = blocks_of(
            release.microfile, [column for name in people.names for column in release.codebook.columns()[name]]
        )
        values = people.series("education-num").to_numpy()
        counts = np.zeros((len(blocks), 17), dtype=int)
        np.add.at(counts, (blocks.numbers, values), 1)
        first = np.unique(blocks.numbers, return_index=True)[1]
        labels = release.microfile.series("education-num").gather(first).to_list()
        ranges = [(block, [int(one) for one in form.members[label]]) for block, label in enumerate(labels)]
        claims = [counts[block, end] == 1 for block, its in ranges if len(its) > 1 for end in (its[0], its[-1])]
        inside = [counts[block, one] == 1 for block, its in ranges if len(its) > 2 for one in its[1:-1]]
        return np.mean(claims), np.mean(inside)

    (before, _), (now, baseline) = success("tight"), success("snapped")
    figure("one person with a category at an end of a range", now=now, baseline=baseline, before=before)
    assert now < 0.7 * before
