"""The batch evaluators that run a network fast: planes in, checked logits and values out.

On the CPU, ONNX Runtime with one thread: workers are processes, and a thread that spins while it waits would take the
core from another worker. Its results were bitwise the same for every batch size tried (tests pin it), so a position's
answer does not depend on its neighbours in the batch. On a GPU, torch.
"""

from typing import TYPE_CHECKING

import numpy as np
import onnxruntime

from pocketzero.nets.weights import INPUT, POLICY, VALUE
from pocketzero.search.answers import Evaluate, checked

if TYPE_CHECKING:
    from pocketzero.nets.tower import Tower


def onnx_session(model: bytes, threads: int = 1) -> onnxruntime.InferenceSession:
    """A session on the CPU that does not spin and never reports home."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    onnxruntime.disable_telemetry_events()
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def onnx_evaluator(model: bytes, threads: int = 1, without_value: bool = False, for_search: bool = False) -> Evaluate:
    """The evaluator of an ONNX model (graph.build_onnx's bytes).

    without_value: whether a model without a value head will do; its values are then 0. for_search: leave the check of
    the answers to the search, which makes it as it takes them in (a second one costs 2 % of a small network's time).
    Raises ValueError for a model with other inputs or outputs; the evaluator raises what `checked` raises, so that a
    NaN ends the run.
    """
    session = onnx_session(model, threads)
    inputs, outputs = [i.name for i in session.get_inputs()], [o.name for o in session.get_outputs()]
    wanted = [POLICY] if without_value and VALUE not in outputs else [POLICY, VALUE]
    if inputs != [INPUT] or outputs != wanted:
        raise ValueError(f"model: inputs {inputs} and outputs {outputs}; [{INPUT!r}] and {wanted} would be right")
    moves = session.get_outputs()[0].shape[1]

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        answers = session.run(wanted, {INPUT: planes})
        values = answers[1][:, 0] if len(answers) == 2 else np.zeros(len(planes), np.float32)
        return (answers[0], values) if for_search else checked((answers[0], values), len(planes), moves)

    return evaluate


def torch_evaluator(tower: "Tower", device: str) -> Evaluate:
    """The evaluator of a tower with a value head on a torch device, such as "cuda".

    Full float32: TF32 is turned off, for the whole process. Raises ValueError for a tower without a value head and
    RuntimeError for a device that is not there; the evaluator raises what `checked` raises. Its answers may change in
    the last bits with the batch, so records made with it depend on the number of rows.
    """
    import torch

    if not tower.architecture.value_hidden:
        raise ValueError("network: value_hidden is 0; a search needs a network with a value head")
    if torch.device(device).type == "cuda" and not torch.cuda.is_available():
        raise RuntimeError(f"runtime.device: torch finds no {device} here; cpu would be right")
    moves = tower.architecture.moves
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    tower = tower.to(device).eval()

    @torch.inference_mode()
    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits, values = tower(torch.from_numpy(planes).to(device))
        return checked((logits.cpu().numpy(), values.cpu().numpy()), len(planes), moves)

    return evaluate
