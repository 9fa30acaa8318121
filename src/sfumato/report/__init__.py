"""Pages and pictures made from results."""

from sfumato.report.estimates import estimates_chart
from sfumato.report.pictures import write_picture

__all__ = ["estimates_chart", "write_picture"]
