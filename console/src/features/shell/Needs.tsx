import type { ReactNode } from 'react';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { useMay } from './useCan.ts';

/** Says which scope a change takes, to who lacks it; shows nothing to others. */
export function Needs({ org, scope, what }: { org: string; scope: string; what: string }) {
  const may = useMay(org, scope);
  if (may !== false) return null;
  return (
    <p className="text-ink-3">
      {what} takes the permission <code>{scope}</code>. Ask an administrator of the organization.
    </p>
  );
}

/** Shows what is inside to who has a scope, and says to others which one the page takes. */
export function Guarded({ org, scope, children }: { org: string; scope: string; children: ReactNode }) {
  const may = useMay(org, scope);
  if (may === undefined) return <SkeletonRows rows={8} height={40} />;
  if (may) return children;
  return (
    <p className="px-4 py-12 text-read text-ink-2 sm:px-6">
      This page takes the permission <code>{scope}</code>. Ask an administrator of the organization.
    </p>
  );
}
