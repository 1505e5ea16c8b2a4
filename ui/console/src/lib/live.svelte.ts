// One stream of the account's changes for each tab, shared out among tabs (U-3).

import { headersFor } from './api.ts';
import type { Approval } from './approvals.ts';
import { clock } from './clock.svelte.ts';
import { session } from './session.svelte.ts';
import type { Counts, RunItem } from './types.ts';

export const streamsMax = 4;
const hiddenMs = 30_000;
const pollMs = 5000;
const repaintMs = 100;
const silentMs = 40_000;
/** So long a tab waits for what the others say before it takes a stream: one of them has to let go first. */
const agreeMs = 150;

/** All that a page may show; waits come with their runs, so that a busy run is told once. */
const kinds = 'runs,approvals,jobs,dlq,workers,schedules,bulk,simulations,counts';

/** That something is not what it was: what, and a few words about it. */
export interface Change {
  kind: 'wait' | 'job' | 'dlq' | 'worker' | 'schedule' | 'bulk' | 'simulation';
  id: string;
  version: number;
  at: string;
  execution_id?: string;
  summary: Record<string, string | number | null> | null;
}

type Listener = (runs: RunItem[], all: boolean, approvals: Approval[], changes: Change[]) => void;
type CountsListener = (counts: Counts) => void;
interface Tab {
  usedAt: number;
  seenAt: number;
}

const changed = new Set(['wait', 'job', 'dlq', 'worker', 'schedule', 'bulk', 'simulation']);

class Live {
  state = $state<'connecting' | 'live' | 'polling' | 'reconnecting' | 'offline'>('connecting');
  retryInS = $state(0);
  asOf = $state(Date.now());
  /** Data is stale while nobody can tell what has changed. */
  stale = $derived(this.state === 'reconnecting' || this.state === 'offline');

  private listeners = new Set<Listener>();
  private counters = new Set<CountsListener>();
  private changes = new Map<string, Change>();
  /** The run that this tab looks at: of others it need not hear. */
  private run = '';
  private tabs = new Map<string, Tab>();
  private me = Math.random().toString(36).slice(2);
  private usedAt = Date.now();
  private channel: BroadcastChannel | null = null;
  private abort: AbortController | null = null;
  private lastId = '';
  private failures = 0;
  private waiting: ReturnType<typeof setTimeout> | null = null;
  private buffered = new Map<string, RunItem>();
  private approvals = new Map<string, Approval>();
  private all = false;
  private flushing = false;
  private hiddenSince = 0;
  private heardAt = 0;
  private started = false;

  start(): void {
    if (this.started) return;
    this.started = true;
    if ('BroadcastChannel' in window) {
      this.channel = new BroadcastChannel('fermata-streams');
      this.channel.onmessage = (event) => this.hear(event.data as { id: string; usedAt: number; gone?: boolean });
      addEventListener('pagehide', () => this.say(true));
    }
    document.addEventListener('visibilitychange', () => this.look());
    addEventListener('focus', () => this.use());
    setInterval(() => this.look(), 1000);
    setInterval(() => this.say(), 3000);
    setInterval(() => this.poll(), pollMs);
    this.use();
  }

  /** Calls back with what has changed, at most ten times a second; `all`: anything may have. */
  on(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls back with the numbers that every page shows. */
  onCounts(listener: CountsListener): () => void {
    this.counters.add(listener);
    return () => this.counters.delete(listener);
  }

  /** Narrows the stream to one run, while its page is open; gives what widens it again. */
  watch(run: string): () => void {
    this.narrow(run);
    return () => {
      if (this.run === run) this.narrow('');
    };
  }

  private narrow(run: string): void {
    if (this.run === run) return;
    this.run = run;
    if (!this.abort || this.state !== 'live') return;
    // Another stream takes up where this one was.
    this.abort.abort();
    this.abort = null;
    void this.stream();
  }

  get streaming(): boolean {
    return this.abort !== null;
  }

  private use(): void {
    this.usedAt = Date.now();
    this.say();
    if (this.abort || !this.channel) this.look();
    else setTimeout(() => this.look(), agreeMs);
  }

  private say(gone = false): void {
    if (document.hidden && !gone) return;
    this.channel?.postMessage({ id: this.me, usedAt: this.usedAt, gone });
  }

  private hear(tab: { id: string; usedAt: number; gone?: boolean }): void {
    const known = this.tabs.has(tab.id);
    if (tab.gone) this.tabs.delete(tab.id);
    else this.tabs.set(tab.id, { usedAt: tab.usedAt, seenAt: Date.now() });
    // Whoever is new has to know who is here.
    if (!known && !tab.gone) this.say();
    // Who has a stream may have to let it go; who has none takes one in its own time.
    if (this.abort) this.look();
  }

  /** Whether this tab is among those that may hold a stream: the most recently used ones. */
  private mayStream(): boolean {
    const now = Date.now();
    if (document.hidden) {
      this.hiddenSince ||= now;
      if (now - this.hiddenSince > hiddenMs) return false;
    } else {
      this.hiddenSince = 0;
    }
    let newer = 0;
    for (const [id, tab] of this.tabs) {
      if (now - tab.seenAt > 10_000) this.tabs.delete(id);
      else if (tab.usedAt > this.usedAt || (tab.usedAt === this.usedAt && id > this.me)) newer += 1;
    }
    return newer < streamsMax;
  }

  private look(): void {
    if (session.state !== 'in') {
      this.close();
      return;
    }
    if (!this.mayStream()) {
      this.close();
      if (!document.hidden) this.state = 'polling';
      return;
    }
    // A server that says nothing at all, not even that it is alive, is gone.
    if (this.abort && Date.now() - this.heardAt > silentMs) this.abort.abort();
    if (!this.abort && !this.waiting) void this.stream();
  }

  private close(): void {
    this.abort?.abort();
    this.abort = null;
    if (this.waiting) clearTimeout(this.waiting);
    this.waiting = null;
  }

  private async stream(): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    this.heardAt = Date.now();
    try {
      const headers = headersFor();
      if (this.lastId) headers['Last-Event-ID'] = this.lastId;
      const answer = await fetch(`/api/v1/stream?kinds=${kinds}${this.run ? `&execution=${encodeURIComponent(this.run)}` : ''}`, { headers, signal: abort.signal, cache: 'no-store' });
      if (!answer.ok || !answer.body) throw new Error(String(answer.status));
      if (this.failures) await session.load();
      if (this.state !== 'live') this.tell([], true);
      this.state = 'live';
      this.failures = 0;
      await this.read(answer.body);
    } catch {
      // Whatever ended it: the next try tells.
    }
    if (this.abort !== abort) return;
    this.abort = null;
    this.retry();
  }

  private retry(): void {
    this.failures += 1;
    const wait = Math.min(10_000, 500 * 2 ** (this.failures - 1)) * (0.75 + Math.random() / 2);
    this.state = this.failures > 3 ? 'offline' : 'reconnecting';
    this.retryInS = Math.ceil(wait / 1000);
    this.waiting = setTimeout(() => {
      this.waiting = null;
      this.look();
    }, wait);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.heardAt = Date.now();
      this.asOf = clock.now;
      text += value;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        this.take(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  }

  private take(message: string): void {
    let event = '';
    let data = '';
    for (const line of message.split('\n')) {
      if (line.startsWith('event: ')) event = line.slice(7);
      else if (line.startsWith('data: ')) data += line.slice(6);
      else if (line.startsWith('id: ')) this.lastId = line.slice(4);
    }
    if (event === 'reset') this.tell([], true);
    if (event === 'version') this.heardVersion(JSON.parse(data) as { version: string });
    if (event === 'counts') for (const listener of this.counters) listener(JSON.parse(data) as Counts);
    if (changed.has(event)) {
      const change = JSON.parse(data) as Change;
      this.changes.set(`${change.kind} ${change.id}`, change);
      this.tell([], false);
    }
    if (event === 'run') this.tell([JSON.parse(data) as RunItem], false);
    if (event === 'approval') {
      const approval = JSON.parse(data) as Approval;
      this.approvals.set(approval.id, approval);
      this.tell([], false);
    }
  }

  /** A server that was upgraded says so first; the session tells what that means for this tab. */
  private heardVersion({ version }: { version: string }): void {
    if (session.value && session.value.version !== version) void session.load();
  }

  private poll(): void {
    if (this.state !== 'polling' || document.hidden) return;
    void session.load().then(() => this.tell([], true));
  }

  private tell(runs: RunItem[], all: boolean): void {
    for (const run of runs) {
      const known = this.buffered.get(run.id);
      if (!known || known.sequence < run.sequence) this.buffered.set(run.id, run);
    }
    this.all ||= all;
    if (this.flushing) return;
    this.flushing = true;
    setTimeout(() => {
      this.flushing = false;
      const news = [...this.buffered.values()];
      const approvals = [...this.approvals.values()];
      const changes = [...this.changes.values()];
      const everything = this.all;
      this.buffered.clear();
      this.approvals.clear();
      this.changes.clear();
      this.all = false;
      for (const listener of this.listeners) listener(news, everything, approvals, changes);
    }, repaintMs);
  }
}

export const live = new Live();
