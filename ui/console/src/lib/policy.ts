// What policy says of jobs, in words (U-44); pure.

import type { Json, JsonObject } from './types.ts';
import { policy as w } from '../words/policy.ts';

export interface PolicyStatus {
  snapshot: string;
  in_force: boolean;
  judged_by: string;
  fail_mode: string;
  file: string | null;
  documents: Record<string, { revision: number; at: string; by: string; origin: string }>;
  bundles: number;
  load_failed: { at: string; message: string; errors: { path: string; line: number; column: number; message: string }[] } | null;
  effective: Effective;
}

export interface Effective {
  invariants: JsonObject | null;
  bundles: { id: string; document: JsonObject }[];
  base: JsonObject | null;
}

export interface Lately {
  day: number;
  month: number;
  days: number[];
}

export interface Rule {
  layer: string;
  bundle: string;
  rule_id: string;
  decision: string;
  reason: string;
  hits: number;
  never_matched: boolean;
  /** How often in the last 24 hours, in 30 days, and on each of them, the oldest first. */
  lately: Lately;
  last_hit_at: string | null;
  shadowed_by: string | null;
}

export interface Explained {
  decision: string;
  rule_id: string;
  bundle: string;
  reason: string;
  snapshot: string;
  constraints: Json;
  approval: Json;
  facts: JsonObject;
  rules: { layer: string; bundle: string; rule_id: string; decision: string; matched: boolean; failed?: string }[];
}

export interface Change {
  job_id: string;
  topic: string;
  at: string;
  was: string;
  was_rule: string;
  would_be: string;
  rule: string;
}

export interface Rehearsal {
  snapshot: string;
  total: number;
  same: number;
  stricter: number;
  milder: number;
  changes: Change[];
  pending_affected: { job_id: string; state: string; was: string; would_be: string; rule: string }[];
  runs_stalled: string[];
  undo_blocked: { job_id: string; topic: string; rule: string }[];
}

export interface Flip {
  was: string;
  would: string;
  changes: Change[];
}

/** Changes of one kind together: allow → deny, and so on; the most frequent first. */
export function flipsOf(changes: Change[]): Flip[] {
  const flips = new Map<string, Flip>();
  for (const change of changes) {
    const key = `${change.was} ${change.would_be}`;
    const known = flips.get(key) ?? { was: change.was, would: change.would_be, changes: [] };
    known.changes.push(change);
    flips.set(key, known);
  }
  return [...flips.values()].sort((a, b) => b.changes.length - a.changes.length || a.was.localeCompare(b.was));
}

export function defaultOf(effective: Effective | undefined): string {
  const decision = effective?.base?.default_decision;
  return typeof decision === 'string' ? decision : 'allow';
}

/** What a rule looks at, as it is written. */
export function ruleIn(effective: Effective | undefined, layer: string, bundle: string, id: string): JsonObject | undefined {
  if (!effective) return undefined;
  const document = layer === 'base' ? effective.base : layer === 'invariants' ? effective.invariants : effective.bundles.find((one) => one.id === bundle)?.document;
  const rules = document?.rules;
  if (!Array.isArray(rules)) return undefined;
  return rules.find((rule): rule is JsonObject => !!rule && typeof rule === 'object' && !Array.isArray(rule) && rule.id === id);
}

/** The conditions of a rule in one line: `topics: pay.*, refund`. */
export function matchWords(rule: JsonObject | undefined): string {
  const match = rule?.match;
  if (!match || typeof match !== 'object' || Array.isArray(match)) return '';
  const word = (value: Json): string => (Array.isArray(value) ? value.map(word).join(', ') : value && typeof value === 'object' ? JSON.stringify(value) : String(value));
  const parts = Object.entries(match).map(([name, value]) => `${name.replace(/_/g, ' ')}: ${word(value)}`);
  return parts.join(' · ') || w.everyJob;
}

const layers: Record<string, string> = { invariants: w.invariants, bundle: w.bundle, base: w.base };

export function layerName(layer: string, bundle = ''): string {
  return bundle ? `${layers[layer] ?? layer} ${bundle}` : (layers[layer] ?? layer);
}

/** One document that can be edited; `bundle` is empty for the base and the invariants. */
export interface Layer {
  layer: 'base' | 'bundle' | 'invariants';
  bundle: string;
  document: JsonObject;
}

const empty: Record<Layer['layer'], JsonObject> = {
  base: { version: 1, default_decision: 'allow', rules: [] },
  bundle: { version: 1, rules: [] },
  invariants: { version: 1, rules: [] },
};

export function layersOf(effective: Effective | undefined): Layer[] {
  return [
    { layer: 'base', bundle: '', document: effective?.base ?? empty.base },
    ...(effective?.bundles ?? []).map((one): Layer => ({ layer: 'bundle', bundle: one.id, document: one.document })),
    { layer: 'invariants', bundle: '', document: effective?.invariants ?? empty.invariants },
  ];
}

/** What a rehearsal puts in the place of a layer that is in force; JSON is YAML too. */
export function candidateOf(effective: Effective | undefined, layer: Layer, text: string): JsonObject {
  const document: JsonObject = { yaml: text };
  if (layer.layer !== 'bundle') return { [layer.layer]: document };
  const others = (effective?.bundles ?? []).map((one) => ({ id: one.id, document: one.id === layer.bundle ? document : one.document }));
  return { bundles: others.some((one) => one.id === layer.bundle) ? others : [...others, { id: layer.bundle, document }] };
}

/** Where a layer is written to. */
export function layerPath(layer: Layer): string {
  return layer.layer === 'bundle' ? `/policy/bundles/${encodeURIComponent(layer.bundle)}` : `/policy/${layer.layer}`;
}
