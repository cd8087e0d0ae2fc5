import { useId, type ReactNode } from 'react';

/** The classes of a text field and a select. */
export const fieldClass =
  'h-8 w-full rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11 aria-invalid:border-bad';

export interface FieldProps {
  label: string;
  hint?: string;
  /** What is wrong with its value. */
  problem?: string | undefined;
  children: (attributes: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode;
}

/** A labeled field with its hint or its problem. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': problem !== undefined,
      })}
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? 'text-meta text-ink-3' : 'text-meta text-bad'}>
          {note}
        </p>
      )}
    </div>
  );
}
