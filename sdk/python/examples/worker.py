"""Does a workflow's jobs: stores the workflow, works, starts it and prints the result.

Start a server first (`./dev run`), then: PYTHONPATH=. python3 examples/worker.py
"""

import os
import time

from fermata import Client, Job, Worker

WORKFLOW = {
    "nodes": [
        {"id": "start", "type": "manual", "trigger": True},
        {"id": "charge", "type": "job",
         "parameters": {"topic": "charge", "input": {"amount": "{{ $input.amount }}"}}},
    ],
    "edges": [{"id": "e1", "src": "start", "dst": "charge"}],
    "result": "{{ $charge.output }}",
}

worker = Worker(slots=4)


@worker.task("charge")
def charge(order: dict, job: Job) -> dict:
    print("charging", order["amount"], "attempt", job.attempt, flush=True)
    job.log("asking the bank")
    time.sleep(float(os.environ.get("BANK_SECONDS", "0.2")))
    # Whoever takes the money is given the key: a second attempt must not charge twice.
    return {"charged": order["amount"], "under": job.idempotency_key}


def main() -> None:
    worker.start()
    try:
        with Client() as client:
            client.put_workflow("payment", WORKFLOW)
            print("result:", client.start("payment", {"amount": 12}).result(timeout=60))
    finally:
        worker.stop()


if __name__ == "__main__":
    main()
