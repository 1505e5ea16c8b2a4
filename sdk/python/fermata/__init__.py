"""Fermata: durable workflows. Client of a server, and workers for its tasks."""

from .client import Client, Execution
from .errors import (
    Conflict,
    ExecutionEnded,
    Fatal,
    FermataError,
    NotFound,
    Refused,
    Retryable,
    Unreachable,
)
from .job import Job, LeaseLost
from .worker import Worker

__all__ = [
    "Client",
    "Conflict",
    "Execution",
    "ExecutionEnded",
    "Fatal",
    "FermataError",
    "Job",
    "LeaseLost",
    "NotFound",
    "Refused",
    "Retryable",
    "Unreachable",
    "Worker",
]
