// Everything the page of one run knows, kept up to date from the stream.

import { untrack } from 'svelte';
import { get, id, Problem, query } from './api.ts';
import { canFold, nodesAt } from './fold.ts';
import { live } from './live.svelte.ts';
import { Resource } from './resource.svelte.ts';
import { isOver } from './status.ts';
import { isFlow, type Definition, type HistoryEvent, type Page, type Run, type RunNodes, type WorkflowVersion } from './types.ts';
import { runView as w } from '../words/run.ts';

const historyPage = 1000;
const historyMax = 200_000;
/** The server is asked when the slider has rested so long. */
const restMs = 120;

export class RunView {
  readonly run = new Resource<Run>();
  readonly nodes = new Resource<RunNodes>();
  definition = $state.raw<{ hash: string; definition: Definition } | null>(null);
  /** Why there is no definition: its workflow was deleted, or nobody could tell. */
  definitionProblem = $state.raw<Problem | null>(null);
  events = $state.raw<HistoryEvent[]>([]);
  readonly runId: string;
  /** Where the server has it: an execution, or a seed of a simulation. */
  readonly base: string;
  private reading = false;
  private again = false;
  private at = 0;

  constructor(runId: string, base = `/executions/${id(runId)}`) {
    this.runId = runId;
    this.base = base;
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
    // A seed of a simulation is no run of the engine: nothing is told of it.
    const widen = this.base.startsWith('/executions/') ? live.watch(this.runId) : () => {};
    return () => {
      off();
      widen();
    };
  }

  async read(): Promise<void> {
    if (this.reading) {
      this.again = true;
      return;
    }
    this.reading = true;
    await Promise.all([
      this.run.load((signal) => get<Run>(this.base, signal)),
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

  /** Has the nodes shown as they were after an event, 0 is now: folded here at once, where the
      history tells enough, else asked for when the slider rests. Gives what calls it off. */
  lookAt(at: number): () => void {
    this.at = at;
    const folded = at ? this.folded(at) : null;
    if (folded) {
      this.nodes.give(folded);
      return () => {};
    }
    const timer = setTimeout(() => void this.look(at), at ? restMs : 0);
    return () => clearTimeout(timer);
  }

  private folded(at: number): RunNodes | null {
    const definition = this.definition?.definition;
    if (!definition || isFlow(definition) || (this.events.at(-1)?.sequence ?? 0) < at || !canFold(this.events)) return null;
    return nodesAt(definition, this.events, at);
  }

  private async look(at: number): Promise<void> {
    this.at = at;
    await this.nodes.load((signal) => get<RunNodes>(`${this.base}/nodes${query({ at: at || '' })}`, signal));
  }

  private async readHistory(): Promise<void> {
    try {
      for (;;) {
        const after = this.events.at(-1)?.sequence ?? 0;
        const page = await get<Page<HistoryEvent>>(`${this.base}/history${query({ limit: historyPage, after: after || '' })}`);
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
        : new Problem(0, w.theDefinitionCouldNotBeRead, String(error), 'console_error', '', w.reloadThePage, [], 0);
    }
  }
}
