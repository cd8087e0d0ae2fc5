import { useMemo } from 'react';
import { DiffView } from './DiffView.tsx';

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
    <div className="h-96 overflow-hidden rounded-control border border-line">
      <DiffView files={files} wrap />
    </div>
  );
}
