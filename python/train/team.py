"""Data-parallel training by a few single-threaded processes on one machine.

On a machine that does other work too, two processes of one thread each are far
faster than one process of two threads, whose barriers wait for each other inside
every operation. The members average their gradients after each step, so each holds
the same weights all the time, and they agree on the share of time that has gone.
"""

import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Team:
    """What a member knows of the others: rank, size, and the clock that member 0 keeps."""

    def __init__(self, rank, size, seconds):
        self.rank, self.size, self.seconds, self.start = rank, size, seconds, time.time()

    def used(self):
        """The share of the time that has gone, by this member's clock."""
        return (time.time() - self.start) / self.seconds

    def average(self, params):
        """Averages the gradients over all members; returns member 0's share of time, the same for all."""
        if self.size == 1:
            return self.used()
        for p in params:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        grads = [p.grad for p in params]
        clock = torch.tensor([self.used() * self.size if self.rank == 0 else 0.0])
        flat = torch.cat([g.flatten() for g in grads] + [clock])
        dist.all_reduce(flat)
        flat /= self.size
        at = 0
        for g in grads:
            g.copy_(flat[at:at + g.numel()].view_as(g))
            at += g.numel()
        return flat[-1].item()


def _member(rank, size, seconds, meeting, work, args):
    torch.set_num_threads(1)
    if size > 1:
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=size)
    work(Team(rank, size, seconds), args)
    if size > 1:
        dist.destroy_process_group()


def launch(work, args, size, seconds):
    """Runs work(team, args) in size processes for about that many seconds; work watches the clock itself."""
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(_member, (size, seconds, f"{folder}/meeting", work, args), nprocs=size)
