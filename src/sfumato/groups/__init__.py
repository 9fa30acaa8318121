"""Groups: their signals over places, and masks that hide what these would tell."""
