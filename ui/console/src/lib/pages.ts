// The pages in the order of the rail, with the key that follows `g` (U-8).

import type { IconName } from '../parts/Icon.svelte';
import type { Role } from './types.ts';
import { pages as w } from '../words/shell.ts';

export interface PageEntry {
  id: string;
  name: string;
  href: string;
  icon: IconName;
  key: string;
  role: Role;
}

export const pages: PageEntry[] = [
  { id: '', name: w.home, href: '/', icon: 'home', key: 'h', role: 'viewer' },
  { id: 'runs', name: w.runs, href: '/runs', icon: 'runs', key: 'r', role: 'viewer' },
  { id: 'workflows', name: w.workflows, href: '/workflows', icon: 'workflows', key: 'f', role: 'viewer' },
  { id: 'waits', name: w.waits, href: '/waits', icon: 'waits', key: 'w', role: 'viewer' },
  { id: 'jobs', name: w.jobs, href: '/jobs', icon: 'jobs', key: 'j', role: 'viewer' },
  { id: 'approvals', name: w.approvals, href: '/approvals', icon: 'approvals', key: 'a', role: 'viewer' },
  { id: 'dlq', name: w.deadLetters, href: '/dlq', icon: 'dlq', key: 'd', role: 'viewer' },
  { id: 'policy', name: w.policy, href: '/policy', icon: 'policy', key: 'p', role: 'viewer' },
  { id: 'workers', name: w.workers, href: '/workers', icon: 'workers', key: 'k', role: 'viewer' },
  { id: 'schedules', name: w.schedules, href: '/schedules', icon: 'schedules', key: 's', role: 'viewer' },
  { id: 'simulate', name: w.simulate, href: '/simulate', icon: 'simulate', key: 'm', role: 'viewer' },
  { id: 'audit', name: w.audit, href: '/audit', icon: 'audit', key: 'u', role: 'admin' },
  { id: 'settings', name: w.settings, href: '/settings', icon: 'settings', key: ',', role: 'viewer' },
];

const phoneOrder = ['', 'runs', 'waits', 'approvals', 'workflows'];

/** The four that stand in the bar of a phone; the others are behind *More*. */
export function onPhone(shown: PageEntry[]): PageEntry[] {
  return phoneOrder.map((id) => shown.find((page) => page.id === id)).filter((page) => page !== undefined).slice(0, 4);
}
