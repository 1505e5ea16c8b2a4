from __future__ import annotations

import threading
import time
import unittest

from fermata import Client, Conflict, ExecutionEnded, NotFound, Refused, Unreachable

from .server import Server, free_port


def graph(*nodes, edges):
    return {
        "nodes": [{"id": "t", "type": "manual", "trigger": True}, *nodes],
        "edges": [{"id": f"e{i}", "src": a, "dst": b} for i, (a, b) in enumerate(edges)],
    }


ADD = graph(
    {"id": "sum", "type": "code", "parameters": {"source": "return $input.a + $input.b"}},
    edges=[("t", "sum")],
)
ASK = graph(
    {"id": "ask", "type": "wait_for_signal", "parameters": {"name": "answer"}},
    edges=[("t", "ask")],
)
PAUSE = graph(
    {"id": "rest", "type": "wait", "parameters": {"amount": 2, "unit": "seconds"}},
    {"id": "done", "type": "code", "parameters": {"source": "return 'rested'"}},
    edges=[("t", "rest"), ("rest", "done")],
)
BREAK = graph(
    {"id": "no", "type": "fail", "parameters": {"code": "broken", "message": "on purpose"}},
    edges=[("t", "no")],
)


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.server.start()
        cls.client = Client(cls.server.url)
        for name, definition in (("add", ADD), ("ask", ASK), ("pause", PAUSE), ("break", BREAK)):
            cls.client.put_workflow(name, definition)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.stop()

    def test_the_result_of_an_execution_is_its_output(self):
        self.assertEqual(self.client.start("add", {"a": 1, "b": 2}).result(10)["sum"]["result"], 3)

    def test_an_execution_that_fails_raises_what_it_failed_with(self):
        with self.assertRaises(ExecutionEnded) as caught:
            self.client.start("break").result(10)
        self.assertEqual(caught.exception.status, "failed")
        self.assertEqual(caught.exception.code, "broken")

    def test_a_signal_reaches_an_execution_once(self):
        execution = self.client.start("ask")
        execution.signal("answer", {"yes": True}, signal_id="s1")
        self.assertEqual(execution.result(10)["ask"]["payload"], {"yes": True})

    def test_the_same_key_gives_the_same_execution(self):
        first = self.client.start("add", {"a": 1, "b": 1}, idempotency_key="k")
        again = self.client.start("add", {"a": 1, "b": 1}, idempotency_key="k")
        self.assertEqual(first.id, again.id)
        with self.assertRaises(Conflict) as caught:
            self.client.start("add", {"a": 2, "b": 2}, idempotency_key="k")
        self.assertEqual(caught.exception.code, "idempotency_key_reused")

    def test_cancel_ends_it(self):
        execution = self.client.start("ask")
        execution.cancel("no longer needed")
        with self.assertRaises(ExecutionEnded) as caught:
            execution.result(10)
        self.assertEqual(caught.exception.status, "cancelled")

    def test_what_was_started_is_listed_page_by_page(self):
        started = {self.client.start("add", {"a": i, "b": 0}, labels={"batch": "list"}).id
                   for i in range(5)}
        listed = {one["id"] for one in self.client.executions(label="batch=list", limit=2)}
        self.assertEqual(listed, started)

    def test_history_begins_with_the_start(self):
        execution = self.client.start("add", {"a": 1, "b": 2})
        execution.result(10)
        self.assertEqual(execution.history()[0]["type"], "RunStarted")

    def test_what_does_not_exist_and_what_is_wrong_are_told_apart(self):
        with self.assertRaises(NotFound):
            self.client.execution("nobody").get()
        with self.assertRaises(Refused) as caught:
            self.client.put_workflow("bad", {"nodes": [], "edges": []})
        self.assertEqual(caught.exception.status, 422)
        self.assertTrue(caught.exception.errors)

    def test_a_result_that_is_late_is_a_timeout(self):
        with self.assertRaises(TimeoutError):
            self.client.start("ask").result(0.3)

    def test_nobody_there_is_unreachable(self):
        with Client(f"http://127.0.0.1:{free_port()}", patience=0.2) as nobody:
            with self.assertRaises(Unreachable):
                nobody.start("add")

    def test_threads_that_have_ended_leave_no_connection_behind(self):
        with Client(self.server.url) as client:
            for _ in range(5):
                thread = threading.Thread(target=lambda: client.start("add", {"a": 1, "b": 1}))
                thread.start()
                thread.join()
            self.assertEqual(len(client._http._opened), 1)
        self.assertEqual(len(client._http._opened), 0)

    def test_a_client_that_was_closed_may_be_used_again(self):
        client = Client(self.server.url)
        execution = client.start("ask")
        client.close()
        self.assertEqual(execution.get()["id"], execution.id)
        client.close()


class RestartTest(unittest.TestCase):
    def test_a_server_that_is_killed_and_started_again_loses_nothing(self):
        server = Server()
        server.start()
        client = Client(server.url)
        try:
            client.put_workflow("pause", PAUSE)
            execution = client.start("pause")
            results = []
            waiter = threading.Thread(target=lambda: results.append(execution.result(30)))
            waiter.start()
            time.sleep(0.3)
            server.kill()
            starter = threading.Thread(
                target=lambda: results.append(client.start("pause").result(30)))
            starter.start()
            time.sleep(0.3)
            server.start()
            waiter.join(40)
            starter.join(40)
            self.assertEqual([r["done"]["result"] for r in results], ["rested", "rested"])
        finally:
            client.close()
            server.stop()


if __name__ == "__main__":
    unittest.main()
