#!/usr/bin/env python3
"""Writes job_request_hash.json: requests of jobs and the hash each of them has (J-3, J-4).

An implementation of its own, so that the program is not compared with itself. Hashes that were
released never change: a vector is only ever added.

Usage: test/golden/job_request_hash.py > test/golden/job_request_hash.json
"""
import hashlib
import json

INTEGER_MAX = 2**63 - 1
RETRY = {"max_attempts": 1, "backoff_ms": 1000, "multiplier": 2, "max_backoff_ms": 60000,
         "jitter": 0.1, "retry_on": ["any"]}
KEPT = ["capability", "pack_id", "principal_id", "run_timeout_ms", "start_timeout_ms",
        "queue_timeout_ms", "concurrency", "adapter_id", "memory_id"]


def number(value):
    """The shortest digits that read back the same, laid out as ECMAScript does."""
    if value == 0:
        return "0"
    sign, value = ("-", -value) if value < 0 else ("", value)
    mantissa, _, exponent = f"{value!r}e0".partition("e")
    exponent = int(exponent.split("e")[0])
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction if fraction != "0" else ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + exponent - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    count = len(digits)
    if point > 21 or point <= -6:
        rest = "." + digits[1:] if count > 1 else ""
        power = point - 1
        return f"{sign}{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power)}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= count:
        return sign + digits + "0" * (point - count)
    return f"{sign}{digits[:point]}.{digits[point:]}"


def canonical(value):
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int):
        return str(value) if abs(value) <= INTEGER_MAX else number(float(value))
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    members = (f"{canonical(key)}:{canonical(value[key])}" for key in sorted(value))
    return "{" + ",".join(members) + "}"


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def facts(values):
    return sorted({value.lower() for value in values})


def topic(name):
    return name if name.startswith("job.") else "job." + name


def compensation(body):
    out = {"topic": topic(body["topic"]), "when": body.get("when", "succeeded")}
    if "input" in body:
        out["input_sha256"] = sha256(canonical(body["input"]))
    for name in ("labels", "env", "budget", "idempotency_key"):
        if body.get(name):
            out[name] = body[name]
    if body.get("capability"):
        out["capability"] = body["capability"].lower()
    for name in ("risk_tags", "requires"):
        if body.get(name):
            out[name] = facts(body[name])
    if body.get("retry") is not None:
        out["retry"] = {**RETRY, **body["retry"]}
    return out


def asked(vector):
    body, step = vector["body"], vector.get("step", {})
    out = {"account_id": vector["account_id"], "topic": topic(body["topic"]),
           "input_sha256": sha256(canonical(body.get("input"))),
           "priority": body.get("priority", "interactive"),
           "actor": {"type": "service", **body.get("actor", vector["owner"])}}
    for name in KEPT:
        if body.get(name) not in (None, ""):
            out[name] = body[name]
    if "capability" in out:
        out["capability"] = out["capability"].lower()
    for name in ("labels", "env", "budget"):
        if body.get(name):
            out[name] = body[name]
    for name in ("risk_tags", "requires"):
        if body.get(name):
            out[name] = facts(body[name])
    if body.get("retry") is not None:
        out["retry"] = {**RETRY, **body["retry"]}
    if "compensation" in body:
        out["compensation"] = compensation(body["compensation"])
    out.update({name: step[name] for name in ("workflow_id", "definition_hash", "step_id")
                if step.get(name)})
    return out


def vector(name, body, **others):
    made = {"name": name, "account_id": "acme", "owner": {"id": "ann", "type": "human"},
            "body": body, **others}
    text = canonical(asked(made))
    return {**made, "canonical": text, "hash": sha256("fermata.job.v1\n" + text)}


def vectors():
    plain = {"topic": "job.mail.send", "input": {"to": "a@example.org"}}
    yield vector("a topic alone", {"topic": "resize"})
    yield vector("a bare name lies under job", {"topic": "job.resize"})
    yield vector("an input", plain)
    yield vector("keys of the input in another order",
                 {"topic": "x", "input": {"z": 1, "a": {"é": 1, "b": 2, "😀": 3, "￿": 4}}})
    yield vector("numbers of the input",
                 {"topic": "x", "input": [0, -0.0, 1.0, 1e21, 1e-7, 0.1, 123456789012345680000,
                                          9223372036854775807, -9223372036854775808, 5e-324]})
    yield vector("escapes of the input",
                 {"topic": "x", "input": "\"\\/\b\f\n\r\t\u0001\u007f\u2028é😀"})
    yield vector("a null input is no input", {"topic": "x", "input": None})
    yield vector("what does not count",
                 {**plain, "id": "mine", "idempotency_key": "k", "traceparent": "00-1",
                  "parent_job_id": "p", "saga_id": "s", "labels": {}, "env": {}})
    yield vector("priority", {**plain, "priority": "critical"})
    yield vector("labels and environment",
                 {**plain, "labels": {"team": "red", "a": "b"}, "env": {"REGION": "eu"}})
    yield vector("facts in any order and case",
                 {**plain, "capability": "GPU", "risk_tags": ["money", "EU", "Money"],
                  "requires": ["pci", "a"], "pack_id": "pack"})
    yield vector("an actor and a principal",
                 {**plain, "actor": {"id": "robot"}, "principal_id": "p-1"})
    yield vector("a budget", {**plain, "budget": {"deadline_ms": 60000, "max_cost_micros": 5}})
    yield vector("timeouts", {**plain, "run_timeout_ms": 0, "start_timeout_ms": 1,
                              "queue_timeout_ms": 900000})
    yield vector("a retry policy with its defaults", {**plain, "retry": {}})
    yield vector("a retry policy",
                 {**plain, "retry": {"max_attempts": 5, "backoff_ms": 10, "multiplier": 1.5,
                                     "max_backoff_ms": 100, "jitter": 0, "retry_on": ["network"]}})
    yield vector("concurrency, adapter and memory",
                 {**plain, "concurrency": {"key": "erp", "limit": 2}, "adapter_id": "ad",
                  "memory_id": "me"})
    yield vector("a compensation",
                 {**plain, "compensation": {"topic": "refund", "input": {"all": True},
                                            "labels": {"l": "m"}, "env": {"E": "f"},
                                            "budget": {"deadline_ms": 5}, "capability": "C",
                                            "risk_tags": ["B", "a"], "requires": ["y"],
                                            "retry": {"max_attempts": 3},
                                            "idempotency_key": "ck", "when": "dispatched"}})
    yield vector("a step of a run", plain,
                 step={"run_id": "run-1", "workflow_id": "order",
                       "definition_hash": "ab" * 32, "step_id": "charge", "step_index": 3})
    yield vector("another account", plain, account_id="other")


if __name__ == "__main__":
    print(json.dumps(list(vectors()), ensure_ascii=True, indent=1))
