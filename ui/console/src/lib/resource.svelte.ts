import { Problem } from './api.ts';
import { resource as w } from '../words/shell.ts';

/** One thing of the server that a panel shows: what is known, what went wrong, whether it comes. */
export class Resource<Value> {
  value = $state.raw<Value | undefined>(undefined);
  problem = $state.raw<Problem | null>(null);
  loading = $state(false);
  private abort: AbortController | null = null;
  private again = false;
  private source: ((signal: AbortSignal) => Promise<Value>) | null = null;

  /** Reads it afresh. What is shown stays until the answer is there. */
  async load(source: (signal: AbortSignal) => Promise<Value>): Promise<void> {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.source = source;
    this.loading = true;
    try {
      const value = await source(abort.signal);
      if (abort.signal.aborted) return;
      this.value = value;
      this.problem = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.problem = error instanceof Problem ? error
        : new Problem(0, w.thisPartOfThePageFailed, String(error), 'console_error', '', w.reloadThePage, [], 0);
    }
    this.loading = false;
    if (this.again) {
      this.again = false;
      void this.refresh();
    }
  }

  /** The same once more; one that is under way is followed by one other, however often it is asked. */
  async refresh(): Promise<void> {
    if (!this.source) return;
    if (this.loading) {
      this.again = true;
      return;
    }
    await this.load(this.source);
  }

  /** What was found out elsewhere; an answer under way is not wanted any more. */
  give(value: Value): void {
    this.abort?.abort();
    this.value = value;
    this.problem = null;
    this.loading = false;
  }

  clear(): void {
    this.abort?.abort();
    this.value = undefined;
    this.problem = null;
    this.loading = false;
  }
}
