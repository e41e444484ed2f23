"""What was found, in the forms that people and programs read: pure functions from values to text."""
