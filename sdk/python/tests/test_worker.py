from __future__ import annotations

import asyncio
import threading
import time
import unittest

from fermata import Client, ExecutionEnded, Fatal, Retryable, Worker

from .server import Server


def one_job(topic, **more):
    return {
        "nodes": [
            {"id": "t", "type": "manual", "trigger": True},
            {"id": "j", "type": "job",
             "parameters": {"topic": topic, "input": {"n": "{{ $input.n }}"}}, **more},
        ],
        "edges": [{"id": "e", "src": "t", "dst": "j"}],
        "result": "{{ $j.output }}",
    }


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


class WorkerTest(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.server.start()
        self.client = Client(self.server.url)
        self.worker = Worker(slots=4, server=self.server.url)
        self.addCleanup(self.server.stop)
        self.addCleanup(self.client.close)
        self.addCleanup(lambda: self.worker.stop(5))

    def run_job(self, topic, n=1, **more):
        self.client.put_workflow(topic, one_job(topic, **more))
        return self.client.start(topic, {"n": n})

    def test_plain_and_async_tasks_give_results(self):
        @self.worker.task("double")
        def double(given, job):
            return given["n"] * 2

        @self.worker.task("triple")
        async def triple(given, job):
            await asyncio.sleep(0.01)
            return given["n"] * 3

        self.worker.start()
        self.assertEqual(self.run_job("double", 21).result(20), 42)
        self.assertEqual(self.run_job("triple", 5).result(20), 15)

    def test_a_retryable_failure_is_tried_again_under_the_same_key(self):
        keys = []

        @self.worker.task("shaky")
        def shaky(given, job):
            keys.append(job.idempotency_key)
            if job.attempt < 2:
                raise Retryable("not yet")
            return job.attempt

        self.worker.start()
        self.assertEqual(self.run_job("shaky").result(30), 2)
        self.assertEqual(len(keys), 2)
        self.assertEqual(keys[0], keys[1])

    def test_failures_end_the_execution_with_what_the_task_raised(self):
        @self.worker.task("fatal")
        def fatal(given, job):
            raise Fatal("never again", code="over")

        @self.worker.task("plain")
        def plain(given, job):
            raise ValueError("wrong")

        self.worker.start()
        with self.assertRaises(ExecutionEnded) as caught:
            self.run_job("fatal").result(20)
        self.assertEqual(caught.exception.status, "failed")
        self.assertIn("never again", str(caught.exception.execution))
        with self.assertRaises(ExecutionEnded) as caught:
            self.run_job("plain").result(20)
        self.assertIn("wrong", str(caught.exception.execution))

    def test_a_cancelled_execution_tells_the_task(self):
        begun, told = threading.Event(), threading.Event()

        @self.worker.task("long")
        def long(given, job):
            begun.set()
            if job.cancelled.wait(25):
                told.set()

        self.worker.start()
        execution = self.run_job("long")
        self.assertTrue(begun.wait(20))
        execution.cancel("enough")
        self.assertTrue(told.wait(25))

    def test_a_job_under_way_outlives_the_server(self):
        begun, go = threading.Event(), threading.Event()

        @self.worker.task("slow")
        def slow(given, job):
            begun.set()
            go.wait(20)
            return job.attempt

        self.worker.start()
        execution = self.run_job("slow")
        self.assertTrue(begun.wait(20))
        self.server.kill()
        self.server.start()
        go.set()
        self.assertEqual(execution.result(60), 1)

    def test_a_stopped_worker_finishes_what_it_has(self):
        begun = threading.Event()

        @self.worker.task("nap")
        def nap(given, job):
            begun.set()
            time.sleep(0.5)
            return "rested"

        self.worker.start()
        execution = self.run_job("nap")
        self.assertTrue(begun.wait(20))
        self.worker.stop(20)
        self.assertEqual(execution.result(20), "rested")

    def test_results_that_cannot_be_told_fail_their_job_and_no_other(self):
        answers = {"words": object(), "large": "x" * (5 << 20), "halves": "\udcff", "fine": 7,
                   "nested": nested(130)}
        answers["deep"] = nested(100_000)
        for name, answer in answers.items():
            self.worker.task(name)(lambda given, job, answer=answer: answer)

        @self.worker.task("long")
        def long(given, job):
            raise Retryable("no", details="x" * 500_000)

        self.worker.start()
        self.client.put_flow("codes", """
            try { return await Task.run(Inputs.topic) } catch (e) { return e.cause.code }
        """)
        codes = {name: self.client.start("codes", {"topic": name}).result(30)
                 for name in [*answers, "long"]}
        self.assertEqual(codes, {
            "words": "output_not_json", "large": "result_too_large", "halves": "output_not_json",
            "deep": "output_not_json", "nested": "invalid_result", "long": "invalid_result",
            "fine": 7})
        self.assertIsNone(self.worker.failure)

    def test_an_output_larger_than_a_request_is_put_aside(self):
        self.worker.task("large")(lambda given, job: "é" * (3 << 19))

        @self.worker.task("large.later")
        async def later(given, job):
            return "x" * (4_000_000)

        self.worker.start()
        self.assertEqual(self.run_job("large").result(30), "é" * (3 << 19))
        self.assertEqual(len(self.run_job("large.later").result(30)), 4_000_000)

    def test_a_worker_whose_id_another_takes_ends(self):
        other = Worker(slots=1, server=self.server.url, worker_id=self.worker.worker_id)
        self.addCleanup(lambda: other.stop(5))
        for worker in (self.worker, other):
            worker.task("who")(lambda given, job, worker=worker: worker is other)
        ended = []
        self.worker.start()
        other.start()
        waiting = threading.Thread(target=lambda: ended.append(self.worker._stopping.wait(30)))
        waiting.start()
        waiting.join(30)
        self.assertEqual(ended, [True])
        self.assertEqual(self.worker.failure.code, "registration_replaced")
        self.assertTrue(self.run_job("who").result(20))
        self.assertIsNone(other.failure)

    def test_more_slots_than_a_claim_may_ask_for(self):
        worker = Worker(slots=300, server=self.server.url)
        self.addCleanup(lambda: worker.stop(5))
        worker.task("many")(lambda given, job: given["n"])
        worker.start()
        self.assertEqual(self.run_job("many", 4).result(20), 4)


if __name__ == "__main__":
    unittest.main()
