import type { ReactNode } from 'react';
import { noCases } from './numbers.ts';

/** One number that stands for much. */
export interface Figure {
  name: string;
  value: ReactNode;
  /** What it is of. */
  note?: ReactNode;
}

/** Numbers at a glance. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-8 gap-y-4 sm:flex sm:flex-wrap">
      {figures.map(({ name, value, note }) => (
        <div key={name} className="flex min-w-32 flex-col">
          <dt className="text-meta text-ink-3">{name}</dt>
          <dd className={value === noCases ? 'py-1 text-read text-ink-3' : 'mono text-figure'}>{value}</dd>
          {note !== undefined && <dd className="text-meta text-ink-2">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
