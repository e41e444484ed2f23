"""What the server can do: a pure function a feature, from a view and a position to an answer."""
