import { Copy } from 'lucide-react';
import { useId } from 'react';
import { copyText } from '../lib/copy.ts';
import { Button } from './Button.tsx';

/** A value that the API shows only once, with a button that copies it. */
export function OneTimeSecret({ label, value, note }: { label: string; value: string; note?: string }) {
  const id = useId();
  return (
    <div
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
export function CopyLine({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <div className="flex items-center gap-2">
      <code className="min-w-0 flex-1 rounded-control bg-surface px-2 py-1 break-all select-all">{value}</code>
      <Button onClick={() => void copyText(value)} aria-label={label}>
        <Copy size={16} strokeWidth={1.5} aria-hidden />
        Copy
      </Button>
    </div>
  );
}
