import { Check, Circle } from 'lucide-react';
import type { ReactNode } from 'react';

export interface StepProps {
  title: string;
  text: string;
  isDone: boolean;
  /** The next one to do. */
  isNext: boolean;
  /** The scope that doing it takes, if the person lacks it. */
  lacks?: string | undefined;
  /** What to do, or how it stands. */
  children?: ReactNode;
}

/** A step: its mark, what it is, and what to do. */
export function Step({ title, text, isDone, isNext, lacks, children }: StepProps) {
  return (
    <li
      className="flex gap-3 border-b border-line py-4 outline-offset-0"
      aria-current={isNext ? 'step' : undefined}
      tabIndex={isNext ? -1 : undefined}
    >
      {isDone ? (
        <Check size={20} strokeWidth={2} aria-hidden className="mt-0.5 shrink-0 text-ok" />
      ) : (
        <Circle size={20} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
      )}
      <div className="flex min-w-0 flex-1 flex-col items-start gap-2">
        <h2 className="text-read font-medium">
          {title}
          <span className="sr-only">{isDone ? ': done' : ': to do'}</span>
        </h2>
        <p className="max-w-[72ch] text-ink-2">{text}</p>
        {lacks === undefined ? (
          children
        ) : (
          <p className="text-ink-3">
            This takes the permission <code>{lacks}</code>. Ask an administrator of the organization.
          </p>
        )}
      </div>
    </li>
  );
}
