"""Charts of the report and of notebooks."""
