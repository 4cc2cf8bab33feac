"""A profile's whole pipeline from nothing, in a copy: `python -m tools.profile_copy smoke [key=value ...]`."""

import subprocess
import sys

from tools import copies, params, summary


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    profile, *overrides = sys.argv[1:]
    target = copies.COPIES / profile
    settings = [f"profile={profile}", *overrides]
    try:
        params.compose(settings)
    except params.DOES_NOT_COMPOSE as error:
        print(f"conf/ does not compose: {error}", file=sys.stderr)
        return 1
    print(f"Profile {profile} runs in {target}; params.yaml and models/ of this checkout stay as they are.", flush=True)
    try:
        copies.copy_working_tree(target)
        copies.compose(target, settings)
        copies.reproduce(target)
    except subprocess.CalledProcessError as error:
        return error.returncode
    summary.tell(target)
    print(f"\nAll this lies in {target.relative_to(copies.ROOT)}/, and is of the profile {profile}.")
    if profile == "smoke":
        print("It shows that everything runs. Training took seconds, so its opponents are weak and gates fail.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
