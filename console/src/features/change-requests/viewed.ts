import { useState } from 'react';
import { recall, remember } from '../../lib/storage.ts';

/** Which files of a commit the person has ticked as viewed; another commit begins anew. */
export function useViewed(name: string, head: string) {
  const [viewed, setViewed] = useState(() => stored(name, head));
  return {
    viewed,
    toggle: (path: string) => {
      const next = new Set(viewed);
      if (!next.delete(path)) next.add(path);
      setViewed(next);
      remember(name, JSON.stringify({ head, paths: [...next] }));
    },
  };
}

function stored(name: string, head: string): ReadonlySet<string> {
  try {
    const { head: of, paths }: { head?: unknown; paths?: unknown } = Object(JSON.parse(recall(name) ?? '{}'));
    return new Set(of === head && Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : []);
  } catch {
    return new Set();
  }
}
