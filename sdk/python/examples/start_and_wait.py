"""Stores a small workflow, starts it, approves it and prints the result.

Start a server first (`./dev run`), then: PYTHONPATH=. python3 examples/start_and_wait.py
"""

from fermata import Client

WORKFLOW = {
    "nodes": [
        {"id": "start", "type": "manual", "trigger": True},
        {"id": "ask", "type": "wait_for_signal", "parameters": {"name": "approve"}},
        {"id": "answer", "type": "code",
         "parameters": {"source": "return { order: $input.order, approved: $ask.payload.ok }"}},
    ],
    "edges": [
        {"id": "e1", "src": "start", "dst": "ask"},
        {"id": "e2", "src": "ask", "dst": "answer"},
    ],
}


def main() -> None:
    with Client() as client:
        client.put_workflow("approval", WORKFLOW)
        execution = client.start("approval", {"order": 17})
        print("waiting for:", execution.get()["waiting"])
        execution.signal("approve", {"ok": True})
        print("result:", execution.result(timeout=30))


if __name__ == "__main__":
    main()
