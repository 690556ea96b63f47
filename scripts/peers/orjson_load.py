"""Load a trace with orjson. Usage: orjson_load.py TRACE"""

import gzip
import sys

import orjson


def main(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as f:
        root = orjson.loads(f.read())
    events = root["traceEvents"] if isinstance(root, dict) else root
    print(len(events))


main(sys.argv[1])
