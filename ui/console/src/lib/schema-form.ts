// A form from a JSON Schema, as far as an input's schema goes (U-35).

import type { Json, JsonObject } from './types.ts';
import { schemaForm as w } from '../words/workflows.ts';

export interface Field {
  name: string;
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'date-time' | 'json';
  /** For `json`: what it must be. */
  shape: 'object' | 'array' | '';
  required: boolean;
  title: string;
  description: string;
  options: Json[];
  initial: Json | undefined;
  least: number | undefined;
  most: number | undefined;
}

export function fieldsOf(schema: Json | undefined): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, value]) => {
    const about = isObject(value) ? value : {};
    return {
      name,
      kind: kindOf(about),
      shape: about.type === 'object' || about.type === 'array' ? about.type : '',
      required: required.includes(name),
      title: typeof about.title === 'string' ? about.title : name,
      description: typeof about.description === 'string' ? about.description : '',
      options: Array.isArray(about.enum) ? about.enum : [],
      initial: about.default,
      least: typeof about.minimum === 'number' ? about.minimum : undefined,
      most: typeof about.maximum === 'number' ? about.maximum : undefined,
    };
  });
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function kindOf(about: JsonObject): Field['kind'] {
  if (Array.isArray(about.enum)) return 'enum';
  if (about.type === 'string') return about.format === 'date-time' ? 'date-time' : 'string';
  if (about.type === 'number' || about.type === 'integer' || about.type === 'boolean') return about.type;
  return 'json';
}

/** What a field's text means; fails with a sentence. */
export function valueOf(field: Field, text: string): Json | undefined {
  if (text === '') {
    if (field.required) throw new Error(w.thisIsNeeded);
    return undefined;
  }
  if (field.kind === 'boolean') return text === 'true';
  if (field.kind === 'enum') return field.options.find((option) => textOf(field, option) === text);
  if (field.kind === 'number' || field.kind === 'integer') return numberOf(field, text);
  if (field.kind === 'date-time') {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) throw new Error(w.aDateAndATimeAre);
    return date.toISOString();
  }
  return field.kind === 'json' ? jsonOf(field, text) : text;
}

function numberOf(field: Field, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(w.aNumberIsExpected);
  if (field.kind === 'integer' && !Number.isInteger(number)) throw new Error(w.aWholeNumberIsExpected);
  if (field.least !== undefined && number < field.least) throw new Error(w.atLeastIsExpected(field.least));
  if (field.most !== undefined && number > field.most) throw new Error(w.atMostIsExpected(field.most));
  return number;
}

function jsonOf(field: Field, text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new Error(w.jSONIsExpected);
  }
  if (field.shape === 'array' && !Array.isArray(value)) throw new Error(w.aListInBracketsIsExpected);
  if (field.shape === 'object' && !isObject(value)) throw new Error(w.anObjectInBracesIsExpected);
  return value;
}

/** How a value stands in its field; the inverse of `valueOf`. */
export function textOf(field: Field, value: Json | undefined): string {
  if (value === undefined || (value === null && field.kind !== 'enum' && field.kind !== 'json')) return '';
  if (field.kind === 'date-time' && typeof value === 'string') return localTime(value);
  if (field.kind === 'json' || typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** What the browser's own field for dates reads: this machine's time without a zone. */
function localTime(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const two = (number: number) => String(number).padStart(2, '0');
  const seconds = date.getSeconds() ? `:${two(date.getSeconds())}` : '';
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
}

export function initialTexts(fields: Field[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, textOf(field, field.initial)]));
}

/** What is wrong, by field. */
export function mistakesOf(fields: Field[], texts: Record<string, string>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const field of fields) {
    try {
      valueOf(field, texts[field.name] ?? '');
    } catch (error) {
      out[field.name] = (error as Error).message;
    }
  }
  return out;
}

/** The input that the texts stand for, with what the schema does not name left as it was. */
export function inputOf(fields: Field[], texts: Record<string, string>, rest: JsonObject): JsonObject {
  const value: JsonObject = { ...rest };
  for (const field of fields) {
    const one = valueOf(field, texts[field.name] ?? '');
    if (one !== undefined) value[field.name] = one;
  }
  return value;
}

/** An input taken apart: the texts of the fields, and what has none. */
export function textsOf(fields: Field[], input: JsonObject): { texts: Record<string, string>; rest: JsonObject } {
  const names = new Set(fields.map((field) => field.name));
  return {
    texts: Object.fromEntries(fields.map((field) => [field.name, textOf(field, input[field.name])])),
    rest: Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name))),
  };
}
