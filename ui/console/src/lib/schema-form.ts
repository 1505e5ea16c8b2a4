// A form from a JSON Schema, as far as an input's schema goes (U-35).

import type { Json, JsonObject } from './types.ts';

export interface Field {
  name: string;
  kind: 'string' | 'number' | 'integer' | 'boolean' | 'enum' | 'date-time' | 'json';
  required: boolean;
  description: string;
  options: Json[];
  initial: Json | undefined;
}

export function fieldsOf(schema: JsonObject | undefined): Field[] {
  const properties = schema?.properties;
  if (!properties || typeof properties !== 'object' || Array.isArray(properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, value]) => {
    const about = (value && typeof value === 'object' && !Array.isArray(value) ? value : {}) as JsonObject;
    return {
      name,
      kind: kindOf(about),
      required: required.includes(name),
      description: typeof about.description === 'string' ? about.description : '',
      options: Array.isArray(about.enum) ? about.enum : [],
      initial: about.default,
    };
  });
}

function kindOf(about: JsonObject): Field['kind'] {
  if (Array.isArray(about.enum)) return 'enum';
  if (about.type === 'string') return about.format === 'date-time' ? 'date-time' : 'string';
  if (about.type === 'number' || about.type === 'integer' || about.type === 'boolean') return about.type;
  return 'json';
}

/** What a field's text means; fails with a sentence. */
export function valueOf(field: Field, text: string): Json | undefined {
  if (text === '' && field.kind !== 'boolean') {
    if (field.required) throw new Error('This is needed.');
    return undefined;
  }
  if (field.kind === 'boolean') return text === 'true';
  if (field.kind === 'enum') return field.options.find((option) => String(option) === text);
  if (field.kind === 'number' || field.kind === 'integer') {
    const number = Number(text);
    if (!Number.isFinite(number)) throw new Error('A number is expected.');
    if (field.kind === 'integer' && !Number.isInteger(number)) throw new Error('A whole number is expected.');
    return number;
  }
  if (field.kind === 'date-time') {
    const date = new Date(text);
    if (Number.isNaN(date.getTime())) throw new Error('A date and a time are expected.');
    return date.toISOString();
  }
  if (field.kind === 'json') return JSON.parse(text) as Json;
  return text;
}
