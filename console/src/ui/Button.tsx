import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

const looks = {
  primary: 'bg-accent text-on-accent border-accent hover:opacity-90',
  danger: 'bg-bad-soft text-bad border-bad hover:opacity-90',
  quiet: 'bg-transparent text-ink border-line-strong hover:bg-sunken',
  bare: 'bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink',
} as const;

/** A button; 32 px high, 44 px on touch. A disabled one does nothing and keeps the focus, unlike the browser's own. */
export function Button({
  look = 'quiet',
  className,
  disabled = false,
  onClick,
  ...rest
}: ComponentProps<'button'> & { look?: keyof typeof looks }) {
  return (
    <button
      type="button"
      {...rest}
      {...(disabled ? { 'aria-disabled': true } : {})}
      onClick={(event) => {
        // Enter in a field clicks the button that sends its form, so this keeps it from that as well.
        if (disabled) event.preventDefault();
        else onClick?.(event);
      }}
      className={cx(buttonClass(look), className)}
    />
  );
}

/** The classes of a button, for links that look like one. */
export function buttonClass(look: keyof typeof looks = 'quiet'): string {
  return cx(
    'inline-flex h-8 items-center justify-center gap-2 rounded-control border px-3 font-medium whitespace-nowrap',
    'transition-colors duration-120 aria-disabled:opacity-50 pointer-coarse:h-11 pointer-coarse:min-w-11',
    looks[look],
  );
}
