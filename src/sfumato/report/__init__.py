"""Pages and pictures made from results."""

from sfumato.report.attacks import disclosure_chart
from sfumato.report.boxes import boxes_chart
from sfumato.report.comparison import compare_chart
from sfumato.report.estimates import estimates_chart
from sfumato.report.groups import goal_chart, signal_chart
from sfumato.report.pictures import write_picture
from sfumato.report.writing import write_report

__all__ = [
    "boxes_chart",
    "compare_chart",
    "disclosure_chart",
    "estimates_chart",
    "goal_chart",
    "signal_chart",
    "write_picture",
    "write_report",
]
