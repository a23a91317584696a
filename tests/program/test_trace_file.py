# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""`meander run --trace FILE`: rows for threads, queues and messages of all ranks, and events that nest."""
import collections
import json
import os
import pathlib
import unittest

from programs import SMALL, ProgramTest

# Devices and threads share the enclaves.
OFFLOAD = ["--set", "offload.device=host:1", "--set", "offload.batch=4", "--set", "offload.split=fixed", "--set",
           "offload.device-share=0.5", "--set", "mesh.min-level=3", "--set", "time.max-steps=6"]


def overlap(first, second):
    """Microseconds that events of the one kind and of the other last at the same time."""
    return sum(max(0, min(a[2], b[2]) - max(a[1], b[1])) for a in first for b in second)


class TraceFile(ProgramTest):
    def trace(self, ranks, *arguments, threads="1"):
        """{(process, row title): [(name, begin, end, value)]}, times in us."""
        path = self.path("trace.json")
        small = [threads if word == "1" else word for word in SMALL]
        log = self.run_to_end(ranks, "run", *small, "--set", "mesh.regrid-every=4", "--output", self.path("out"), "--trace", path, *arguments)
        self.assertIn("trace: ", log)
        with open(path, encoding="utf-8") as file:
            self.whole = json.load(file)
        events = self.whole["traceEvents"]
        titles = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        rows = collections.defaultdict(list)
        for event in events:
            self.assertIn(event["ph"], "MX")
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                rows[event["pid"], titles[event["pid"], event["tid"]]].append(
                    (event["name"], event["ts"], event["ts"] + event["dur"], event.get("args", {}).get("value")))
        return rows

    def assert_nested(self, rows):
        """No two events of a row overlap in part."""
        for title, events in rows.items():
            ends = []
            for name, begin, end, _ in sorted(events, key=lambda e: (e[1], -e[2])):
                while ends and ends[-1] <= begin + 1e-3:
                    ends.pop()
                if ends:
                    self.assertLessEqual(end, ends[-1] + 2e-3, f"{name} in {title}")
                ends.append(end)

    def names(self, rows, process, part):
        return {event[0] for (pid, title), events in rows.items() if pid == process and part in title
                for event in events}

    def of(self, rows, process, part, name):
        return [event for (pid, title), events in rows.items() if pid == process and part in title
                for event in events if event[0] == name]

    def test_rows_of_two_ranks(self):
        rows = self.trace(2, *OFFLOAD, threads="2")
        self.assert_nested(rows)
        for rank in (0, 1):
            self.assertLessEqual({"skeletons", "traversal", "enclaves", "enclave batch", "complete batch", "fill halos", "step", "regrid",
                                  "output", "wait for halos", "wait for reduction"}, self.names(rows, rank, "thread"))
            self.assertEqual({"copy in", "update", "copy out"}, self.names(rows, rank, "host:0 queue"))
            self.assertIn("halos", self.names(rows, rank, f"messages from rank {1 - rank}"))
        # The work of the queues belongs to batches that threads have started.
        started = {event[3] for (pid, title), events in rows.items() if pid == 0 and "thread" in title
                   for event in events if event[0] == "enclave batch"}
        queued = {event[3] for (pid, title), events in rows.items() if pid == 0 and "queue" in title for event in events}
        self.assertEqual(started, queued)
        steps = [event[3] for event in rows[0, "thread 0 (main)"] if event[0] == "step"]
        self.assertEqual(steps, [1, 2, 3, 4, 5, 6])
        with open(self.path("out/summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        for key in ("messages_hidden_share", "messages_behind_batches_share", "offload_batches_hidden_share"):
            self.assertTrue(0 < summary[key] <= 1, (key, summary[key]))
        # While halos travel, threads and queues update enclaves: on one rank at least, since no rank waits for both.
        for where, name in (("thread", "enclaves"), ("host:0 queue", "update")):
            self.assertGreater(sum(overlap(self.of(rows, rank, "messages from", "halos"), self.of(rows, rank, where, name))
                                   for rank in (0, 1)), 0, where)

    def test_alone_and_without_devices(self):
        rows = self.trace(0, "--set", "time.max-steps=3")
        self.assert_nested(rows)
        self.assertEqual(set(rows), {(0, "thread 0 (main)")})

    def test_too_much_is_noted(self):
        rows = self.trace(0, "--set", "time.max-steps=9400", "--set", "mesh.max-level=1", "--set", "output.plot-every=0",
                          "--set", "time.max-dt=1e-7", "--set", "output.history-steps=10000")
        self.assertEqual(len(rows[0, "thread 0 (main)"]), 65536)
        self.assertIn("events are missing", self.whole["otherData"]["note"])

    def test_file_that_cannot_be_written(self):
        log = self.run_to_end(2, "run", *SMALL, "--output", self.path("out"), "--trace", "/nowhere/trace.json", code=2)
        self.assertIn("--trace: cannot write the trace /nowhere/trace.json: No such file", log)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_other_files_are_left_alone(self):
        inside = self.path("out/trace.json")
        self.run_to_end(2, "run", *SMALL, "--output", self.path("out"), "--trace", inside, "--set", "time.max-steps=3")
        checkpoint = self.path("out/chk_000003.hdf5")
        def contents(*names):
            return [pathlib.Path(name).read_bytes() for name in names]
        before = contents(checkpoint, inside)
        log = self.run_to_end(2, "restart", checkpoint, "--trace", checkpoint, code=2)
        self.assertIn("chk_000003.hdf5: exists and holds no trace; choose another file", log)
        self.run_to_end(2, "restart", checkpoint, "--trace", inside, "--set", "mesh.patch-size=7", code=2)
        self.run_to_end(2, "restart", checkpoint, "--trace", self.path("new"), "--set", "mesh.patch-size=7", code=2)
        self.assertFalse(os.path.exists(self.path("new")))
        self.assertEqual(contents(checkpoint, inside), before)


if __name__ == "__main__":
    unittest.main()
