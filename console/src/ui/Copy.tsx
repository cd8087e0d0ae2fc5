import { Copy } from 'lucide-react';
import { copyText } from '../lib/copy.ts';
import { Button } from './Button.tsx';

/** A button that copies a text. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <Button onClick={() => void copyText(text)}>
      <Copy size={16} strokeWidth={1.5} aria-hidden />
      {label}
    </Button>
  );
}

/** A text of a machine, with a button that copies it. */
export function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="flex flex-wrap items-center gap-2">
        <span className="flex-1 font-medium">{label}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className="max-h-80 overflow-auto rounded-control bg-sunken p-3 break-all whitespace-pre-wrap select-all"
      >
        {text}
      </pre>
    </figure>
  );
}
