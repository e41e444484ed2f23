"""Fields for people: summaries, pictures and plots, as text or as data that an editor draws."""
