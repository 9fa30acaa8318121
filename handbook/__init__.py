"""What the documentation's pages are built with: formulas as MathML, and a reference made from the code."""
