"""Running the protections of a recipe in order: group masks first, then at most one protection of individuals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeGuard

from sfumato.attacks import Attack
from sfumato.errors import SettingError, SettingPath, UnattainableError
from sfumato.groups import (
    GroupMask,
    Masked,
    apply_mask,
    group_findings,
    refuse_split,
    refuse_traces,
    release_masked,
    swapped_attributes,
)
from sfumato.k_sweep import check_others, other_k
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.protections import PersonProtection, Protection, Stage
from sfumato.quiet_repr import quiet
from sfumato.randomness import KNOWN, Secret
from sfumato.release import Release


def hides_group(protection: Protection) -> TypeGuard[GroupMask]:
    """Say whether a protection runs among the group masks, which come first."""
    return protection.stage is Stage.GROUPS


def protects_people(protection: Protection) -> TypeGuard[PersonProtection]:
    """Say whether a protection is the one of single people, which comes last and has a k."""
    return protection.stage is Stage.PEOPLE


@quiet
@dataclass(frozen=True)
class ProtectionRun:
    """One run of a recipe's protections on a microfile."""

    protections: tuple[Protection, ...]
    """The protections, in order."""
    against: tuple[int, ...]
    """Which of them, by position, are masks that must withstand the attacks."""
    attacks: tuple[Attack, ...]
    """What these must withstand."""
    original: Microfile
    """The file to protect."""
    secret: Secret
    """The source of all random numbers."""
    progress: Progress
    """Called while protecting."""
    locating: Callable[[SettingPath], AbstractContextManager[None]]
    """Lets errors say where in the recipe the settings of a table are."""

    @property
    def masks(self) -> list[GroupMask]:
        """The masks of groups."""
        return [protection for protection in self.protections if hides_group(protection)]

    def release(self, other_ks: Sequence[int] = ()) -> Release:
        """Return the release.

        Parameters
        ----------
        other_ks
            Other values of k whose cost goes into the private record.
        """
        masked = self._hide_groups()
        individual = self.protections[-1]
        if not protects_people(individual):
            release = release_masked(self.masks, masked, self.secret)
            self._finish(release, masked)
            return release
        people = masked[-1].microfile if masked else self.original
        with self.locating(("protect", len(self.masks))):
            release = individual.protect(people, progress=self.progress, secret=self.secret)
        self._finish(release, masked)
        if other_ks:
            alternatives = other_k(
                individual,
                people,
                other_ks,
                release=release,
                finish=lambda release: self._finish(release, masked),
                progress=self.progress,
            )
            release.private["alternatives"] = [alternative.summary() for alternative in alternatives]
        return release

    def _hide_groups(self) -> list[Masked]:
        """Apply the masks one after the other; attacks that a mask withstands must fail after the last one too."""
        people, masked = self.original, list[Masked]()
        for position, settings in enumerate(self.masks):
            settings = _sparing(settings, self.masks[:position])
            if position in self.against:
                settings = settings.model_copy(update={"against": self.attacks})
            with self.locating(("protect", position)):
                secret = Secret.chosen(settings.seed, self.secret)
                secret = secret.part(f"mask {position + 1}") if position else secret
                masked.append(apply_mask(settings, people, self.progress, secret))
            people = masked[-1].microfile
        for position in self.against:
            if position < len(masked) - 1:
                with self.locating(("protect", position)):
                    self._refuse_rediscovered(self.masks[position], masked[position], people)
        return masked

    def _refuse_rediscovered(self, settings: GroupMask, masked: Masked, people: Microfile) -> None:
        """Check that attacks fail after later masks too, which move people whom attacks take for members."""
        places = settings.group.places(people)
        hidden = places.indices_of(masked.record["hidden"], setting="hide")
        for attack, attack_record in zip(self.attacks, masked.record["against"]["attacks"], strict=True):
            sighting = attack.sighting_of(attack.learn(progress=self.progress), people, self.original)
            attack_record["after"] = sighting.signal(places).as_dict()
            if disclosed := sighting.revealed(places, hidden):
                raise UnattainableError(
                    f"against: after the masks that follow, {attack.name} finds {len(disclosed):,} hidden places again",
                    hint="put the mask against the attack last",
                    setting="against",
                )

    def _finish(self, release: Release, masked: Sequence[Masked]) -> None:
        """Check that a release does not undo the masks, and record them in it."""
        for position, settings in enumerate(self.masks):
            with self.locating(("protect", position)):
                refuse_split(self.original, masked[-1].microfile, settings.group.parameter, release.codebook)
                refuse_traces(settings, self.original, masked[-1].microfile, release)
        if self.masks and protects_people(self.protections[-1]):
            swapped = swapped_attributes(self.masks, masked)
            # withheld attributes are not mentioned
            release.settings["exchanged"] = swapped.among(release.codebook.attributes).model_dump(mode="json")
            release.private["groups"] = [each.record for each in masked]
        _refuse_undone(release)
        # that of the whole recipe, also where a protection has a seed of its own
        release.secret = self.secret
        if any(protection.seed is not None for protection in self.protections) and KNOWN not in release.notes:
            release.notes.append(KNOWN)


def check_run(protections: Sequence[Protection], alternatives: Sequence[int]) -> list[int]:
    """Refuse to run nothing, and return the other values of k that are asked for."""
    if not protections:
        raise SettingError(
            "the recipe protects nothing", hint="write [[protect]], or use sfumato attack", setting="protect"
        )
    other_ks = check_others(alternatives)
    if other_ks and not protects_people(protections[-1]):
        raise SettingError(
            "alternatives: the recipe does not protect individuals, so it has no k to change",
            hint="add a protection after the group masks",
            setting="alternatives",
        )
    return list(other_ks)


def _sparing(settings: GroupMask, earlier: Sequence[GroupMask]) -> GroupMask:
    """Let the members of groups that are already hidden stay where they are."""
    hidden = [each.group.vital for each in earlier if set(each.group.parameter) & set(settings.group.parameter)]
    return settings.model_copy(update={"spare": (*settings.spare, *hidden)})


def _refuse_undone(release: Release) -> None:
    """Check that every group is hidden in the final release, the first ones too."""
    findings = group_findings(release.private, release.microfile, release.codebook)
    if findings:
        raise UnattainableError(
            "; ".join(findings),
            hint="hide the groups in another order, or promise less for individuals",
            setting="protect",
        )
