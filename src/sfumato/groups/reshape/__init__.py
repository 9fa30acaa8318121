"""Reshaping: a new signal of a group in which hidden places do not stand out."""
