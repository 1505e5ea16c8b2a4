// Views of lists that people have saved on the server (U-13); what is pure of them.

export interface SavedView {
  id: string;
  page: string;
  name: string;
  query: Record<string, string>;
  shared: boolean;
  owner: string;
  may_change: boolean;
  revision: number;
}

/** What stands in the address and is no part of a view. */
const passing = ['account', 'peek'];

/** What a view keeps of the address. */
export function queryOf(search: URLSearchParams): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of search) if (value && !passing.includes(name)) out[name] = value;
  return out;
}

/** The same whatever the order of names. */
export function sameQuery(a: Record<string, string>, b: Record<string, string>): boolean {
  const text = (query: Record<string, string>) => JSON.stringify(Object.entries(query).sort(([x], [y]) => (x < y ? -1 : 1)));
  return text(a) === text(b);
}

/** Own ones first, then those of others, each by name. */
export function sortedViews(views: SavedView[], actor: string): SavedView[] {
  const rank = (view: SavedView) => (view.owner === actor ? 0 : 1);
  return views.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
