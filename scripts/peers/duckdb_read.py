"""Read a trace with DuckDB's read_json and sum the events by category.
Usage: duckdb_read.py TRACE"""

import sys

import duckdb

# The columns are spelled out: left to guess, DuckDB makes a struct of every
# argument name that it meets. The root is one object, so the object limit is
# the whole file.
QUERY = """
with root as (
  select unnest(traceEvents) as e from read_json($path,
    format = 'unstructured', records = true,
    maximum_object_size = 2147483647,
    columns = {traceEvents: 'STRUCT(ph VARCHAR, cat VARCHAR, name VARCHAR,
      pid VARCHAR, tid VARCHAR, ts VARCHAR, dur DOUBLE, args JSON)[]'}))
select e.cat, count(*), sum(e.dur) from root group by all order by all
"""


def main(path):
    for row in duckdb.execute(QUERY, {"path": path}).fetchall():
        print(*row)


main(sys.argv[1])
