"""Typed settings, one file a group; nothing is imported here, so that a stage depends only on the groups it reads."""
