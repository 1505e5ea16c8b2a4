// The address is the state: page, filters, tab, selection (U-2).

class Router {
  path = $state(location.pathname);
  search = $state(location.search);
  /** Set when a newer console is known of: the next page is loaded afresh (U-85). */
  reloadNext = false;
  /** Asked before the page is left; answers false to stay. */
  guard: (() => boolean) | null = null;

  query = $derived(new URLSearchParams(this.search));
  parts = $derived(this.path.split('/').filter(Boolean).map(decode));

  constructor() {
    addEventListener('popstate', () => this.read());
    addEventListener('click', (event) => this.follow(event));
  }

  get(name: string): string {
    return this.query.get(name) ?? '';
  }

  go(target: string, replace = false): void {
    const url = new URL(target, location.href);
    const leaves = url.pathname !== this.path;
    if (leaves && this.guard && !this.guard()) return;
    if (leaves) this.guard = null;
    if (leaves && this.reloadNext) {
      location.assign(url.href);
      return;
    }
    if (url.href !== location.href) history[replace ? 'replaceState' : 'pushState'](null, '', url.href);
    this.read();
    if (leaves) {
      scrollTo(0, 0);
      queueMicrotask(() => document.getElementById('content')?.focus({ preventScroll: true }));
    }
  }

  /** Changes parameters of the address; an empty value removes one. */
  set(changes: Record<string, string | null | undefined>, replace = false): void {
    const next = new URLSearchParams(this.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    const text = next.toString();
    this.go(this.path + (text ? `?${text}` : ''), replace);
  }

  private read(): void {
    this.path = location.pathname;
    this.search = location.search;
  }

  private follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target || link.origin !== location.origin || link.hasAttribute('download')) return;
    if (link.pathname.startsWith('/api/') || link.pathname.endsWith('.json') || link.pathname === '/metrics') return;
    event.preventDefault();
    this.go(link.href);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const router = new Router();
