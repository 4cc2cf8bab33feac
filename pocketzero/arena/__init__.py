"""Players, tiers, matches and ratings: who beats whom, and how surely."""
