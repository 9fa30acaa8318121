"""Recipes: a TOML file that says which microfile is protected, how, and how the result is attacked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from sfumato.alternatives import check_others, other_k
from sfumato.attacks.attack import Attack
from sfumato.attacks.disclosure import Verdict, judge
from sfumato.attacks.plan import AttackPlan
from sfumato.boxes import Boxes
from sfumato.errors import MicrofileError, SettingError, SfumatoError, UnattainableError, nearest
from sfumato.groups import Group, GroupMask
from sfumato.groups.dependencies import refuse_telltale
from sfumato.groups.masking import Masked, mask, public_statement, released
from sfumato.groups.record import group_findings
from sfumato.groups.relatives import refuse_split
from sfumato.harmonising.harmonise import Done
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.reading import refuse_address
from sfumato.microfile.source import Source
from sfumato.partitions import FuzzyPartition
from sfumato.printing import quiet
from sfumato.progress import Progress, silent, whole
from sfumato.randomness import KNOWN, Secret
from sfumato.release.release import Release
from sfumato.settings import Settings, explained, first_problem, listed, place_of
from sfumato.toml import Place, Toml, read_toml

Made = TypeVar("Made", bound=Settings)

Protection: TypeAlias = Boxes | FuzzyPartition | GroupMask
FUZZY = ("fuzzy-c-means", "gustafson-kessel", "k-means", "sets")
"""The methods that :class:`~sfumato.FuzzyPartition` itself tells apart."""
PROTECTIONS: dict[str, type[Protection]] = {"boxes": Boxes, **dict.fromkeys(FUZZY, FuzzyPartition), "group": GroupMask}
"""The settings of each method. Their fields are all that an entry of ``[[protect]]`` can have beside ``method``."""


def _entries(given: Any) -> Any:
    if isinstance(given, Mapping):
        raise ValueError("write [[protect]] with two brackets: there can be several")
    return given


def _one_table(given: Any) -> Any:
    if isinstance(given, list):
        raise ValueError("write [attack] with one bracket: a recipe has one, and it can have several attackers")
    return given


class Sheet(Settings):
    """A recipe as it is written."""

    seed: int | None = Field(default=None, ge=0, lt=2**31)
    """For demonstrations: what all random numbers are derived from. Whoever knows or guesses it can repeat the draws.
    Default: a secret that the operating system draws, and that the private record keeps."""
    microfile: Source
    """Where the microfile lies, and how it is read."""
    protect: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_entries)] = ()
    """The protections, in order; a recipe that only attacks has none."""
    attack: Annotated[dict[str, Any] | None, BeforeValidator(_one_table)] = None
    """How an adversary would find a group with somebody else's file."""

    @model_validator(mode="after")
    def _does_something(self) -> Sheet:
        if not self.protect and self.attack is None:
            raise ValueError("a recipe needs [[protect]], [attack] or both")
        return self


@quiet
@dataclass(frozen=True)
class Recipe:
    """What a recipe says, checked; made by :func:`read_recipe`."""

    toml: Toml
    """The file, which knows the line of each setting."""
    source: Source
    """The microfile, and how it is read."""
    protections: tuple[Protection, ...]
    """What is done to it, in order."""
    plan: AttackPlan | None = None
    """How the result is attacked."""
    against: tuple[int, ...] = ()
    """Which of the protections, by number, are masks set against the attacks."""
    seed: int | None = None
    """What all random numbers are derived from in demonstrations, unless a protection has a seed of its own."""

    @property
    def path(self) -> Path:
        """The recipe's file."""
        return self.toml.path

    def read(self, progress: Progress = silent) -> Microfile:
        """Read the microfile."""
        with _pointing(self.toml, ("microfile",), Source.model_fields):
            return self.source.read(self.path.parent, progress)

    def run(
        self,
        microfile: Microfile | None = None,
        *,
        alternatives: Sequence[int] = (),
        progress: Progress = silent,
        secret: Secret | str | None = None,
    ) -> Release:
        """Read the microfile, run the protections in order, and return the release.

        Parameters
        ----------
        microfile
            The microfile, if it was read already.
        alternatives
            Other k's for the protection of single people: what each would have cost stands in the release's
            ``private["alternatives"]``, for the steward alone. Groups are masked once.
        progress
            Called while reading and protecting.
        secret
            What all random numbers are derived from, as the ``secret`` of another release or the text in its private
            record, which makes that release again; default: a new one. Seeds of the recipe go first.
        """
        with whole(progress) as told:
            return self._run(microfile, alternatives, told, secret)

    def _run(
        self,
        microfile: Microfile | None,
        alternatives: Sequence[int],
        progress: Progress,
        secret: Secret | str | None,
    ) -> Release:
        if not self.protections:
            raise SettingError(f"{self.path}: it protects nothing", hint="write [[protect]], or use sfumato attack")
        individual, others = self.protections[-1], check_others(alternatives)
        if others and isinstance(individual, GroupMask):
            raise SettingError(
                "alternatives: the recipe does not protect single people, so that there is no k to change",
                hint="add a protection after the group masks",
            )
        people = self.read(progress) if microfile is None else microfile
        masks = [one for one in self.protections if isinstance(one, GroupMask)]
        drawn = Secret.chosen(self.seed, secret)
        masked = self._masked(masks, people, progress, drawn)

        def finish(release: Release) -> None:
            for number, one in enumerate(masks):
                with _pointing(self.toml, ("protect", number), _keys(GroupMask)):
                    refuse_split(people, masked[-1].microfile, one.group.parameter, release.codebook)
                    refuse_telltale(one, people, masked[-1].microfile, release)
            if masks and not isinstance(individual, GroupMask):
                told = public_statement(masks, masked)
                # of an attribute that is withheld nothing is told
                told["attributes"] = [name for name in told["attributes"] if name in release.codebook.attributes]
                release.settings["exchanged"] = told
                release.private["groups"] = [one.record for one in masked]
            _refuse_undone(release)
            # that of the whole recipe, also where a protection has a seed of its own
            release.secret = drawn
            if any(one.seed is not None for one in self.protections) and KNOWN not in release.notes:
                release.notes.append(KNOWN)

        if isinstance(individual, GroupMask):
            release = released(masks, masked, drawn)
            finish(release)
            return release
        hidden = masked[-1].microfile if masked else people
        with _pointing(self.toml, ("protect", len(masks)), _keys(type(individual))):
            release = individual.protect(hidden, progress=progress, secret=drawn)
        finish(release)
        if others:
            found = other_k(individual, hidden, others, release=release, finish=finish, progress=progress)
            release.private["alternatives"] = [one.summary() for one in found]
        return release

    def _masked(
        self, masks: Sequence[GroupMask], original: Microfile, progress: Progress, secret: Secret
    ) -> list[Masked]:
        """Hide the groups, one after the other; what attacks must not find they do not find after the last either."""
        attacks = self.attacks(original, progress)[0] if self.against else ()
        people, masked = original, list[Masked]()
        for number, one in enumerate(masks):
            settings = _sparing(one, masks[:number])
            if number in self.against:
                settings = settings.model_copy(update={"against": attacks})
            with _pointing(self.toml, ("protect", number), _keys(GroupMask)):
                own = Secret.chosen(one.seed, secret)
                own = own.part(f"mask {number + 1}") if number else own
                masked.append(mask(settings, people, progress, own))
            people = masked[-1].microfile
        for number in self.against:
            if number < len(masked) - 1:
                _refuse_found(attacks, masks[number], masked[number], original, people, progress)
        return masked

    def attacks(
        self, people: Microfile, progress: Progress = silent
    ) -> tuple[tuple[Attack, ...], list[tuple[str, tuple[Done, ...]]]]:
        """Return the attacks with what they learn from; also what was done to the third-party files.

        Parameters
        ----------
        people
            The microfile that is attacked.
        progress
            Called while reading.
        """
        assert self.plan is not None
        hidden = [*self.source.identifiers, *([self.source.weight] if self.source.weight else [])]
        with _pointing(self.toml, ("attack",), _keys(AttackPlan)):
            third_party, steps = self.plan.read(self.path.parent, progress)
            return self.plan.attacks(third_party, people, hidden), steps

    def judge(self, attacks: Iterable[Attack], *files: Microfile | Release, progress: Progress = silent) -> Verdict:
        """Let the attacks loose on the microfile, or on its release; see :func:`~sfumato.attacks.disclosure.judge`."""
        with _pointing(self.toml, ("attack",), _keys(AttackPlan)):
            return judge(attacks, *files, progress=progress)


def read_recipe(path: str | os.PathLike[str], *, seed: int | None = None) -> Recipe:
    """Read a recipe, refusing what is wrong in it.

    Parameters
    ----------
    path
        The TOML file.
    seed
        In place of the seeds that it gives.

    Raises
    ------
    SettingError
        Names the file, the line, the table and the key, what was given and what is allowed.
    """
    toml = read_toml(path)
    content = toml.content if seed is None else toml.content | {"seed": seed}
    sheet = _made(Sheet, content, toml, ())
    if not _is_file(toml.path.parent / sheet.microfile.path):
        raise _missing_file(toml, ("microfile", "path"), sheet.microfile.path)
    methods = [entry.get("method") for entry in sheet.protect]
    after = [number for number in range(1, len(methods)) if methods[number - 1] != "group"]
    if after:
        told = f"protect[{after[0]}]: nothing can follow method = {methods[after[0] - 1]!r}"
        raise toml.wrong(("protect", after[0]), told, hint="group masks come first, then one other protection")
    plan = None if sheet.attack is None else _plan(toml, sheet, seed)
    entries = [dict(entry) | ({} if seed is None else {"seed": seed}) for entry in sheet.protect]
    against = [number for number, entry in enumerate(entries) if _is_against(toml, number, entry, plan)]
    protections = [_protection(toml, sheet, number, entry) for number, entry in enumerate(entries)]
    for number in against:
        mask = protections[number]
        if plan is not None and isinstance(mask, GroupMask) and mask.group.parameter != plan.group.parameter:
            told = f"protect[{number}].against: the attack looks at another parameter than the mask's"
            raise toml.wrong(("protect", number, "against"), told, hint="give both the same parameter")
    return Recipe(toml, sheet.microfile, tuple(protections), plan, tuple(against), sheet.seed)


def _plan(toml: Toml, sheet: Sheet, seed: int | None) -> AttackPlan:
    """Make the plan of attack; whom it looks for is taken over from the first mask, if it does not say."""
    given = dict(sheet.attack or {})
    masks = [entry for entry in sheet.protect if entry.get("method") == "group"]
    if masks and "vital" not in given:
        given = {name: masks[0][name] for name in Group.model_fields if name in masks[0]} | given
    if "vital" not in given and "group" not in given:
        hint = "say whom an adversary looks for, or hide the group by a mask of the recipe"
        raise toml.wrong(("attack",), "setting 'attack.vital' is missing", hint=hint)
    shared = sheet.seed if seed is None else seed
    if shared is not None:
        given.setdefault("seed", shared)
    plan = _made(AttackPlan, given, toml, ("attack",))
    for number, one in enumerate(plan.third_party):
        if not _is_file(toml.path.parent / one.path):
            raise _missing_file(toml, ("attack", "third_party", number, "path"), one.path)
    return plan


def _is_against(toml: Toml, number: int, entry: dict[str, Any], plan: AttackPlan | None) -> bool:
    """Say whether a mask is set against the attacks; what is not a yes or no is refused."""
    wanted = entry.pop("against", False)
    place: Place = ("protect", number, "against")
    if not isinstance(wanted, bool):
        raise toml.wrong(place, f"setting {place_of(place)!r}: give true or false (given: {wanted!r})")
    if wanted and plan is None:
        raise toml.wrong(place, f"setting {place_of(place)!r}: the recipe has no [attack]", hint="describe it there")
    return wanted


def _protection(toml: Toml, sheet: Sheet, number: int, entry: dict[str, Any]) -> Protection:
    """Make the settings of one protection; what it does not say is taken over from the file."""
    place: Place = ("protect", number)
    method = entry.pop("method", None)
    if method not in PROTECTIONS:
        told = "is missing" if method is None else f"{method!r} is not known"
        where = place if method is None else (*place, "method")
        hint = f"known methods are: {', '.join(PROTECTIONS)}"
        raise toml.wrong(where, f"setting {place_of((*place, 'method'))!r} {told}", hint=hint)
    model = PROTECTIONS[method]
    if method in FUZZY:
        entry["method"] = method
    if isinstance(entry.get("hierarchies"), dict):
        its = entry["hierarchies"].items()
        entry["hierarchies"] = {name: _hierarchy(toml, (*place, "hierarchies", name), file) for name, file in its}
    for name, value in (("weight", sheet.microfile.weight), ("seed", sheet.seed)):
        if value is not None:
            entry.setdefault(name, value)
    shared, own = sheet.microfile.identifiers, entry.get("identifiers", [])
    if isinstance(own, str | list):
        # identifiers of the file never leave, whatever an entry says
        entry["identifiers"] = [*shared, *(name for name in listed(own) if name not in shared)]
    return _made(model, entry, toml, place)


def _sparing(mask: GroupMask, before: Sequence[GroupMask]) -> GroupMask:
    """Let the members of groups that are hidden already stay where they are."""
    others = [one.group.vital for one in before if set(one.group.parameter) & set(mask.group.parameter)]
    return mask.model_copy(update={"spare": (*mask.spare, *others)})


def _refuse_found(
    attacks: Sequence[Attack],
    settings: GroupMask,
    masked: Masked,
    original: Microfile,
    people: Microfile,
    progress: Progress,
) -> None:
    """See that attacks find nothing after later masks either, which move people whom attacks take for members."""
    places = settings.group.places(people)
    hidden = places.numbers_of(masked.record["hidden"], setting="hide")
    for attack, told in zip(attacks, masked.record["against"]["attacks"], strict=True):
        sighting = attack.sighting_of(attack.learn(progress=progress), people, original)
        told["after"] = sighting.signal(places).as_dict()
        if shown := sighting.shown(places, hidden):
            raise UnattainableError(
                f"against: after the masks that follow, {attack.name} finds {len(shown):,} hidden places again",
                hint="let the mask against the attack be the last one",
            )


def _refuse_undone(release: Release) -> None:
    """See that every group is hidden in what is released in the end, also the first ones."""
    wrong = group_findings(release.private, release.microfile, release.codebook)
    if wrong:
        raise UnattainableError(
            "; ".join(wrong), hint="hide the groups in another order, or promise less of single people"
        )


def _hierarchy(toml: Toml, place: Place, file: Any) -> Hierarchy:
    if not isinstance(file, str):
        raise toml.wrong(place, f"setting {place_of(place)!r}: give the name of a CSV file (given: {file!r})")
    path = toml.path.parent / file
    if not _is_file(path):
        raise _missing_file(toml, place, file)
    try:
        return Hierarchy.from_csv(path)
    except (SettingError, MicrofileError) as error:
        raise toml.wrong(place, f"setting {place_of(place)!r}: {error.message}", hint=error.hint) from None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # too long, or no name at all


def _missing_file(toml: Toml, place: Place, file: str) -> SettingError:
    try:
        refuse_address(file)
    except SettingError as error:
        return toml.wrong(place, f"setting {place_of(place)!r}: {error.message}", hint=error.hint)
    path = toml.path.parent / file
    try:
        beside = sorted(one.name for one in path.parent.iterdir() if one.is_file())
    except (OSError, ValueError):
        beside = []
    hint = nearest(path.name, beside) if beside else "paths are seen from the recipe's folder"
    return toml.wrong(place, f"setting {place_of(place)!r}: there is no file {path}", hint=hint)


def _made(model: type[Made], given: dict[str, Any], toml: Toml, place: Place) -> Made:
    """Make settings, pointing at what is wrong."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        told = explained(error, model, given, within=place_of(place), known=_keys(model))
        problem = first_problem(error, given)
        message = problem["msg"].removeprefix("Value error, ")
        where = (*place, *problem["loc"]) if problem["loc"] else _place_told(toml, place, message, _keys(model))
        raise toml.wrong(where, told.message, hint=told.hint) from None


def _keys(model: type[Settings]) -> list[str]:
    """Return what a table of a recipe can say; the settings of a group stand among those of its mask."""
    inner = Group.model_fields if "group" in model.model_fields else ()
    return [*(name for name in model.model_fields if name != "group"), *inner]


@contextmanager
def _pointing(toml: Toml, place: Place, known: Iterable[str]) -> Iterator[None]:
    """Point at what does not fit the microfile; an error that names no setting stays as it is, unless it is of one."""
    try:
        yield
    except SfumatoError as error:
        where = _place_told(toml, place, error.message, known)
        if where == place and not isinstance(error, SettingError):
            raise
        told = toml.wrong(where, f"{place_of(place)}: {error.message}", hint=error.hint)
        raise type(error)(told.message, hint=told.hint) from None


def _place_told(toml: Toml, place: Place, message: str, known: Iterable[str]) -> Place:
    """Return the place of what a message is about; what a table does not say itself it has taken over from another."""
    protections = toml.content.get("protect", [])
    tables: list[Place] = [("microfile",), ("attack",), *(("protect", number) for number in range(len(protections)))]
    there = [one for one in tables if one[0] in toml.content and one != place]
    return toml.place_told([place, *there], message, [*known, *Source.model_fields, *_keys(AttackPlan)])
