// Columns of the list of runs, and of the file that is made of it (U-22, U-13).

import type { Column } from '../parts/Grid.svelte';
import type { ExportColumn } from './export.ts';
import type { RunItem } from './types.ts';
import { runs as w } from '../words/runs.ts';

export const runColumns: Column[] = [
  { id: 'status', name: w.status, width: '104px' },
  { id: 'workflow', name: w.workflow, width: 'minmax(104px, 1.4fr)' },
  { id: 'id', name: w.run, width: '104px' },
  { id: 'now', name: w.nowAt, width: 'minmax(140px, 1.6fr)' },
  { id: 'contact', name: w.contact, width: 'minmax(56px, 0.7fr)' },
  { id: 'labels', name: w.labels, width: 'minmax(72px, 1fr)' },
  { id: 'started', name: w.started, width: '84px', sort: 'started_at' },
  { id: 'duration', name: w.duration, width: '68px', right: true },
  { id: 'attempts', name: w.attempts, width: '60px', right: true },
  { id: 'version', name: w.version, width: '64px', right: true },
  { id: 'ended', name: w.ended, width: '104px' },
  { id: 'error', name: w.error, width: 'minmax(96px, 1fr)' },
  { id: 'parent', name: w.parent, width: '112px' },
];

export const runExport: ExportColumn<RunItem>[] = [
  ...(['id', 'workflow_id', 'version', 'status', 'started_at', 'completed_at', 'contact_id'] as const).map((name) => ({ name, of: (run: RunItem) => run[name] })),
  { name: 'error_code', of: (run) => run.error?.code },
  { name: 'labels', of: (run) => Object.entries(run.labels).map(([name, value]) => `${name}:${value}`).join(' ') },
];
