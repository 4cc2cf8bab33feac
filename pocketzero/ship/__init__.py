"""What leaves the house: the ONNX file, the tiers, the golden positions, and the proof that copies agree."""
