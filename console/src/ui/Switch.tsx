import { cx } from './cx.ts';

export interface SwitchProps {
  /** Names what is on or off. */
  label: string;
  on: boolean;
  isPending?: boolean;
  onChange: (on: boolean) => void;
}

/** On or off, at once. It stays above a row that is a link. */
export function Switch({ label, on, isPending = false, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={label}
      aria-busy={isPending}
      onClick={() => {
        if (!isPending) onChange(!on);
      }}
      className="relative z-1 grid h-6 w-9 place-items-center rounded-control pointer-coarse:size-11"
    >
      <span
        className={cx(
          'relative block h-4 w-7 rounded-full border transition-colors duration-120',
          on ? 'border-accent bg-accent' : 'border-line-strong bg-sunken',
        )}
      >
        <span
          className={cx(
            'absolute top-0.5 left-0 size-2.5 rounded-full transition-transform duration-120',
            on ? 'translate-x-[14px] bg-on-accent' : 'translate-x-0.5 bg-line-strong',
          )}
        />
      </span>
    </button>
  );
}
