"""Start-up phases, sessions' configurations, and the drop-in of other collectors."""
import asyncio
import json
import os
import sys
import tempfile
import threading
import unittest

import reading

sys.path.insert(0, reading.CLIENT)
from reel import collect_startup_timings, session, startup  # noqa: E402


class Phases(unittest.TestCase):
    def test_nesting(self):
        syncs = []
        with collect_startup_timings(lambda: syncs.append(1)) as outer:
            with startup.phase("component.vae"):
                with startup.phase("vae.construct"):
                    pass
                with collect_startup_timings() as inner:
                    with startup.phase("of the inner"):
                        pass
                with self.assertRaises(ValueError):
                    with startup.phase("vae.finalize"):
                        raise ValueError("no weights")
            with startup.phase("next"):
                pass
        r = outer.to_dict()
        self.assertEqual([(p["id"], p["parent_id"], p["name"], p["status"]) for p in r["phases"]],
                         [(0, None, "component.vae", "success"), (1, 0, "vae.construct", "success"), (2, 0, "vae.finalize", "error"), (3, None, "next", "success")])
        self.assertEqual(r["phases"][2]["error"], "ValueError: no weights")
        self.assertEqual([p["name"] for p in inner.to_dict()["phases"]], ["of the inner"])
        self.assertEqual(len(syncs), 8)
        vae, construct = r["phases"][:2]
        self.assertLessEqual(vae["start_ns"], construct["start_ns"])
        self.assertLessEqual(construct["start_ns"] + construct["duration_ns"], vae["start_ns"] + vae["duration_ns"])
        self.assertLessEqual(vae["start_ns"] + vae["duration_ns"], r["duration_ns"])
        self.assertTrue(r["synchronized"])

    def test_contexts(self):
        """Threads of their own do not see the collector, and tasks begun within do."""
        with collect_startup_timings() as t:
            x = threading.Thread(target=startup.phase("elsewhere")(lambda: None))
            x.start()
            x.join()

            async def main():
                with startup.phase("task"):
                    await asyncio.sleep(0)

            asyncio.run(main())
        with startup.phase("after"):
            pass
        self.assertEqual([p["name"] for p in t.to_dict()["phases"]], ["task"])

    def test_form(self):
        """The report is what schema/startup-1.schema.json says."""
        with open(os.path.join(reading.CLIENT, "..", "schema", "startup-1.schema.json"), encoding="utf-8") as f:
            schema = json.load(f)
        with collect_startup_timings() as t:
            with startup.phase("a"):
                open_report = t.to_dict()
        for r in (open_report, t.to_dict()):
            check(schema, r)
        self.assertEqual(open_report["phases"][0]["status"], "open")


def check(schema, value):
    """What of JSON schema the reports' schemas use of types, requirements and words."""
    types = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "number": (int, float), "null": type(None)}
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else [kinds] if kinds else []:
        names = [kind] if isinstance(kind, str) else kind
        assert isinstance(value, tuple(t for n in names for t in (types[n] if isinstance(types[n], tuple) else (types[n],)))), (schema, value)
    assert value == schema.get("const", value) and value in schema.get("enum", [value]), (schema, value)
    if isinstance(value, dict):
        assert not set(schema.get("required", [])) - set(value), (schema["required"], value)
        for k, v in value.items():
            known = schema.get("properties", {}).get(k)
            assert known is not None or "properties" not in schema, f"{k} is in no schema"
            check(known or schema.get("additionalProperties") or {}, v)
    if isinstance(value, list):
        for v in value:
            check(schema.get("items", {}), v)


class Configs(unittest.TestCase):
    def test_forms(self):
        want = {"profiler": "torch", "torch_profiler_dir": "./perf"}
        self.assertEqual(session.load(want), want)
        self.assertEqual(session.load(json.dumps({"profiler_config": want})), want)
        self.assertEqual(session.load({**want, "max_iterations": None}), want)
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "c.json")
            with open(path, "w") as f:
                json.dump(want, f)
            self.assertEqual(session.load(path), want)

    def test_faults(self):
        for value, reason in (({"with_stack": True}, "with_stack: true: no such field; did you mean torch_profiler_with_stack?"),
                              ({"delay_iterations": -1}, "delay_iterations: -1: want a whole number from 0 (unused) to 1000000"),
                              ({"delay_iterations": True}, "delay_iterations: true: want a whole number"), ({"profiler": "moon"}, "want torch or cuda"),
                              ({"torch_profiler_use_gzip": 1}, "want true or false"), ({"iteration_unit": "loop"}, "want request or step"),
                              ({"profiler": "torch"}, "torch_profiler_dir: must be set"), ("{", "no JSON"), ([], "want an object")):
            with self.assertRaises(session.ConfigError) as e:
                session.load(value)
            self.assertIn(reason, str(e.exception))


if __name__ == "__main__":
    unittest.main()
