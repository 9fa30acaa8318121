from .atomic_file import check_file, write_file
from .build import write_report
from .charts.box_chart import boxes_chart
from .charts.chart_export import check_picture, write_picture
from .charts.comparison_chart import compare_chart
from .charts.disclosure_chart import disclosure_chart
from .charts.estimate_chart import estimates_chart
from .charts.signal_chart import goal_chart, signal_chart

__all__ = [
    "boxes_chart",
    "check_file",
    "check_picture",
    "compare_chart",
    "disclosure_chart",
    "estimates_chart",
    "goal_chart",
    "signal_chart",
    "write_file",
    "write_picture",
    "write_report",
]
