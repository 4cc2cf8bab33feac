"""What the Makefile runs around the pipeline: composing, planning, summing up, copies, proofs. No stage imports it."""
