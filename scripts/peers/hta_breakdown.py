"""Load a folder holding one trace with HolisticTraceAnalysis and compute its
temporal breakdown: the peer job of `reel summary`. Usage: hta_breakdown.py TRACE"""

import logging
import os
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")


def main(path):
    with tempfile.TemporaryDirectory() as folder:
        # HTA reads a folder of traces; a link spares the copy.
        os.symlink(os.path.abspath(path), os.path.join(folder, os.path.basename(path)))
        from hta.trace_analysis import TraceAnalysis

        logging.disable(logging.WARNING)
        analysis = TraceAnalysis(trace_dir=folder)
        table = analysis.get_temporal_breakdown(visualize=False)
        print(table.to_string())


main(sys.argv[1])
