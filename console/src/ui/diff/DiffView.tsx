import { lazy, Suspense } from 'react';
import { Boundary } from '../Boundary.tsx';
import { SkeletonRows } from '../Skeleton.tsx';
import type { DiffViewProps } from './diff.ts';
import { visible } from '../../lib/visible.ts';

const DiffCode = lazy(async () => ({ default: (await import('./DiffCode.tsx')).DiffCode }));

/**
 * Changed files with their lines, of any length: only what is in view is in the page, and a worker highlights it.
 * Needs a parent with a height.
 *
 * ```tsx
 * <DiffView files={diff.files} layout="split" onLines={(lines) => startComment(lines)} />
 * ```
 */
export function DiffView(props: DiffViewProps) {
  const written = props.files.map(({ path, patch }) => (
    <pre key={path} className="p-3 whitespace-pre-wrap">
      {visible(patch.slice(0, 100_000))}
    </pre>
  ));
  return (
    <Boundary fallback={<div className={props.className ?? 'h-full overflow-auto'}>{written}</div>}>
      <Suspense fallback={<SkeletonRows rows={12} height={20} />}>
        <DiffCode {...props} />
      </Suspense>
    </Boundary>
  );
}
