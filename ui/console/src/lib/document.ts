// A workflow as a person wrote it: the definition that runs, and what is kept beside it.

import { isFlow, type Definition, type Drawing, type JsonObject } from './types.ts';

type Part = { id: string };

/** The definition with positions, notes and further fields put back, so that saving loses none. */
export function withDrawing(definition: Definition, drawing: Drawing | undefined): Definition {
  if (isFlow(definition) || !drawing) return definition;
  const back = <One extends Part>(parts: One[], extra: Record<string, JsonObject> | undefined): One[] =>
    parts.map((part) => ({ ...part, ...extra?.[part.id] }));
  return {
    ...definition,
    nodes: back(definition.nodes, drawing.nodes),
    edges: back(definition.edges, drawing.edges),
    ...(drawing.notes ? { notes: drawing.notes } : {}),
    ...drawing.fields,
  };
}

export function textOfDefinition(definition: Definition, drawing?: Drawing): string {
  return isFlow(definition) ? definition.source : `${JSON.stringify(withDrawing(definition, drawing), null, 2)}\n`;
}
