import { get, Problem } from './api.ts';
import type { Page } from './types.ts';
import { list as w } from '../words/shell.ts';

const pageSize = 200;
const pageMax = 1000;

/** A list that is read page by page as it is scrolled (U-13). */
export class PagedList<Item extends { id: string }> {
  items = $state.raw<Item[]>([]);
  total = $state<number | undefined>(undefined);
  problem = $state.raw<Problem | null>(null);
  state = $state<'loading' | 'ready' | 'more' | 'again'>('loading');
  over = $state(false);
  /** What the server could not read on the way: it may belong to the list or not. */
  damaged = $state.raw<{ code: string; detail: string }[]>([]);
  private cursor: string | null = null;
  private path = '';
  /** How many items there are; pages that open a list in an effect must not depend on it. */
  private shown = 0;
  private abort: AbortController | null = null;
  /** Something changed while it was being read. */
  private stale = false;
  private readonly ask: (path: string, signal: AbortSignal) => Promise<Page<Item>>;

  constructor(ask: (path: string, signal: AbortSignal) => Promise<Page<Item>> = (path, signal) => get<Page<Item>>(path, signal)) {
    this.ask = ask;
  }

  /** Begins anew with another address; `fresh` forgets what is shown at once. */
  async open(path: string, fresh = true): Promise<void> {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.path = path;
    this.stale = false;
    if (fresh) {
      this.items = [];
      this.shown = 0;
      this.total = undefined;
      this.damaged = [];
    }
    // Nothing goes on from the old page while the new one comes.
    this.state = fresh ? 'loading' : 'again';
    await this.read(null, abort);
  }

  /** Reads it afresh, with as many rows as are shown, so that the reader stays where they are. */
  async reload(): Promise<void> {
    // What is under way comes to its end: if each reading ended the one before it, a busy server's list would never come.
    if (this.state === 'ready' || !this.abort) await this.open(this.path, false);
    else this.stale = true;
  }

  more(): void {
    if (this.state !== 'ready' || this.over || !this.abort) return;
    this.state = 'more';
    void this.read(this.cursor, this.abort);
  }

  change(change: (items: Item[]) => Item[]): void {
    this.items = change(this.items);
  }

  private async read(cursor: string | null, abort: AbortController): Promise<void> {
    const joint = this.path.includes('?') ? '&' : '?';
    const limit = cursor ? pageSize : Math.min(pageMax, Math.max(pageSize, this.shown));
    const where = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    try {
      const page = await this.ask(w.limit(this.path, joint, limit, where), abort.signal);
      if (abort.signal.aborted) return;
      this.items = cursor ? [...this.items, ...page.items] : page.items;
      this.shown = cursor ? this.shown + page.items.length : page.items.length;
      this.cursor = page.next_cursor;
      this.over = page.next_cursor === null;
      if (page.total !== undefined) this.total = page.total;
      else if (this.over) this.total = this.items.length;
      this.damaged = cursor ? [...this.damaged, ...(page.damaged ?? [])] : (page.damaged ?? []);
      this.problem = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      if (error instanceof Problem) this.problem = error;
    }
    this.state = 'ready';
    if (this.stale) void this.reload();
  }
}
