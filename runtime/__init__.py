"""Executes checked IR: ports and shapes, backends, scenes."""
