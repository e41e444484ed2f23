"""WGSL from the IR: everything about the text of shaders, and nothing about devices."""
