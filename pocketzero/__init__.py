"""PocketZero: from a game's rules to the opponents that ship inside its app.

Rooms, in the order in which data flows: games, search, nets, learn, arena, ship. Nothing here knows of DVC or Hydra.
"""

import os

from pocketzero import compile_cache

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # ONNX Runtime 1.29 and later reports home unless told not to
# Torch's threads otherwise spin while they wait, and on a busy machine train several times slower for it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
compile_cache.use()
