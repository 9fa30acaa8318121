"""Reports and charts made from results."""

from sfumato.report.build import write_report
from sfumato.report.charts.box_chart import boxes_chart
from sfumato.report.charts.chart_export import write_picture
from sfumato.report.charts.comparison_chart import compare_chart
from sfumato.report.charts.disclosure_chart import disclosure_chart
from sfumato.report.charts.estimate_chart import estimates_chart
from sfumato.report.charts.signal_chart import goal_chart, signal_chart

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
