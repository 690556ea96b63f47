"""Read Parquet tables with DuckDB and pyarrow, whichever is there, and compare
them with `reel summary --json` of the same input.
Usage: export_parquet.py FOLDER SUMMARY.json"""

import json
import os
import sys

BUSY = """
with work as (
  select start_ns as s, start_ns + dur_ns as e from '{0}/activities.parquet'
  where rank = {1} and class in ('kernel', 'copy', 'set', 'work')),
run as (select s, e, max(e) over (order by s, e rows between unbounded preceding and 1 preceding) as before from work)
select count(*), coalesce(sum(greatest(e - greatest(s, coalesce(before, s)), 0)), 0)::bigint,
  coalesce(max(e) - min(s), 0) from run
"""
STEPS = """
select request, loop, step, count(*) from '{0}/activities.parquet'
where rank = {1} and step is not null and class in ('kernel', 'copy', 'set', 'work') group by all order by all
"""
LAUNCHES = """
select (select coalesce(sum(activities), 0) from '{0}/launches.parquet' where rank = {1}),
  (select count(*) from '{0}/activities.parquet' where rank = {1} and launch is not null
    and class in ('kernel', 'copy', 'set', 'work')),
  (select count(*) from '{0}/launches.parquet' l anti join '{0}/ranges.parquet' r using (rank, id) where rank = {1}),
  (select count(*) from '{0}/ranges.parquet' c join '{0}/ranges.parquet' p on c.rank = p.rank and c.parent = p.id
    where c.rank = {1} and c.start_ns < p.start_ns)
"""


def check(what, got, want):
    if got != want:
        sys.exit(f"parquet: {what}: {got}, want {want}")


def duck(folder, ranks):
    import duckdb

    for r in ranks:
        name, gpu, links = f"rank {r['rank']}", r.get("gpu", {}), r["links"]
        one = lambda q: duckdb.sql(q.format(folder, r["rank"])).fetchall()
        check(f"{name}: activities, busy and span", one(BUSY), [tuple(gpu.get(k, 0) for k in ("activities", "busy_ns", "span_ns"))])
        if all(s["evidence"] != "pattern" for s in r["steps"]):
            check(f"{name}: activities by step", one(STEPS),
                  [(s["request"], s["loop"], s["index"], s["activities"]) for s in r["steps"] if s["activities"]])
        check(f"{name}: launches, orphans, children before their parent", one(LAUNCHES), [(links["by_launch"], links["by_launch"], 0, 0)])
        derived = dict(one("select kind, count(*) from '{0}/derived.parquet' where rank = {1} group by kind"))
        want = {"request": len(r["requests"]), "stage": sum("steps" not in s for s in r["stages"]), "step": len(r["steps"])}
        check(f"{name}: derived", derived, {k: v for k, v in want.items() if v})
    return "DuckDB " + duckdb.__version__


def arrow(folder, ranks):
    import pyarrow
    import pyarrow.parquet as pq

    for table in ("ranges", "activities", "launches", "derived"):
        f = pq.ParquetFile(os.path.join(folder, table + ".parquet"))
        for i in range(f.num_row_groups):
            g = f.read_row_group(i)
            check(f"{table}: ranks in row group {i}", len(set(g.column("rank").to_pylist())), 1)
        check(f"{table}: clock", f.schema_arrow.metadata[b"clock"] in (b"unix", b"trace"), True)
        rows = f.read()
        rows.validate(full=True)
        if table == "activities":
            work = sum(c in ("kernel", "copy", "set", "work") for c in rows.column("class").to_pylist())
            check("activities", work, sum(r.get("gpu", {}).get("activities", 0) for r in ranks))
    return "pyarrow " + pyarrow.__version__


def main(folder, summary):
    with open(summary) as f:
        ranks = json.load(f)["ranks"]
    said = []
    for reader in (duck, arrow):
        try:
            said.append(reader(folder, ranks))
        except ImportError as e:
            print(f"parquet: skipped: {e}")
    if said:
        print(f"parquet: {' and '.join(said)} read it, and find what the summary says")


main(*sys.argv[1:])
