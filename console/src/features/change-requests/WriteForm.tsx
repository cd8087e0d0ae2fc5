import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import { failureOf } from '../../lib/errors.ts';

interface Props {
  label: string;
  text: string;
  write: (text: string) => void;
  submit: () => void;
  error: unknown;
  /** How long the text may be, in characters. */
  longest?: number;
  isFocused?: boolean;
  /** Closes it on Escape. */
  close?: (() => void) | undefined;
  /** The buttons. */
  children: ReactNode;
}

/** A text of several lines with its buttons. ⌘Enter sends it. */
export function WriteForm({
  label,
  text,
  write,
  submit,
  error,
  longest = 60_000,
  isFocused = false,
  close,
  children,
}: Props) {
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
    if (event.key === 'Escape') close?.();
  };
  return (
    <form aria-label={label} className="flex max-w-[72ch] flex-col gap-2" onSubmit={onSubmit}>
      <textarea
        autoFocus={isFocused}
        aria-label={label}
        placeholder={label}
        rows={3}
        maxLength={longest}
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-60 w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-sans text-read placeholder:text-ink-3"
      />
      {error !== null && (
        <p role="alert" className="text-bad">
          {failureOf(error).message}
        </p>
      )}
      <p className="flex flex-wrap gap-2">{children}</p>
    </form>
  );
}
