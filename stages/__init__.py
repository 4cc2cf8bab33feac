"""One module a stage of dvc.yaml, run as `python -m stages.<name>`, and the tools around them."""
