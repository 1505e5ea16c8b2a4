// The pages in the order of the rail, with the key that follows `g` (U-8).

import type { IconName } from '../parts/Icon.svelte';
import type { Role } from './types.ts';

export interface PageEntry {
  id: string;
  name: string;
  href: string;
  icon: IconName;
  key: string;
  role: Role;
}

export const pages: PageEntry[] = [
  { id: '', name: 'Home', href: '/', icon: 'home', key: 'h', role: 'viewer' },
  { id: 'runs', name: 'Runs', href: '/runs', icon: 'runs', key: 'r', role: 'viewer' },
  { id: 'workflows', name: 'Workflows', href: '/workflows', icon: 'workflows', key: 'f', role: 'viewer' },
  { id: 'waits', name: 'Waits', href: '/waits', icon: 'waits', key: 'w', role: 'viewer' },
  { id: 'jobs', name: 'Jobs', href: '/jobs', icon: 'jobs', key: 'j', role: 'viewer' },
  { id: 'approvals', name: 'Approvals', href: '/approvals', icon: 'approvals', key: 'a', role: 'viewer' },
  { id: 'dlq', name: 'Dead letters', href: '/dlq', icon: 'dlq', key: 'd', role: 'viewer' },
  { id: 'policy', name: 'Policy', href: '/policy', icon: 'policy', key: 'p', role: 'viewer' },
  { id: 'workers', name: 'Workers', href: '/workers', icon: 'workers', key: 'k', role: 'viewer' },
  { id: 'schedules', name: 'Schedules', href: '/schedules', icon: 'schedules', key: 's', role: 'viewer' },
  { id: 'simulate', name: 'Simulate', href: '/simulate', icon: 'simulate', key: 'm', role: 'viewer' },
  { id: 'audit', name: 'Audit', href: '/audit', icon: 'audit', key: 'u', role: 'admin' },
  { id: 'settings', name: 'Settings', href: '/settings', icon: 'settings', key: ',', role: 'viewer' },
];

const phoneOrder = ['', 'runs', 'waits', 'approvals', 'workflows'];

/** The four that stand in the bar of a phone; the others are behind *More*. */
export function onPhone(shown: PageEntry[]): PageEntry[] {
  return phoneOrder.map((id) => shown.find((page) => page.id === id)).filter((page) => page !== undefined).slice(0, 4);
}
