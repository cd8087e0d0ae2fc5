import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { alteredTests } from './altered-tests.ts';
import type { DiffFile } from './diff.ts';

const most = 5;

/** Names the tests that a change alters, since its check may pass because of that; nothing if there is none. */
export function AlteredTests({
  files,
  renderName,
}: {
  files: readonly DiffFile[];
  /** Draws the name of a test; plain by default. */
  renderName?: (file: DiffFile) => ReactNode;
}) {
  const altered = alteredTests(files);
  if (altered.length === 0) return null;
  return (
    <div className="flex items-start gap-2 text-wait">
      <TriangleAlert size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0" />
      <p className="min-w-0 break-words">
        The change alters {altered.length === 1 ? 'a test' : `${altered.length} tests`}:{' '}
        {altered.slice(0, most).map((file, at) => (
          <span key={file.path}>
            {at > 0 && ', '}
            {renderName?.(file) ?? file.path} <span className="mono text-meta whitespace-nowrap">{extentOf(file)}</span>
          </span>
        ))}
        {altered.length > most && ` and ${altered.length - most} more`}
      </p>
    </div>
  );
}

function extentOf({ status, additions, deletions }: DiffFile): string {
  return status === 'deleted' ? 'deleted' : `+${additions} −${deletions}`;
}
