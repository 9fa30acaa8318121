"""From a microfile to a release of boxes, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.boxes.box_release import protected_table
from sfumato.boxes.box_search import find_boxes, with_chosen_detail
from sfumato.boxes.box_suppression import boxes_worth_keeping
from sfumato.boxes.box_task import box_task
from sfumato.boxes.feasible_strata import suppressible
from sfumato.boxes.validation import refuse_single
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.protections import release_of
from sfumato.randomness import Secret
from sfumato.release import Release, refuse_unkept

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes


def protect(settings: Boxes, microfile: Microfile, progress: Progress, secret: Secret) -> Release:
    """Divide the records into boxes, measure them, and make the release."""
    progress("preparing", 0.0)
    task = with_chosen_detail(box_task(settings, microfile, secret))
    division = find_boxes(task, progress)
    task, boxes = division.task, division.boxes
    progress("measuring", 0.0)
    n_suppressible = suppressible(settings, microfile) - int((~task.retained).sum())
    retained = boxes_worth_keeping(task, boxes, division.costs, n_suppressible)
    release = release_of(settings, microfile, protected_table(division, retained), secret)
    refuse_unkept(release)
    refuse_single(settings, len(boxes), microfile)
    return release
