"""Load a trace with the standard library's json. Usage: json_load.py TRACE"""

import gzip
import json
import sys


def main(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as f:
        root = json.load(f)
    events = root["traceEvents"] if isinstance(root, dict) else root
    print(len(events))


main(sys.argv[1])
