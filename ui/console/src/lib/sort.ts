// The order of a list as the address and the API have it: a name, with `-` before it for the greatest first (U-2).

export type Way = 'ascending' | 'descending' | 'none';

/** How a list is sorted by a name. Lists begin with the newest, so nothing said is `-started_at`. */
export function sortOf(sort: string, name: string): Way {
  const said = sort || '-started_at';
  return said === name ? 'ascending' : said === `-${name}` ? 'descending' : 'none';
}

/** What a click on the head of a column makes of it; empty for the order a list has by itself. */
export function nextSort(sort: string, name: string): string {
  const next = sortOf(sort, name) === 'descending' ? name : `-${name}`;
  return next === '-started_at' ? '' : next;
}
