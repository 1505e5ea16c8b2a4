// Everything the page of one run knows, kept up to date from the stream.

import { untrack } from 'svelte';
import { get, id, Problem, query } from './api.ts';
import { live } from './live.svelte.ts';
import { Resource } from './resource.svelte.ts';
import { isOver } from './status.ts';
import type { Definition, HistoryEvent, Page, Run, RunNodes, WorkflowVersion } from './types.ts';

const historyPage = 1000;
const historyMax = 200_000;

export class RunView {
  readonly run = new Resource<Run>();
  readonly nodes = new Resource<RunNodes>();
  definition = $state.raw<{ hash: string; definition: Definition } | null>(null);
  /** Why there is no definition: its workflow was deleted, or nobody could tell. */
  definitionProblem = $state.raw<Problem | null>(null);
  events = $state.raw<HistoryEvent[]>([]);
  readonly runId: string;
  private reading = false;
  private again = false;
  private at = 0;

  constructor(runId: string) {
    this.runId = runId;
  }

  get over(): boolean {
    return this.run.value ? isOver(this.run.value.status) : false;
  }

  /** Reads the run and listens to it until the returned function is called. */
  follow(): () => void {
    // What is read depends on nothing that is shown: it must not be read again for having come.
    untrack(() => void this.read());
    const off = live.on((runs, all) => {
      const known = this.run.value?.sequence ?? 0;
      const told = runs.find((run) => run.id === this.runId);
      if (all || (told && told.sequence > known)) void this.read();
    });
    return off;
  }

  async read(): Promise<void> {
    if (this.reading) {
      this.again = true;
      return;
    }
    this.reading = true;
    await Promise.all([
      this.run.load((signal) => get<Run>(`/executions/${id(this.runId)}`, signal)),
      this.at ? Promise.resolve() : this.look(0),
      this.readHistory(),
    ]);
    await this.readDefinition();
    this.reading = false;
    if (this.again) {
      this.again = false;
      await this.read();
    }
  }

  /** Nodes as of an event; 0 is now. */
  async look(at: number): Promise<void> {
    this.at = at;
    await this.nodes.load((signal) => get<RunNodes>(`/executions/${id(this.runId)}/nodes${query({ at: at || '' })}`, signal));
  }

  private async readHistory(): Promise<void> {
    try {
      for (;;) {
        const after = this.events.at(-1)?.sequence ?? 0;
        const page = await get<Page<HistoryEvent>>(`/executions/${id(this.runId)}/history${query({ limit: historyPage, after: after || '' })}`);
        if (page.items.length) this.events = [...this.events, ...page.items.filter((event) => event.sequence > after)];
        if (page.items.length < historyPage || this.events.length > historyMax) return;
      }
    } catch {
      // The run's own panel tells what is wrong.
    }
  }

  private async readDefinition(): Promise<void> {
    const run = this.run.value;
    if (!run || this.definition?.hash === run.hash) return;
    try {
      const version = await get<WorkflowVersion>(`/workflows/${id(run.workflow_id)}/versions/${run.version}`);
      if (version.definition) this.definition = { hash: run.hash, definition: version.definition };
      this.definitionProblem = null;
    } catch (error) {
      this.definitionProblem = error instanceof Problem ? error
        : new Problem(0, 'The definition could not be read', String(error), 'console_error', '', 'Reload the page.', [], 0);
    }
  }
}
