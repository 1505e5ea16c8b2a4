// The only place that asks the server for something (live.svelte.ts holds the stream).

import type { Json } from './types.ts';
import { api as w } from '../words/shell.ts';

export interface Finding {
  path: string;
  message: string;
  code?: string;
}

/** A refusal, as problem+json tells it; `status` 0 when no answer came at all. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly code: string,
    readonly instance: string,
    readonly hint: string,
    readonly errors: Finding[],
    readonly retryAfterS: number,
  ) {
    super(detail || title);
  }
}

export interface Options {
  method?: string;
  body?: Json;
  /** Sent as it is, with `type`, instead of a body of JSON. */
  text?: string;
  type?: string;
  ifMatch?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface Answer<Body> {
  body: Body;
  etag: string;
  status: number;
}

let csrf: string | null = null;
let account = '';
let onUnauthorized: () => void = () => {};

export function useSession(token: string | null, accountId: string, unauthorized: () => void): void {
  csrf = token;
  account = accountId;
  onUnauthorized = unauthorized;
}

export function headersFor(options: Options = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  if (options.type) headers['Content-Type'] = options.type;
  if (options.ifMatch) headers['If-Match'] = options.ifMatch;
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey;
  if (csrf && options.method && options.method !== 'GET') headers['X-CSRF-Token'] = csrf;
  if (account) headers['X-Account-Id'] = account;
  return headers;
}

export function query(fields: Record<string, string | number | boolean | null | undefined>): string {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null && value !== '') out.set(name, String(value));
  const text = out.toString();
  return text ? `?${text}` : '';
}

async function problemOf(answer: Response): Promise<Problem> {
  let told: Record<string, unknown> = {};
  try {
    told = (await answer.json()) as Record<string, unknown>;
  } catch {
    // A proxy in between may answer with something else.
  }
  const text = (name: string) => (typeof told[name] === 'string' ? (told[name] as string) : '');
  return new Problem(
    answer.status,
    text('title') || w.theServerAnswered(answer.status),
    text('detail'),
    text('code') || String(answer.status),
    text('instance'),
    text('hint'),
    Array.isArray(told.errors) ? (told.errors as Finding[]) : [],
    Number(answer.headers.get('Retry-After') ?? 0),
  );
}

export async function ask<Body>(path: string, options: Options = {}): Promise<Answer<Body>> {
  let answer: Response;
  try {
    answer = await fetch(`/api/v1${path}`, {
      method: options.method ?? 'GET',
      headers: headersFor(options),
      body: options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
      signal: options.signal,
      cache: 'no-store',
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, w.theServerCannotBeReached, w.nothingWasAnswered, 'unreachable', '',
      w.itMayBeStoppedOrStarting, [], 0);
  }
  if (!answer.ok) {
    const problem = await problemOf(answer);
    if (answer.status === 401) onUnauthorized();
    throw problem;
  }
  const body = answer.status === 204 ? null : await answer.json();
  return { body: body as Body, etag: answer.headers.get('ETag') ?? '', status: answer.status };
}

export async function get<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  return (await ask<Body>(path, { signal })).body;
}

/** A key made when a form opens, so that a double click acts once (U-10). */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export async function post<Body>(path: string, body: Json = {}, idempotencyKey?: string): Promise<Body> {
  return (await ask<Body>(path, { method: 'POST', body, idempotencyKey })).body;
}

export function id(text: string): string {
  return encodeURIComponent(text);
}
