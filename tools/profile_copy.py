"""A profile's whole pipeline from nothing, in a copy: `python -m tools.profile_copy smoke [key=value ...]`."""

import subprocess
import sys

from tools import copies, summary


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    profile, *overrides = sys.argv[1:]
    target = copies.COPIES / profile
    print(f"Profile {profile} runs in {target}; params.yaml and models/ of this checkout stay as they are.", flush=True)
    try:
        copies.copy_working_tree(target)
        copies.compose(target, [f"profile={profile}", *overrides])
        copies.reproduce(target)
    except subprocess.CalledProcessError as error:
        return error.returncode
    summary.tell(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
