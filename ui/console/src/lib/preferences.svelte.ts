// What the browser keeps: preferences only, never keys, inputs or outputs (U-76).

export type Theme = 'system' | 'light' | 'dark';
export type TimeMode = 'relative' | 'local' | 'account' | 'utc';

const storedName = 'fermata.preferences';

function stored(): Record<string, unknown> {
  try {
    return JSON.parse(localStorage.getItem(storedName) ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}

class Preferences {
  theme = $state<Theme>('system');
  time = $state<TimeMode>('relative');
  compact = $state(false);
  railFolded = $state(false);
  shortcuts = $state(true);

  constructor() {
    const kept = stored();
    if (kept.theme === 'light' || kept.theme === 'dark') this.theme = kept.theme;
    if (kept.time === 'local' || kept.time === 'account' || kept.time === 'utc') this.time = kept.time;
    this.compact = kept.compact === true;
    this.railFolded = kept.railFolded === true;
    this.shortcuts = kept.shortcuts !== false;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.paint());
  }

  keep(): void {
    const { theme, time, compact, railFolded, shortcuts } = this;
    try {
      localStorage.setItem(storedName, JSON.stringify({ theme, time, compact, railFolded, shortcuts }));
    } catch {
      // Nothing is kept; the page works the same.
    }
    this.paint();
  }

  nextTheme(): void {
    this.theme = this.theme === 'system' ? 'light' : this.theme === 'light' ? 'dark' : 'system';
    this.keep();
  }

  nextTime(): void {
    const modes: TimeMode[] = ['relative', 'local', 'account', 'utc'];
    this.time = modes[(modes.indexOf(this.time) + 1) % modes.length] ?? 'relative';
    this.keep();
  }

  private paint(): void {
    const dark = this.theme === 'dark' || (this.theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}

export const preferences = new Preferences();
