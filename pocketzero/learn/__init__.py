"""Learning: self-play, the teacher loop, distillation into the student, and PPO for the linear tiers."""
