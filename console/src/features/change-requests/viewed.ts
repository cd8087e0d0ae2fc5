import { useState } from 'react';
import { recall, remember } from '../../lib/storage.ts';

/** The ticked files of one commit. */
interface Ticks {
  head: string;
  paths: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/** Which files of a commit the person has ticked as viewed; another commit begins anew. */
export function useViewed(name: string, head: string) {
  const [ticks, setTicks] = useState(() => stored(name));
  const viewed = ticks.head === head ? ticks.paths : none;
  return {
    viewed,
    toggle: (path: string) => {
      const paths = new Set(viewed);
      if (!paths.delete(path)) paths.add(path);
      setTicks({ head, paths });
      remember(name, JSON.stringify({ head, paths: [...paths] }));
    },
  };
}

function stored(name: string): Ticks {
  try {
    const { head, paths }: { head?: unknown; paths?: unknown } = Object(JSON.parse(recall(name) ?? '{}'));
    const known = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
    return { head: String(head), paths: new Set(known) };
  } catch {
    return { head: '', paths: none };
  }
}
