"""Rows for asyncio tasks: tasks take turns within a thread, so that their ranges would not
nest there. A task has a row of its own while it has ranges open; rows are used again.
"""
from __future__ import annotations

import sys
import weakref
from typing import Any, List

from ._file import LOGICAL, File, Handle


def task() -> Any:
    """The task that runs in the loop of this thread; None outside of one."""
    try:
        return sys.modules["asyncio"].current_task()
    except Exception:
        return None


class Row:
    """A row of the recording that an asyncio task has while it has ranges open: tasks
    take turns within a thread, so their ranges would not nest there."""

    __slots__ = ("handle", "depth", "task", "rows")

    def __init__(self, handle: Handle, rows: "Rows"):
        self.handle, self.depth, self.rows, self.task = handle, 0, rows, None

    def leave(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.rows.free.append(self)
            if self.task is not None:
                self.rows.taken.pop(self.task, None)
            self.task = None


class Rows:
    def __init__(self) -> None:
        self.free: "List[Row]" = []
        self.taken: Any = weakref.WeakKeyDictionary()
        self.made = 0


rows = Rows()


def take(file: File, task: Any) -> "tuple[Row, Handle]":
    """The row of a task, for one more range."""
    row = rows.taken.get(task)
    if row is None or row.handle.file is not file:
        row = None
        while rows.free and row is None:
            row = rows.free.pop()
            if row.handle.file is not file:
                row = None
        if row is None:
            rows.made += 1
            label = f"asyncio {rows.made}"
            row = Row(Handle(file, label, LOGICAL, label=label), rows)
        row.task = task
        rows.taken[task] = row
    row.depth += 1
    return row, row.handle
