// The server's clock. Countdowns never use the browser's (U-5).

class ServerClock {
  /** Moves once a second; what shows ages and countdowns reads it. */
  now = $state(Date.now());
  virtual = $state(false);
  private skewMs = 0;
  private virtualMs = 0;

  constructor() {
    setInterval(() => this.tick(), 1000);
  }

  set(serverNow: string, virtual: boolean): void {
    this.virtual = virtual;
    this.virtualMs = Date.parse(serverNow);
    this.skewMs = this.virtualMs - Date.now();
    this.tick();
  }

  tick(): void {
    this.now = this.virtual ? this.virtualMs : Date.now() + this.skewMs;
  }
}

export const clock = new ServerClock();
