// Everything that waits for an answer, read once for all who show it.

import { inOrder, approvalOfJob, jobOf, type Approval } from './approvals.ts';
import { get } from './api.ts';
import { live } from './live.svelte.ts';
import { Resource } from './resource.svelte.ts';
import { session } from './session.svelte.ts';
import type { Job, Page } from './types.ts';

const readMax = 200;
const everyMs = 15_000;

class ApprovalBook extends Resource<Approval[]> {
  private begun = false;

  /** Begins to follow; more than once does no harm. */
  follow(): void {
    if (this.begun) return;
    this.begun = true;
    live.on((_, all, approvals) => {
      if (all || approvals.length) void this.read();
    });
    setInterval(() => {
      if (!document.hidden) void this.read();
    }, everyMs);
    void this.read();
  }

  async read(): Promise<void> {
    if (session.state !== 'in') return;
    if (this.loading) return this.refresh();
    await this.load(async (signal) => {
      const [asked, jobs] = await Promise.all([
        get<Page<Approval>>(`/approvals?status=pending&limit=${readMax}`, signal),
        get<Page<Job>>(`/jobs?state=APPROVAL_REQUIRED&limit=${readMax}`, signal),
      ]);
      const known = new Set(asked.items.map(jobOf));
      const others = jobs.items.filter((job) => !known.has(job.id)).map(approvalOfJob);
      return inOrder([...asked.items, ...others]);
    });
  }
}

export const approvalBook = new ApprovalBook();
