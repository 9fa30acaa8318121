"""Recipes: which microfile is protected, how, and how the result is attacked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from sfumato.attacks import Attack, AttackPlan, Verdict, judge
from sfumato.errors import MicrofileError, SettingError, SettingPath, path_text
from sfumato.groups import Group
from sfumato.harmonising import Done
from sfumato.microfile import Hierarchy, Microfile
from sfumato.progress import Progress, silent, whole
from sfumato.protection_registry import METHODS
from sfumato.protections import Protection, Stage
from sfumato.quiet_repr import quiet
from sfumato.randomness import Secret
from sfumato.recipe_run import ProtectionRun, check_run, hides_group
from sfumato.recipe_tables import RecipeContent, plain_tables
from sfumato.release import Release
from sfumato.settings import Settings, explained, listed
from sfumato.sources import AnySource, Source, check_file_exists
from sfumato.toml_document import TomlDocument, read_toml
from sfumato.toml_writing import edited_toml, toml_text

AnySettings = TypeVar("AnySettings", bound=Settings)


def _check_several(entries: Any) -> Any:
    if isinstance(entries, Mapping):
        raise SettingError("write [[protect]] with two brackets: there can be several")
    return entries


def _check_single(table: Any) -> Any:
    if isinstance(table, list):
        raise SettingError("write [attack] with one bracket: a recipe has one, and it can have several attackers")
    return table


class RecipeTables(Settings):
    """The tables of a recipe."""

    seed: int | None = Field(default=None, ge=0, lt=2**31)
    """For demonstrations: what all random numbers are derived from. Whoever knows or guesses it can repeat the draws.
    Default: a secret that the operating system draws, and that the confidential record keeps."""
    microfile: AnySource
    """Where the microfile comes from, and how it is read."""
    protect: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_check_several)] = ()
    """The protections, in order; a recipe that only attacks has none."""
    attack: Annotated[dict[str, Any] | None, BeforeValidator(_check_single)] = None
    """How an attacker would find a group with the help of another file."""

    @model_validator(mode="after")
    def _does_something(self) -> RecipeTables:
        if not self.protect and self.attack is None:
            raise SettingError("a recipe needs [[protect]], [attack] or both")
        return self


@quiet
@dataclass(frozen=True, eq=False)
class Recipe:
    """Which microfile is protected, how, and how the result is attacked; checked when it is made.

    Make it with :meth:`from_toml` or :meth:`from_dict`. Recipes are equal if they say the same, seen from the same
    folder.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": list(range(20, 60)), "income": [30] * 40})
    >>> recipe = Recipe.from_dict(
    ...     {"protect": [{"method": "boxes", "quasi": ["age"], "k": 5}]}, microfile=people
    ... )
    >>> recipe.run().audit().k >= 5
    True
    """

    content: RecipeContent
    """The recipe as it is written."""
    source: Source
    """Where the microfile comes from."""
    protections: tuple[Protection, ...]
    """What is done to it, in order."""
    plan: AttackPlan | None = None
    """How the result is attacked."""
    against: tuple[int, ...] = ()
    """Which of the protections, by position, are masks that must withstand the attacks."""
    seed: int | None = None
    """What all random numbers are derived from in demonstrations, unless a protection has a seed of its own."""

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str], *, seed: int | None = None) -> Recipe:
        """Read a recipe from a TOML file.

        Parameters
        ----------
        path
            The file. Relative paths in it start from its folder.
        seed
            Replaces the seeds of the recipe and of its protections.

        Raises
        ------
        SettingError
            Names the file, the line, the table and the key, what was given and what is allowed.
        """
        document = read_toml(path)
        return _build(RecipeContent(_seeded(document.content, seed), document.path.parent, document))

    @classmethod
    def from_dict(
        cls,
        tables: Mapping[str, Any],
        *,
        microfile: Any = None,
        folder: str | os.PathLike[str] = ".",
        seed: int | None = None,
    ) -> Recipe:
        """Make a recipe from dictionaries and lists, as the TOML file would hold them.

        Parameters
        ----------
        tables
            The tables of the recipe.
        microfile
            A frame or microfile to protect, in place of ``path`` in the table ``microfile``.
        folder
            The folder from which relative paths start.
        seed
            Replaces the seeds of the recipe and of its protections.

        Raises
        ------
        SettingError
            Names the path of the setting, what was given and what is allowed.
        """
        content = plain_tables(tables)
        if microfile is not None:
            content["microfile"] = {**content.get("microfile", {}), "frame": microfile}
        return _build(RecipeContent(_seeded(content, seed), Path(folder)))

    def to_dict(self) -> dict[str, Any]:
        """Return the tables of the recipe, of which :meth:`from_dict` makes the same recipe."""
        tables: dict[str, Any] = plain_tables(self.content.tables)
        return tables

    def to_toml(self) -> str:
        """Return the recipe as the text of a TOML file.

        The text of a recipe that was read from a file and then changed by :meth:`changed` keeps its comments and its
        order; only what changed is written differently.
        """
        document = self.content.document
        tables = self.content.tables
        return toml_text(tables) if document is None else edited_toml(document.text, tables)

    def changed(self, tables: Mapping[str, Any]) -> Recipe:
        """Return the recipe with other tables, in the same folder and with the comments of the same file.

        Parameters
        ----------
        tables
            All tables of the new recipe.

        Examples
        --------
        >>> recipe = Recipe.from_toml("recipe.toml")  # doctest: +SKIP
        >>> tables = recipe.to_dict()  # doctest: +SKIP
        >>> tables["protect"][0]["k"] = 10  # doctest: +SKIP
        >>> text = recipe.changed(tables).to_toml()  # doctest: +SKIP
        """
        new, document = plain_tables(tables), self.content.document
        if document is not None:
            document = TomlDocument(document.path, edited_toml(document.text, new), new)
        return _build(RecipeContent(new, self.content.folder, document))

    @property
    def path(self) -> Path | None:
        """The recipe's file, if it was read from one."""
        return None if self.content.document is None else self.content.document.path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and self.content.says_the_same(other.content)

    def __hash__(self) -> int:
        return hash((self.content.folder, len(self.protections), self.seed))

    def read(self, progress: Progress = silent) -> Microfile:
        """Read the microfile."""
        with self.content.locating(("microfile",)):
            return self.source.read(self.content.folder, progress)

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
            Other values of k for the protection of individuals. What each would have cost is in the release's
            ``private["alternatives"]``, for the steward only. Groups are masked once.
        progress
            Called while reading and protecting.
        secret
            What all random numbers are derived from: the ``secret`` of another release, or the text in its private
            record, which makes that release again; default: a new one. Seeds of the recipe take precedence.
        """
        with whole(progress) as overall:
            other_ks = check_run(self.protections, alternatives)
            people = self.read(overall) if microfile is None else microfile
            attacks = self.attacks(people, overall)[0] if self.against else ()
            return ProtectionRun(
                self.protections,
                self.against,
                attacks,
                people,
                Secret.chosen(self.seed, secret),
                overall,
                self.content.locating,
            ).release(other_ks)

    def attacks(
        self, people: Microfile, progress: Progress = silent
    ) -> tuple[tuple[Attack, ...], list[tuple[str, tuple[Done, ...]]]]:
        """Return the attacks with what they learn from, and what was done to the third-party files.

        Parameters
        ----------
        people
            The microfile that is attacked.
        progress
            Called while reading.
        """
        assert self.plan is not None
        withheld = [*self.source.identifiers, *([self.source.weight] if self.source.weight else [])]
        with self.content.locating(("attack",)):
            third_party, steps = self.plan.read(self.content.folder, progress)
            return self.plan.attacks(third_party, people, withheld), steps

    def judge(self, attacks: Iterable[Attack], *files: Microfile | Release, progress: Progress = silent) -> Verdict:
        """Run the attacks on the microfile, or on its release; see :func:`~sfumato.attacks.disclosed_places.judge`."""
        with self.content.locating(("attack",)):
            return judge(attacks, *files, progress=progress)


def protection_settings(method: str) -> type[Protection] | None:
    """Return the settings of a method, if there is one of that name."""
    return METHODS[method].settings_class() if method in METHODS else None


def _seeded(tables: dict[str, Any], seed: int | None) -> dict[str, Any]:
    """Replace the seeds of a recipe and of its protections."""
    if seed is None:
        return tables
    protections = tables.get("protect", [])
    if isinstance(protections, list):
        protections = [
            {**entry, "seed": seed} if isinstance(entry, Mapping) and "seed" in entry else entry
            for entry in protections
        ]
    return {**tables, "seed": seed, **({"protect": protections} if "protect" in tables else {})}


def _build(content: RecipeContent) -> Recipe:
    """Check all tables of a recipe."""
    tables = _settings(RecipeTables, content.tables, content, ())
    _check_source(tables.microfile, content, ("microfile",))
    methods = [entry.get("method") for entry in tables.protect]
    for position in range(1, len(methods)):
        if not _hides_group(methods[position - 1]):
            error = SettingError(
                f"protect[{position}]: nothing can follow method = {methods[position - 1]!r}",
                hint="put group masks first, then one other protection",
            )
            raise content.located(error, ("protect", position))
    plan = None if tables.attack is None else _plan(content, tables)
    entries = [dict(entry) for entry in tables.protect]
    against = [position for position, entry in enumerate(entries) if _is_against(content, position, entry, plan)]
    protections = [_protection(content, tables, position, entry) for position, entry in enumerate(entries)]
    for position in against:
        mask = protections[position]
        if plan is not None and hides_group(mask) and mask.group.parameter != plan.group.parameter:
            error = SettingError(
                f"protect[{position}].against: the attack looks at another parameter than the mask's",
                hint="give both the same parameter",
            )
            raise content.located(error, ("protect", position, "against"))
    return Recipe(content, tables.microfile, tuple(protections), plan, tuple(against), tables.seed)


def _hides_group(method: Any) -> bool:
    """Say whether a method of a recipe is a group mask, after which others can follow."""
    model = protection_settings(method) if isinstance(method, str) else None
    return model is not None and model.stage is Stage.GROUPS


def _plan(content: RecipeContent, tables: RecipeTables) -> AttackPlan:
    """Make the plan of attack; if it does not say which group it looks for, it is that of the first mask."""
    table = dict(tables.attack or {})
    masks = [entry for entry in tables.protect if _hides_group(entry.get("method"))]
    if masks and "vital" not in table:
        table = {name: masks[0][name] for name in Group.model_fields if name in masks[0]} | table
    if "vital" not in table and "group" not in table:
        error = SettingError(
            "setting 'attack.vital' is missing",
            hint="say which group an attacker looks for, or hide the group with a mask in the recipe",
        )
        raise content.located(error, ("attack", "vital"))
    if tables.seed is not None:
        table.setdefault("seed", tables.seed)
    plan = _settings(AttackPlan, table, content, ("attack",))
    for position, third_party in enumerate(plan.third_party):
        _check_source(third_party.source, content, ("attack", "third_party", position))
    return plan


def _is_against(content: RecipeContent, position: int, entry: dict[str, Any], plan: AttackPlan | None) -> bool:
    """Say whether a mask must withstand the attacks."""
    against = entry.pop("against", False)
    path: SettingPath = ("protect", position, "against")
    if not isinstance(against, bool):
        error = SettingError(f"setting {path_text(path)!r}: give true or false (given: {against!r})")
        raise content.located(error, path)
    if against and plan is None:
        error = SettingError(
            f"setting {path_text(path)!r}: the recipe has no [attack]", hint="describe the attack there"
        )
        raise content.located(error, path)
    return against


def _protection(content: RecipeContent, tables: RecipeTables, position: int, entry: dict[str, Any]) -> Protection:
    """Make the settings of one protection; weight, seed and identifiers are taken over from the whole recipe."""
    path: SettingPath = ("protect", position)
    method = entry.pop("method", None)
    model = protection_settings(method) if isinstance(method, str) else None
    if model is None:
        problem = "is missing" if method is None else f"{method!r} is not known"
        error = SettingError(
            f"setting {path_text((*path, 'method'))!r} {problem}", hint=f"known methods are: {', '.join(METHODS)}"
        )
        raise content.located(error, (*path, "method"))
    entry |= METHODS[method].fixed_settings
    if isinstance(entry.get("hierarchies"), dict):
        entry["hierarchies"] = {
            name: _hierarchy(content, (*path, "hierarchies", name), hierarchy)
            for name, hierarchy in entry["hierarchies"].items()
        }
    for name, value in (("weight", tables.microfile.weight), ("seed", tables.seed)):
        if value is not None:
            entry.setdefault(name, value)
    shared, own = tables.microfile.identifiers, entry.get("identifiers", [])
    if isinstance(own, str | list):
        # identifiers of the file never leave, whatever an entry says
        entry["identifiers"] = [*shared, *(name for name in listed(own) if name not in shared)]
    return _settings(model, entry, content, path)


def _hierarchy(content: RecipeContent, path: SettingPath, hierarchy: Any) -> Hierarchy:
    """Read the hierarchy of an attribute."""
    try:
        if isinstance(hierarchy, Hierarchy):
            return hierarchy
        if not isinstance(hierarchy, str):
            raise SettingError(f"give the name of a CSV file (given: {hierarchy!r})")
        check_file_exists(hierarchy, content.folder, setting="")
        return Hierarchy.from_csv(content.folder / hierarchy)
    except (SettingError, MicrofileError) as error:
        wrong = SettingError(f"setting {path_text(path)!r}: {error.message}", hint=error.hint)
        raise content.located(wrong, path) from None


def _check_source(source: Source, content: RecipeContent, path: SettingPath) -> None:
    """Refuse a source that cannot be read."""
    try:
        source.check(content.folder)
    except SettingError as error:
        path = content.find(path[:1], (*path[1:], *error.setting), None)
        raise content.located(error.prefixed(f"setting {path_text(path)!r}"), path) from None


def _settings(
    model: type[AnySettings], table: Mapping[str, Any], content: RecipeContent, path: SettingPath
) -> AnySettings:
    """Make settings from a table; an error says where in the recipe they are wrong."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        wrong = explained(error, model, table, within=path, available=_setting_names(model))
        raise content.located(wrong, content.find(path, wrong.setting, wrong.column)) from None


def _setting_names(model: type[Settings]) -> list[str]:
    """Return what a table of a recipe can say; the settings of a group are among those of its mask."""
    inner = Group.model_fields if "group" in model.model_fields else ()
    return [*(name for name in model.model_fields if name != "group"), *inner]
