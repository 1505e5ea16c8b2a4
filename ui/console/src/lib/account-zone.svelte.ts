// The account's own zone, asked for when somebody wants times in it (U-9).

import { get } from './api.ts';
import { knownZone } from './zones.ts';

class AccountZone {
  name = $state('UTC');
  private asked = false;

  /** The zone as far as it is known; the page follows when the answer comes. */
  current(): string {
    if (!this.asked) {
      this.asked = true;
      queueMicrotask(() => void this.read());
    }
    return this.name;
  }

  private async read(): Promise<void> {
    try {
      const { timezone } = await get<{ timezone: string | null }>('/settings');
      if (timezone && knownZone(timezone)) this.name = timezone;
    } catch {
      // UTC stays, and every time names its offset.
    }
  }
}

export const accountZone = new AccountZone();
