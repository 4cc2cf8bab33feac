"""Tree search over any game."""
