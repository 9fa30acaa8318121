"""The box engine: cost, cuts, refinement and edges of boxes."""
