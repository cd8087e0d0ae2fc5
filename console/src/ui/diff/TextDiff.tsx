import { useMemo } from 'react';
import { DiffView } from './DiffView.tsx';

/** Pixels: a short text needs less than a long one, and the lines of both can stand below each other. */
const [mostHigh, head, lineHigh] = [384, 64, 20];

function linesIn(before: string, after: string): number {
  return Math.max(before.split('\n').length, after.split('\n').length);
}

/** What differs between two states of a text, in a box that scrolls. */
export function TextDiff({ name, before, after }: { name: string; before: string; after: string }) {
  const files = useMemo(
    () => [
      {
        path: name,
        old_path: '',
        status: 'modified' as const,
        binary: false,
        additions: 0,
        deletions: 0,
        patch: '',
        texts: { before, after },
      },
    ],
    [name, before, after],
  );
  if (before === after) return <p className="text-ink-2">Nothing differs.</p>;
  return (
    <div
      className="overflow-hidden rounded-control border border-line bg-surface"
      style={{ height: Math.min(mostHigh, head + lineHigh * (linesIn(before, after) + 3)) }}
    >
      <DiffView files={files} wrap />
    </div>
  );
}
