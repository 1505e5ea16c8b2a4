interface Toast {
  number: number;
  text: string;
  href: string;
}

class Toasts {
  all = $state<Toast[]>([]);
  private next = 1;

  say(text: string, href = ''): void {
    const number = this.next++;
    this.all = [...this.all.slice(-2), { number, text, href }];
    setTimeout(() => this.drop(number), 6000);
  }

  drop(number: number): void {
    this.all = this.all.filter((toast) => toast.number !== number);
  }
}

export const toasts = new Toasts();
