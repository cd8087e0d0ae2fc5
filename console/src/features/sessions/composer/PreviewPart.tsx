import type { ReactNode } from 'react';
import { failureOf } from '../../../lib/errors.ts';
import { count } from '../../../lib/format.ts';

/** What the session would get of a kind. */
export function Part({
  title,
  amount,
  note,
  error = null,
  children,
}: {
  title: string;
  amount?: number | undefined;
  note?: string;
  error?: unknown;
  children?: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <h3 className="flex gap-2 text-ink-2">
        {title}
        {amount !== undefined && <span className="mono text-ink-3">{count(amount)}</span>}
      </h3>
      {error !== null && <p className="text-bad">{failureOf(error).message}</p>}
      {note !== undefined && <p className="text-meta text-ink-3">{note}</p>}
      <ul className="max-h-48 overflow-y-auto">{children}</ul>
    </section>
  );
}

export function Entry({ name, detail, figure }: { name: string; detail: string; figure?: string }) {
  return (
    <li className="py-1">
      <p className="flex gap-2">
        {figure !== undefined && <span className="mono text-ink-3">{figure}</span>}
        <span className="min-w-0 break-words">{name}</span>
      </p>
      {detail !== '' && <p className="line-clamp-2 text-meta break-words text-ink-3">{detail}</p>}
    </li>
  );
}
