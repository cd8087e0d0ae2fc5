import { useEffect, useId, useRef } from 'react';
import { CopyButton } from './Copy.tsx';

/** A value that the API shows only once, with a button that copies it. It takes the focus from the form that it follows. */
export function OneTimeSecret({ label, value, note }: { label: string; value: string; note?: string }) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="group"
      aria-labelledby={id}
      className="flex flex-col gap-2 border-l-2 border-wait bg-wait-soft px-3 py-2"
    >
      <p id={id} className="font-medium">
        {label}
      </p>
      <p>Store it now: it is not shown again.{note === undefined ? '' : ` ${note}`}</p>
      <CopyLine value={value} />
    </div>
  );
}

/** A value of a machine in one line, with a button that copies it. */
export function CopyLine({ value }: { value: string }) {
  return (
    <div className="flex items-center gap-2">
      <code className="min-w-0 flex-1 rounded-control bg-surface px-2 py-1 break-all select-all">{value}</code>
      <CopyButton text={value} />
    </div>
  );
}
