// The account's numbers, read once for all who show them.

import { get } from './api.ts';
import { live } from './live.svelte.ts';
import { Resource } from './resource.svelte.ts';
import { session } from './session.svelte.ts';
import type { Overview } from './types.ts';

const soonMs = 1000;
const everyMs = 10_000;

class AccountNumbers extends Resource<Overview> {
  private due: ReturnType<typeof setTimeout> | null = null;
  private begun = false;

  /** Begins to follow; more than once does no harm. */
  follow(): void {
    if (this.begun) return;
    this.begun = true;
    live.on(() => this.soon());
    live.onCounts((counts) => {
      // An answer that is under way may be older or newer than this: it comes soon, and then all is right again.
      if (this.value && !this.loading) this.value = { ...this.value, ...counts };
    });
    setInterval(() => {
      if (!document.hidden) void this.read();
    }, everyMs);
    void this.read();
  }

  /** However fast things change, the server is asked once a second at most. */
  private soon(): void {
    this.due ??= setTimeout(() => {
      this.due = null;
      void this.read();
    }, soonMs);
  }

  private async read(): Promise<void> {
    if (session.state !== 'in') return;
    if (this.loading) return this.soon();
    await this.load((signal) => get<Overview>('/overview', signal));
  }
}

export const overview = new AccountNumbers();
