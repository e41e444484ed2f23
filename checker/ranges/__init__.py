"""Ranges: what values a program's numbers may take, and the hazards that this shows."""
