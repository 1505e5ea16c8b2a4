// What the API answers, as far as the console reads it (docs/guide/api.md).

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
  total?: number;
  /** What could not be read on the way. */
  damaged?: { code: string; detail: string }[];
}

export interface Session {
  account_id: string;
  role: Role;
  actor: string;
  access: 'keys' | 'local' | 'insecure';
  version: string;
  console: string | null;
  now: string;
  virtual_clock: boolean;
  csrf: string | null;
}

export type Role = 'viewer' | 'operator' | 'editor' | 'admin' | 'root';
export type RunStatus = 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled' | 'timed_out';

export interface Overview {
  version: string;
  now: string;
  uptime_ms: number;
  executions: Record<RunStatus, number>;
  waits: { pending: number; overdue: number; overdue_since: string | null };
  dead_letters: number;
  lateness: Lateness;
  failures: FailureCause[];
  rates: Rates | null;
}

/** The part of an overview that the stream tells as it changes. */
export type Counts = Pick<Overview, 'now' | 'executions' | 'waits' | 'dead_letters'>;

/** How late timers of the last hour were. */
export interface Lateness {
  count: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

export interface FailureCause {
  workflow_id: string;
  node: string | null;
  code: string;
  count: number;
  first_at: string;
  last_at: string;
}

export interface RateStep {
  start: string;
  started: number;
  completed: number;
  failed: number;
}

export interface Rates {
  step_ms: number;
  steps: RateStep[];
}

export interface RunError {
  code?: string;
  message?: string;
  node?: string;
  attempts?: number;
  [name: string]: Json | undefined;
}

export interface RunPlace {
  node: string;
  kind: string;
  attempt?: number;
  until?: string;
  at?: string;
}

export interface RunItem {
  id: string;
  workflow_id: string;
  version: number;
  hash: string;
  status: RunStatus;
  labels: Record<string, string>;
  parent: string | null;
  contact_id: string | null;
  started_at: string;
  completed_at: string | null;
  next_due_at: string | null;
  sequence: number;
  error?: RunError | null;
  /** Where it stands, the first few places; lists tell it. */
  at?: RunPlace[];
  origin?: { run?: string; kind?: string } | null;
}

export interface WaitingEntry {
  kind: string;
  node?: string;
  since?: string;
  until?: string;
  count?: number;
  what?: Json;
}

export interface Run extends RunItem {
  input: Json;
  output: Json;
  trigger: string;
  timeout_at: string | null;
  waiting: WaitingEntry[];
  progress: { planned: number; done: number; splits: { node?: string; total?: number; resolved?: number; failed?: number }[] };
}

export interface NodeState {
  node_id: string;
  node_name: string;
  type: string;
  status: string | null;
  counts: Record<string, number>;
}

export interface RunNodes {
  nodes: NodeState[];
  edges: { edge_id: string; count: number }[];
}

export interface Branch {
  branch_id: string;
  item_index: number;
  split_node_id: string;
  total_items: number;
}

export interface NodeItem {
  status: string;
  lineage: Branch[];
  visit: number;
  attempt: number;
  sequence: number;
  started_at?: string;
  ended_at?: string;
  item?: string;
  item_index?: number;
  error?: RunError | null;
}

export interface NodeDetail extends NodeState {
  last?: NodeItem & {
    first_sequence?: number;
    input?: Json;
    parameters?: Json;
    output?: Json;
    attempts?: JsonObject[];
  };
}

export interface HistoryEvent {
  sequence: number;
  type: string;
  at: string;
  node_id?: string;
  node_name?: string;
  node?: string;
  lineage?: Branch[];
  visit?: number;
  attempt?: number;
  [name: string]: Json | Branch[] | undefined;
}

export interface GraphNode {
  id: string;
  name: string;
  type: string;
  trigger?: boolean;
  disabled?: boolean;
  parameters?: JsonObject;
  retry?: { max_attempts?: number };
  position?: { x: number; y: number };
}

export interface GraphEdge {
  id: string;
  src: string;
  dst: string;
  type?: string;
  label?: string;
}

export interface GraphDefinition {
  nodes: GraphNode[];
  edges: GraphEdge[];
  entry?: string;
}

/** What stands beside a definition and does not run: positions, notes, further fields. */
export interface Drawing {
  nodes?: Record<string, JsonObject>;
  edges?: Record<string, JsonObject>;
  notes?: Json[];
  fields?: JsonObject;
}

export interface FlowDefinition {
  language: 'flow';
  source: string;
}

export type Definition = GraphDefinition | FlowDefinition;

export interface Workflow {
  id: string;
  active: boolean;
  version: number;
  latest_version: number;
  hash: string;
  language: 'graph' | 'flow';
  created_at: string;
  updated_at: string;
  webhook_guid?: string;
  measures?: WorkflowMeasures;
  definition?: Definition;
  layout?: Drawing;
}

/** What happened to a workflow in the last 24 hours. */
export interface WorkflowMeasures {
  started: number;
  completed: number;
  failed: number;
  p50_ms: number | null;
  p95_ms: number | null;
  last_started_at: string | null;
  hours: { start: string; started: number; failed: number }[];
}

export interface WorkflowVersion {
  version: number;
  hash: string;
  current: boolean;
  created_at: string;
  created_by: string;
  definition?: Definition;
}

export interface CheckFinding {
  code?: string;
  rule?: string;
  path: string;
  message: string;
  line?: number;
  column?: number;
}

export interface Job {
  id: string;
  state: string;
  phase?: string;
  topic: string;
  priority: string;
  labels: Record<string, string>;
  attempt: number;
  submitted_at: string;
  updated_at: string;
  ended_at: string | null;
  run_id?: string;
  workflow_id?: string;
  worker_id?: string;
  pool?: string;
  reason_code?: string;
  [name: string]: Json | undefined;
}

/** What a retry, rerun, fork or migration would do. */
export interface Preview {
  repeat?: Json[];
  reuse?: Json[];
  cancel?: Json[];
  warnings?: Json[];
}

export interface BulkPreview {
  count: number;
  by_status?: Record<string, number>;
  /** Dead letters are told apart by why they are there. */
  by_reason?: Record<string, number>;
  sample: string[];
  refused: Record<string, number>;
  as_of: string;
  token: string;
  expires_at: string;
}

export interface BulkOperation {
  id: string;
  kind: string;
  action: string;
  state: 'running' | 'done' | 'stopped';
  matched: number;
  processed: number;
  done: number;
  refused: number;
  failed: number;
  problems?: Json[];
  created_at?: string;
  reason?: string;
  /** At most so many; null: as fast as it goes. */
  per_minute?: number | null;
}

export function isFlow(definition: Definition): definition is FlowDefinition {
  return (definition as FlowDefinition).language === 'flow';
}
