"""Compares reel lint with a list of denoise loops that was made in another way.

    lint-reference.py REEL FOLDER     (the diffusers package, as a rule)

The list is made of the text alone, without a parser: each line that calls a scheduler's
step… and the nearest "for" or "while" above it that is indented less, within the same
function. reel lint parses the sources instead. Recall is the share of the list that
reel lint finds; a loop over views or parts within one over time steps counts as found
when the outer one is. Exit code 1 when recall is under 95 %.

Checked by hand on diffusers 0.42.1: the places that only reel lint has are the loops of
modular pipelines (loop_step), inversions that call the UNet without a step, and a
diffusion decoder; 30 places drawn at random from its list were all denoise loops.
"""

import json
import os
import re
import subprocess
import sys

CALL = re.compile(r"(scheduler|solver)\w*(\[[^\]]*\])?\.step\w*\(")


def enclosing(lines, at):
    """The loops around a line, innermost first, up to the function's head."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    for j in range(at - 1, -1, -1):
        text = lines[j].strip()
        if not text or text.startswith("#"):
            continue
        here = len(lines[j]) - len(lines[j].lstrip())
        if here >= indent:
            continue
        indent = here
        if re.match(r"(for|while)\b", text):
            yield j + 1
        if re.match(r"(def|class|async def)\b", text):
            return


def listed(root):
    """{(file, line of the innermost loop): lines of all loops around the call}"""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.endswith(".py") or name.startswith("test_"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as f:
                lines = f.read().split("\n")
            doc = False
            for i, line in enumerate(lines):
                if line.count('"""') % 2:
                    doc = not doc
                    continue
                if doc or line.strip().startswith("#") or "def " in line or not CALL.search(line):
                    continue
                around = list(enclosing(lines, i))
                if around:
                    found[path, around[0]] = around
    return found


def main():
    reel, root = sys.argv[1:3]
    out = subprocess.run([reel, "lint", "--json", root], capture_output=True, text=True)
    if out.returncode not in (0, 3):
        sys.exit(out.stderr)
    hits = {(p["file"], p["line"]) for p in json.loads(out.stdout)["places"]}
    reference = listed(root)
    missed = [k for k, around in reference.items() if not any((k[0], line) in hits for line in around)]
    only = [h for h in hits if not any(h[0] == k[0] and h[1] in around for k, around in reference.items())]
    recall = 1 - len(missed) / max(1, len(reference))
    print(f"{len(reference)} loops in the list, {len(hits)} found by reel lint; recall {100 * recall:.1f} %, {len(only)} places only reel lint has")
    for path, line in missed:
        print(f"  missed: {os.path.relpath(path, root)}:{line}")
    sys.exit(recall < 0.95)


main()
