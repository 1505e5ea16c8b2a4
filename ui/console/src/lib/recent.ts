// The things that were looked at last, newest first; forgotten with the tab (U-7, U-76).

export interface Recent {
  kind: string;
  name: string;
  href: string;
}

const recentMax = 6;
const list: Recent[] = [];

export function remember(thing: Recent): void {
  const known = list.findIndex((one) => one.href === thing.href);
  if (known >= 0) list.splice(known, 1);
  list.unshift(thing);
  list.splice(recentMax);
}

export function recents(): Recent[] {
  return [...list];
}
