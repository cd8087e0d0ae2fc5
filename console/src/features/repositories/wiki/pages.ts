/** A page in the tree, with how far it is below the top. */
export interface Placed<T> {
  page: T;
  depth: number;
}

/** Returns pages in the order to read them, each after the one above it; none is lost to a circle or a missing parent. */
export function inTree<T extends { slug: string; parent: string }>(pages: readonly T[]): Placed<T>[] {
  const slugs = new Set(pages.map(({ slug }) => slug));
  const placed: Placed<T>[] = [];
  const seen = new Set<string>();
  const put = (page: T, depth: number): void => {
    if (seen.has(page.slug)) return;
    seen.add(page.slug);
    placed.push({ page, depth });
    for (const child of pages) if (child.parent === page.slug) put(child, depth + 1);
  };
  for (const page of pages) if (!slugs.has(page.parent)) put(page, 0);
  for (const page of pages) put(page, 0);
  return placed;
}

/** Where a link of a page leads: a line of a file of the commit, another page, or elsewhere. */
export type Target =
  | { kind: 'line'; path: string; commit: string; line: number }
  | { kind: 'page'; slug: string }
  | { kind: 'elsewhere'; href: string };

export function targetOf(href: string): Target {
  const [, encoded, commit = '', line] = /^([^:?#]+)@([\w-]+)#L(\d{1,9})$/.exec(href) ?? [];
  const path = encoded === undefined ? undefined : decoded(encoded);
  if (path !== undefined) return { kind: 'line', path, commit, line: Number(line) };
  if (/^[\w.~-]+$/.test(href)) return { kind: 'page', slug: href };
  return { kind: 'elsewhere', href };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
