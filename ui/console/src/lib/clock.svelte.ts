// The server's clock. Countdowns never use the browser's (U-5).

class ServerClock {
  /** Moves once a second; what shows ages and countdowns reads it. */
  now = $state(Date.now());
  virtual = $state(false);
  private standsStill = false;
  private skewMs = 0;
  private virtualMs = 0;

  constructor() {
    setInterval(() => this.tick(), 1000);
  }

  set(serverNow: string, virtual: boolean): void {
    this.virtual = virtual;
    this.standsStill = virtual;
    this.virtualMs = Date.parse(serverNow);
    this.skewMs = this.virtualMs - Date.now();
    this.tick();
  }

  tick(): void {
    this.now = this.moment();
  }

  /** The time of the server at this moment, for what is asked once: nobody is called again when it moves. */
  moment(): number {
    return this.standsStill ? this.virtualMs : Date.now() + this.skewMs;
  }
}

export const clock = new ServerClock();
