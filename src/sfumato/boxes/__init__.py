"""Boxes of at least k records, shaped for the narrowest ranges of chosen statistics."""
