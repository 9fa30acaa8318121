"""Array functions, compiled where it pays: arrays in, arrays out, no frames, files or clocks.

Nothing here is imported until it runs: compiling support alone takes a third of a second to load.
"""
