"""The Hydra plugin that DVC loads (`hydra.plugins_path` in .dvc/config): the typed schema, and the check of a composed
configuration as a whole, before params.yaml is written.

Dataclasses alone let -5 simulations, NaN and a left-over '???' pass. So config.yaml has one key, `checked`, whose value
is a resolver that is handed the root of the configuration and refuses what must not reach a stage.
"""

import re
import sys
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # DVC's own process does not know this checkout

from pocketzero.settings.base import BadSetting, from_mapping, leaves
from pocketzero.settings.root import Settings

RESOLVER_CALL = re.compile(r"\$\{[^${}]*:")


def check_settings(_root_: DictConfig) -> bool:
    """Refuse the composed configuration, or return True.

    `checked` is the schema's first key, so that the others still stand as written: a resolver such as oc.env would bake
    this machine into params.yaml. Raises BadSetting.
    """
    for key, value in leaves(OmegaConf.to_container(_root_, resolve=False)).items():
        if key != "checked" and RESOLVER_CALL.search(str(value)):
            raise BadSetting("conf/", key, value, "a value or a reference to another key, not a call to a resolver")
    groups: dict[str, Any] = {str(key): _plain(_root_, str(key)) for key in _root_ if key != "checked"}
    from_mapping(Settings, {"checked": True, **groups}, file="conf/")
    return True


def _plain(root: DictConfig, key: str) -> Any:
    if OmegaConf.is_missing(root, key):
        return "???"
    value = root[key]
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value


ConfigStore.instance().store(name="schema", node=Settings)
OmegaConf.register_new_resolver("check_settings", check_settings, replace=True)
