import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';

/** A button that copies a text. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const Icon = isCopied ? Check : Copy;
  return (
    <Button onClick={() => void copy(text).then(setCopied)}>
      <Icon size={16} strokeWidth={1.5} aria-hidden />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
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
        aria-label={label}
        className="max-h-80 overflow-auto rounded-control bg-sunken p-3 break-all whitespace-pre-wrap select-all"
      >
        {text}
      </pre>
    </figure>
  );
}

/** Returns false if the browser refuses. Pages over plain HTTP have no `navigator.clipboard`. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'sr-only';
    document.body.append(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    return isDone;
  }
}
