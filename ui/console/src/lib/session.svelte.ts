import { ask, get, useSession } from './api.ts';
import { clock } from './clock.svelte.ts';
import { router } from './router.svelte.ts';
import type { Role, Session } from './types.ts';

const ranks: Record<Role, number> = { viewer: 0, operator: 1, editor: 2, admin: 3, root: 4 };

class CurrentSession {
  value = $state.raw<Session | null>(null);
  state = $state<'loading' | 'in' | 'out' | 'unreachable'>('loading');
  /** A newer console is served than the one that runs in this tab. */
  updated = $state(false);

  /** What the role can never do is not shown (U-10). */
  can(role: Role): boolean {
    return this.value !== null && ranks[this.value.role] >= ranks[role];
  }

  async load(): Promise<void> {
    this.useHeaders();
    try {
      this.accept(await get<Session>('/session'));
    } catch {
      // A page that is open stays, with what it knows; its connection says how old that is.
      if (this.state === 'loading') this.state = 'unreachable';
    }
  }

  async signIn(key: string): Promise<void> {
    const { body } = await ask<Session>('/session', { method: 'POST', body: { key } });
    this.accept(body);
  }

  async signOut(): Promise<void> {
    await ask('/session', { method: 'DELETE' });
    try {
      localStorage.clear();
    } catch {
      // There was nothing to clear.
    }
    location.assign('/login');
  }

  private accept(session: Session): void {
    const before = this.value?.console;
    if (before && session.console && before !== session.console) {
      this.updated = true;
      router.reloadNext = true;
    }
    this.value = before ? { ...session, console: before } : session;
    this.state = 'in';
    this.useHeaders();
    clock.set(session.now, session.virtual_clock);
  }

  private useHeaders(): void {
    useSession(this.value?.csrf ?? null, new URLSearchParams(location.search).get('account') ?? '', () => {
      this.state = 'out';
      this.value = null;
    });
  }
}

export const session = new CurrentSession();
