"""Networks: the tower in torch, its weights on disk, its ONNX graph, and the batch evaluator that runs it fast."""
