// What a simulation is asked for and what it comes to (U-47).

import { rowsOf, type Row } from './timeline.ts';
import { isFlow, type Definition, type GraphDefinition, type HistoryEvent, type Json, type JsonObject } from './types.ts';
import { simulations as w } from '../words/simulate.ts';

export interface SimulationItem {
  id: string;
  name: string;
  state: 'waiting' | 'running' | 'done' | 'stopped' | 'failed';
  workflow_id: string | null;
  version: number | null;
  hash: string;
  seeds: number;
  first_seed: number;
  start_at: string;
  horizon_ms: number;
  created_by: string;
  created_at: string;
  ended_at: string | null;
  problem: string | null;
}

export interface Lengths {
  least: number;
  median: number;
  p95: number;
  p99: number;
  most: number;
}

export interface SimulationResult {
  seeds: number;
  outcomes: { outcome: string; count: number; first_seed: number }[];
  errors: { code: string; node: string; count: number; first_seed: number }[];
  waiting: { kind: string; node: string; count: number; first_seed: number }[];
  length_ms: Lengths | null;
  slowest: { seed: number; length_ms: number } | null;
  nodes: { node_id: string; node_name: string; seeds: number; never: boolean }[];
  calendar: { start: string; total: number; by_kind: Record<string, number> }[];
  promises: { name: string; broken: number; seeds: number[]; why: string | null }[];
}

export interface Simulation extends SimulationItem {
  request: JsonObject;
  definition: Definition;
  result: SimulationResult;
}

export type RuleKind = 'calls' | 'jobs' | 'signals';

/** One line of the form: how something outside answers. Durations are texts such as `5s` or `2h 30m`. */
export interface RuleForm {
  kind: RuleKind;
  name: string;
  from: string;
  to: string;
  /** In per cent. */
  failure: string;
  answer: string;
}

export interface SimulationForm {
  workflow: string;
  version: string;
  /** Text of a draft, when no workflow is chosen. */
  draft: string;
  input: string;
  horizon: string;
  seeds: string;
  rules: RuleForm[];
  approveFrom: string;
  approveTo: string;
  reject: string;
  late: string;
  restart: string;
  twice: string;
  ends: boolean;
  completes: boolean;
  promises: { name: string; condition: string }[];
}

export const horizons: { name: string; ms: number }[] = [
  { name: w.n1Day, ms: 86_400_000 },
  { name: w.n1Week, ms: 7 * 86_400_000 },
  { name: w.n1Month, ms: 30 * 86_400_000 },
  { name: w.n1Year, ms: 365 * 86_400_000 },
  { name: w.n10Years, ms: 3653 * 86_400_000 },
];

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** `90`, `5s`, `2h 30m`, `1.5d` in milliseconds; a bare number is seconds. NaN when it is none. */
export function readDuration(text: string): number {
  const trimmed = text.trim().toLowerCase();
  if (!trimmed) return 0;
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000);
  let sum = 0;
  let rest = trimmed;
  while (rest) {
    const match = /^(\d+(?:\.\d+)?)\s*(ms|min|s|m|h|d|w)\s*/.exec(rest);
    if (!match) return NaN;
    sum += Number(match[1]) * (unitMs[match[2] ?? 's'] ?? NaN);
    rest = rest.slice(match[0].length);
  }
  return Math.round(sum);
}

function readShare(text: string): number {
  const value = text.trim() ? Number(text) / 100 : 0;
  return value >= 0 && value <= 1 ? value : NaN;
}

export function emptyForm(): SimulationForm {
  return { workflow: '', version: '', draft: '', input: '{}', horizon: String(365 * 86_400_000), seeds: '1000', rules: [], approveFrom: '1m', approveTo: '4h', reject: '10', late: '', restart: '', twice: '', ends: true, completes: true, promises: [] };
}

/** What a definition meets outside: a line for each, so that nobody has to know what to ask. */
export function rulesFor(definition: Definition): RuleForm[] {
  const rules: RuleForm[] = [];
  const add = (kind: RuleKind, name: string, from: string, to: string, failure: string) => {
    if (name && !name.includes('{{') && !rules.some((rule) => rule.kind === kind && rule.name === name)) rules.push({ kind, name, from, to, failure, answer: '' });
  };
  if (isFlow(definition)) {
    for (const [, name] of definition.source.matchAll(/Task\.run\(\s*["'`]([^"'`]+)["'`]/g)) add('jobs', name ?? '', '1s', '30s', '2');
    for (const [, name] of definition.source.matchAll(/Signal\.next\(\s*["'`]([^"'`]+)["'`]/g)) add('signals', name ?? '', '1m', '1d', '10');
    return rules;
  }
  for (const node of definition.nodes) {
    const field = (name: string) => (typeof node.parameters?.[name] === 'string' ? (node.parameters[name] as string) : '');
    if (node.type === 'http' || node.type === 'email' || node.type === 'send_email') add('calls', node.name, '100ms', '2s', '2');
    if (node.type === 'job') add('jobs', field('topic'), '1s', '30s', '2');
    if (node.type === 'wait_for_signal') add('signals', field('name'), '1m', '1d', '10');
    if (node.type === 'wait' && field('wait_type') === 'for_event') add('signals', field('event_type'), '1m', '1d', '10');
  }
  return rules;
}

export interface ReadForm {
  body?: JsonObject;
  /** By field: what is wrong. */
  wrong: Record<string, string>;
}

/** The request a form means, or what is wrong with it. */
export function readForm(form: SimulationForm): ReadForm {
  const wrong: Record<string, string> = {};
  const json = (name: string, text: string): Json | undefined => {
    if (!text.trim()) return undefined;
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      wrong[name] = (error as Error).message;
      return undefined;
    }
  };
  const span = (name: string, text: string): number => {
    const ms = readDuration(text);
    if (Number.isNaN(ms)) wrong[name] = w.aDurationSuchAs5s2h;
    return Number.isNaN(ms) ? 0 : ms;
  };
  const share = (name: string, text: string): number => {
    const value = readShare(text);
    if (Number.isNaN(value)) wrong[name] = w.perCentBetween0And100;
    return Number.isNaN(value) ? 0 : value;
  };
  const latency = (name: string, from: string, to: string): JsonObject => {
    const least = span(`${name}.from`, from);
    const most = to.trim() ? span(`${name}.to`, to) : least;
    if (most < least) wrong[`${name}.to`] = w.itIsLessThanTheLeast;
    return { latency_min_ms: least, latency_max_ms: Math.max(least, most) };
  };
  const body: JsonObject = { input: json('input', form.input) ?? {}, horizon_ms: Number(form.horizon), seeds: Number(form.seeds) };
  if (!(Number.isInteger(body.seeds) && Number(body.seeds) >= 1 && Number(body.seeds) <= 10_000)) wrong.seeds = w.aNumberBetween1And10;
  if (form.workflow) {
    body.workflow_id = form.workflow;
    if (form.version) body.version = Number(form.version);
  } else if (form.draft.trim()) {
    body.definition = form.draft.trim().startsWith('{') ? (json('draft', form.draft) ?? {}) : { language: 'flow', source: form.draft };
  } else wrong.workflow = w.chooseAWorkflowOrWriteA;
  for (const kind of ['calls', 'jobs', 'signals'] as const) {
    const list: Json[] = [];
    form.rules.forEach((rule, index) => {
      if (rule.kind !== kind) return;
      if (!rule.name.trim()) wrong[`rules.${index}.name`] = w.aNameOrForAll;
      const answer = json(`rules.${index}.answer`, rule.answer);
      const failure = share(`rules.${index}.failure`, rule.failure);
      list.push({
        name: rule.name.trim(), ...latency(`rules.${index}`, rule.from, rule.to),
        [kind === 'signals' ? 'missing' : 'failure']: failure,
        ...(answer === undefined ? {} : { [kind === 'calls' ? 'body' : kind === 'jobs' ? 'output' : 'payload']: answer }),
      });
    });
    if (list.length) body[kind] = list;
  }
  body.approvals = { ...latency('approve', form.approveFrom, form.approveTo), reject: share('reject', form.reject) };
  body.faults = { late_ms_max: span('late', form.late), restart: share('restart', form.restart), twice: share('twice', form.twice) };
  const promises: Json[] = [];
  if (form.ends) promises.push('ends');
  if (form.completes) promises.push('completes');
  for (const promise of form.promises) if (promise.condition.trim()) promises.push({ name: promise.name.trim() || promise.condition.trim().slice(0, 60), condition: promise.condition.trim() });
  body.promises = promises;
  return Object.keys(wrong).length ? { wrong } : { body, wrong };
}

/** How trials end, in words and in the tone of a status. */
export const outcomeWords: Record<string, { status: string; word: string; about: string }> = {
  completed: { status: 'completed', word: w.completed, about: w.cameToItsEnd },
  failed: { status: 'failed', word: w.failed, about: w.endedWithAnError },
  timed_out: { status: 'timed_out', word: w.timedOut, about: w.itsOwnTimeWasUp },
  cancelled: { status: 'cancelled', word: w.cancelled, about: w.wasCancelledByItself },
  open: { status: 'waiting', word: w.stillWaiting, about: w.theHorizonCameFirst },
  stuck: { status: 'on_hold', word: w.stuck, about: w.waitsForWhatNeverComes },
  cut: { status: 'on_hold', word: w.endless, about: w.tookMoreStepsThanAreAllowed },
};

const promiseNames: Record<string, string> = { ends: w.everyRunComesToItsEnd, completes: w.noRunFails };
export function promiseName(name: string): string {
  return promiseNames[name] ?? name;
}

export interface PathStep {
  node: string;
  name: string;
  from: number;
  to: number;
  kind: string;
}

/**
 * The chain of nodes that decided how long a run took: from what ended last back to what it had to
 * wait for, along the edges.
 */
export function slowestPath(definition: GraphDefinition, history: HistoryEvent[]): PathStep[] {
  const end = Date.parse(history.at(-1)?.at ?? '');
  // What was given up decided nothing.
  const rows = new Map(rowsOf(history, end).map((row: Row) => [row.node, { ...row, bars: row.bars.filter((bar) => !bar.open) }]));
  const lastEnd = (id: string, before: number) => Math.max(-1, ...(rows.get(id)?.bars ?? []).filter((bar) => bar.to <= before).map((bar) => bar.to));
  let here = [...rows.keys()].sort((a, b) => lastEnd(b, Infinity) - lastEnd(a, Infinity))[0];
  let before = Infinity;
  const out: PathStep[] = [];
  const seen = new Set<string>();
  while (here !== undefined && !seen.has(here)) {
    seen.add(here);
    const limit = before;
    const bars: Row['bars'] = (rows.get(here)?.bars ?? []).filter((bar) => bar.to <= limit);
    const last = bars.reduce((a, b) => (b.to > a.to ? b : a), bars[0] as Row['bars'][number]);
    if (!last) break;
    out.unshift({ node: here, name: last.name, from: last.from, to: last.to, kind: last.kind });
    before = last.from;
    const current: string = here;
    here = definition.edges.filter((edge) => edge.dst === current && lastEnd(edge.src, before) >= 0)
      .map((edge) => edge.src).sort((a, b) => lastEnd(b, before) - lastEnd(a, before))[0];
  }
  return out;
}

const raceExample = {
  nodes: [
    { id: 'start', name: w.start, type: 'manual', trigger: true },
    { id: 'reserve', name: w.reserveStock, type: 'http', parameters: { method: 'POST', url: 'https://stock.example/reserve' } },
    { id: 'patience', name: w.giveIt20S, type: 'wait', parameters: { amount: 20, unit: 'seconds' } },
    { id: 'first', name: w.whicheverComesFirst, type: 'merge', parameters: { wait_mode: 'wait_for_any', cancel_losers: true } },
    { id: 'ship', name: w.ship, type: 'http', parameters: { method: 'POST', url: 'https://ship.example/orders' } },
  ],
  edges: [
    { id: '1', src: 'start', dst: 'reserve' }, { id: '2', src: 'start', dst: 'patience' }, { id: '3', src: 'reserve', dst: 'first' },
    { id: '4', src: 'patience', dst: 'first' }, { id: '5', src: 'first', dst: 'ship' },
  ],
};

const campaignExample = `workflow welcome(inputs) {
  await Task.run("send_mail", { template: "welcome" })
  for (let week = 1; week <= 4; week = week + 1) {
    const first = await Task.race({ reply: Signal.next("reply"), late: Task.delay("7d") })
    if (first.key == "reply") return { answered_in_week: week }
    await Task.run("send_mail", { template: "reminder", week: week })
  }
  return { answered_in_week: null }
}
`;

/** Two that are ready to run, for whoever has none. */
export const examples: { name: string; about: string; form: SimulationForm }[] = [
  {
    name: w.aRaceBetweenACallAnd,
    about: w.aCallThatIsSlowOnce,
    form: {
      ...emptyForm(), draft: JSON.stringify(raceExample, null, 2), horizon: String(86_400_000),
      rules: [{ kind: 'calls', name: w.reserveStock, from: '200ms', to: '20200ms', failure: '0', answer: '{"reserved": true}' }, { kind: 'calls', name: w.ship, from: '0s', to: '0s', failure: '0', answer: '' }],
      promises: [{ name: w.nothingShipsWithoutItsReservation, condition: '$length_ms < 20000' }],
    },
  },
  {
    name: w.aCampaignOfFourWeeks,
    about: w.mailsAWeekOfPatienceAfter,
    form: {
      ...emptyForm(), draft: campaignExample, horizon: String(365 * 86_400_000),
      rules: [{ kind: 'jobs', name: 'send_mail', from: '1s', to: '20s', failure: '1', answer: '' }, { kind: 'signals', name: 'reply', from: '1h', to: '40d', failure: '30', answer: '{"text": "yes"}' }],
    },
  },
];
