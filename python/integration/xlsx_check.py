#!/usr/bin/env python3
"""Checks a workbook of operators with programs that are not Reel's. Exit status 1 when a check fails.

    xlsx_check.py csv EXPECTED GOT   compares a sheet that a spreadsheet program wrote as CSV with the expected cells
    xlsx_check.py read WORKBOOK      reads the workbook with openpyxl, as the scripts of vLLM-Omni's users do
"""

import csv
import math
import re
import sys

SHOWN = 10  # differences printed
COLUMNS = """name count device_type node_id self_cpu_time_total_us cpu_time_total_us self_cuda_time_total_us cuda_time_total_us
    self_xpu_time_total_us xpu_time_total_us self_cpu_memory_usage_bytes cpu_memory_usage_bytes self_cuda_memory_usage_bytes
    cuda_memory_usage_bytes self_xpu_memory_usage_bytes xpu_memory_usage_bytes input_shapes stack overload_name is_async
    is_legacy""".split()
TEXT = {"name", "device_type", "input_shapes", "stack", "overload_name"}
SWITCH = {"is_async", "is_legacy"}


def same(want, got):
    """Spreadsheet programs write switches as words and may round the sixteenth digit."""
    if want == got or (want, got) in {("0", "FALSE"), ("1", "TRUE")}:
        return True
    try:
        return math.isclose(float(want), float(got), rel_tol=1e-12)
    except ValueError:
        return False


def compare(expected, got):
    with open(expected, newline="", encoding="utf-8") as a, open(got, newline="", encoding="utf-8") as b:
        want, have = list(csv.reader(a)), list(csv.reader(b))
    problems = [] if len(want) == len(have) else [f"{len(have)} rows, expected {len(want)}"]
    cells = 0
    for i, (w, h) in enumerate(zip(want, have)):
        if len(w) != len(h):
            problems.append(f"row {i + 1}: {len(h)} cells, expected {len(w)}")
        for k, (x, y) in enumerate(zip(w, h)):
            cells += 1
            if not same(x, y):
                problems.append(f"row {i + 1}, column {k + 1}: {y!r}, expected {x!r}")
    return problems, f"{cells} cells of {len(want)} rows"


def sheet_problems(book, name):
    sheet = book[name]
    rows = list(sheet.iter_rows(values_only=True))
    problems = []
    if list(rows[0][: len(COLUMNS)]) != COLUMNS or not all(str(c).endswith("_percent") for c in rows[0][len(COLUMNS):]):
        problems.append(f"columns {rows[0]}")
    if sheet.freeze_panes != "A2":
        problems.append(f"frozen at {sheet.freeze_panes}")
    filtered = re.fullmatch(r"A1:([A-Z]+)(\d+)", (sheet.auto_filter.ref or "").replace("$", ""))
    if not filtered:
        return problems + [f"filter over {sheet.auto_filter.ref}"]
    data = rows[1 : int(filtered[2])]
    for i, row in enumerate(data):
        for column, value in zip(rows[0], row):
            kind = str if column in TEXT else bool if column in SWITCH else (int, float)
            if value is not None and not isinstance(value, kind):
                problems.append(f"row {i + 2}: {column} is {value!r}")
    for line in sheet.iter_rows():
        problems += [f"{c.coordinate} is a formula: {c.value}" for c in line if c.data_type == "f"]
    order = [row[COLUMNS.index("self_cuda_time_total_us")] or 0 for row in data]
    if order != sorted(order, reverse=True):
        problems.append("not sorted by self device time")
    if [row[0] for row in rows[len(data) + 1 : len(data) + 3]] != [None, "total"]:
        problems.append("no row of totals below an empty one")
    widths = [sheet.column_dimensions[c].width for c in sheet.column_dimensions]
    if len(widths) < len(COLUMNS) or not all(12 <= w <= 80 for w in widths):
        problems.append(f"widths {widths}")
    return [f"{name}: {p}" for p in problems]


def read(path):
    import openpyxl

    problems, what = [], []
    book = openpyxl.load_workbook(path)
    streamed = openpyxl.load_workbook(path, read_only=True, data_only=True)
    if book.sheetnames[0] != "summary" or not set(book.sheetnames) <= {"summary", "by_shape", "by_stack"}:
        problems.append(f"sheets {book.sheetnames}")
    for name in book.sheetnames:
        problems += sheet_problems(book, name)
        # Reading as a stream goes by the dimension that the file states.
        rows = list(streamed[name].iter_rows(values_only=True))
        if rows != list(book[name].iter_rows(values_only=True)):
            problems.append(f"{name}: read as a stream it is another sheet: {len(rows)} rows")
        what.append(f"{name} {len(rows)} rows")
    return problems, ", ".join(what)


def main(args):
    if len(args) == 3 and args[0] == "csv":
        (problems, what), label = compare(args[1], args[2]), args[2].rsplit("/", 1)[-1]
    elif len(args) == 2 and args[0] == "read":
        (problems, what), label = read(args[1]), args[1].rsplit("/", 1)[-1]
    else:
        print(__doc__, file=sys.stderr)
        return 2
    print(f"{'FAIL' if problems else 'ok  '} {args[0]} {label}: {what}")
    for p in problems[:SHOWN]:
        print(f"       {p}")
    if len(problems) > SHOWN:
        print(f"       and {len(problems) - SHOWN} more")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
