"""Random tables and random settings, recounted from the written files by plain code of its own."""
