// Questions to people: of runs, and of jobs that policy stopped (U-42).

import type { Job, Json, JsonObject } from './types.ts';
import { approvals as w } from '../words/approvals.ts';

export interface Approval {
  id: string;
  kind: 'run' | 'job';
  status: string;
  title: string;
  message?: string | null;
  payload: Json;
  hash: string;
  approvers: string[];
  workflow_id?: string;
  execution_id?: string;
  contact_id?: string | null;
  job_id?: string;
  topic?: string;
  step_id?: string;
  started_by?: string | null;
  rule_id?: string | null;
  reason?: string | null;
  unblocks?: Json;
  /** How many must say yes, and how many did. */
  count?: number;
  votes?: Json;
  asked_at: string;
  expires_at: string | null;
  on_timeout?: string | null;
  ended_at?: string | null;
  by?: string | null;
  comment?: string | null;
  ended_reason?: string | null;
}

function object(value: Json | undefined): JsonObject {
  return value && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A job that awaits approval, as the same question. */
export function approvalOfJob(job: Job): Approval {
  const asked = object(job.approval);
  const verdict = object(job.verdict);
  const pending = job.state === 'APPROVAL_REQUIRED';
  const denied = job.state === 'DENIED';
  return {
    id: job.id,
    kind: 'job',
    job_id: job.id,
    topic: job.topic,
    status: pending ? 'pending' : denied ? 'rejected' : 'approved',
    title: job.topic,
    payload: (job.input ?? null) as Json,
    hash: text(job.request_hash),
    approvers: Array.isArray(asked.approvers) ? asked.approvers.map(String) : [text(asked.role) || 'operator'],
    execution_id: job.run_id,
    workflow_id: job.workflow_id,
    started_by: text(job.submitter) || null,
    rule_id: text(verdict.rule_id) || null,
    reason: text(verdict.reason) || null,
    count: typeof asked.count === 'number' ? asked.count : undefined,
    votes: asked.votes,
    asked_at: text(asked.asked_at) || job.submitted_at,
    expires_at: text(asked.expires_at) || null,
    on_timeout: w.theJobIsDenied,
    ended_at: job.ended_at,
    ended_reason: pending ? null : (job.reason_code ?? null),
  };
}

/** The job behind a question, or nothing. */
export function jobOf(approval: Approval): string {
  return approval.kind === 'job' ? (approval.job_id ?? approval.id) : '';
}

/** The page of a question; one of a job is found by the job. */
export function approvalHref(approval: Approval, tab = ''): string {
  const job = jobOf(approval);
  const query = new URLSearchParams({ ...(job ? { kind: 'job' } : {}), ...(tab ? { tab } : {}) }).toString();
  return `/approvals/${encodeURIComponent(job || approval.id)}${query ? `?${query}` : ''}`;
}

/** Where a yes or a no goes. */
export function votePath(approval: Approval, yes: boolean): string {
  const job = jobOf(approval);
  const thing = job ? `/jobs/${encodeURIComponent(job)}` : `/approvals/${encodeURIComponent(approval.id)}`;
  return `${thing}/${yes ? 'approve' : 'reject'}`;
}

/** What needs an answer first: the one that runs out first, then the one that waits longest. */
export function inOrder(approvals: Approval[]): Approval[] {
  const due = (one: Approval) => one.expires_at ?? '9999';
  return approvals.toSorted((a, b) => due(a).localeCompare(due(b)) || a.asked_at.localeCompare(b.asked_at));
}

/** With its keys in order, so that the same request is the same text. */
export function canonical(value: Json): string {
  const sorted = (one: Json): Json => {
    if (Array.isArray(one)) return one.map(sorted);
    if (!one || typeof one !== 'object') return one;
    return Object.fromEntries(Object.keys(one).sort().map((key) => [key, sorted(one[key] as Json)]));
  };
  return JSON.stringify(sorted(value), null, 2);
}

/** What happens then, in a sentence. `names` are those of the workflow's nodes. */
export function consequence(approval: Approval, yes: boolean): string {
  if (approval.kind === 'job') return yes ? w.theJobGoesToAWorker : w.theJobIsDeniedAndNothing;
  const next = object(approval.unblocks)[yes ? 'approve' : 'reject'];
  const nodes = Array.isArray(next) ? next.map(String) : [];
  if (nodes.length) return w.theRunGoesOnAt(nodes.join(', '));
  return yes ? w.theRunGoesOnWithThe : w.theRunIsToldNoAnd;
}

export function afterTimeout(approval: Approval): string {
  const then: Record<string, string> = { fail: w.theRunFailsAtThisStep, reject: w.itCountsAsNo, approve: w.itCountsAsYes };
  return then[approval.on_timeout ?? ''] ?? approval.on_timeout ?? '';
}
