"""A pipeline that ends in the middle of its third step, as the first argument says."""
import os
import signal
import sys

import tiny

pipe, call = tiny.video_pipeline()
how = sys.argv[1]


def third(pipe, i, t, values):
    if i == 2 and how == "exception":
        raise ValueError("in the loop")
    if i == 2 and how == "memory":
        raise MemoryError("simulated: out of memory")
    if i == 2 and how == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    if i == 2 and how == "exit":
        os._exit(7)
    if i == 2 and how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return values


pipe(**call, callback_on_step_end=third)
