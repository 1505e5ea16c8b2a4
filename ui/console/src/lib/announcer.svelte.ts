// What has changed, for those who do not see it: one sentence each five seconds at most (U-70).

const restMs = 5000;

class Announcer {
  text = $state('');
  private next = '';
  private timer: ReturnType<typeof setTimeout> | null = null;

  /** The latest wins when many come. */
  say(text: string): void {
    this.next = text;
    if (!this.timer) this.speak();
  }

  private speak(): void {
    this.text = this.next;
    this.next = '';
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.next) this.speak();
    }, restMs);
  }
}

export const announcer = new Announcer();
