// What the console takes an answer for has to be what the server says it gives: it does not compile otherwise (U-83).

import type { BulkOperation, BulkPreview, Json, Overview, Page, Run, RunItem, Session, Workflow } from '../lib/types.ts';
import type { SavedView } from '../lib/views.ts';
import type { paths } from './openapi.d.ts';

/** The body of a good answer. */
type Told<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends { responses: infer Answers }
  ? Answers extends { 200: { content: { 'application/json': infer Body } } } ? Body
    : Answers extends { 201: { content: { 'application/json': infer Body } } } ? Body : never
  : never;
/** `Ours` has all that is told, with types that fit. */
type Fits<Ours extends Body, Body> = Ours;

export type Agreed = [
  Fits<Session, Told<'/api/v1/session', 'get'>>,
  Fits<Overview, Omit<Told<'/api/v1/overview', 'get'>, 'measured_since'>>,
  Fits<Run, Omit<Told<'/api/v1/executions/{execution_id}', 'get'>, 'account_id'>>,
  Fits<Page<RunItem>, Told<'/api/v1/executions', 'get'>>,
  Fits<Workflow, Omit<Told<'/api/v1/workflows/{workflow_id}', 'get'>, 'warnings'>>,
  Fits<BulkOperation, Told<'/api/v1/bulk/{bulk_id}', 'get'>>,
  Fits<SavedView, Omit<Told<'/api/v1/views/{view_id}', 'get'>, 'created_at' | 'updated_at'>>,
  Fits<Pick<BulkPreview, 'token'>, { token: Json }>,
];
