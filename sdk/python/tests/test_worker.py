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


if __name__ == "__main__":
    unittest.main()
