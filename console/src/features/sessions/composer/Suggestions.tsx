import { cx } from '../../../ui/cx.ts';
import type { Suggestion } from './useSuggestions.ts';

interface Props {
  /** Of the field. */
  id: string;
  label: string;
  found: readonly Suggestion[];
  active: Suggestion | undefined;
  choose: (name: string) => void;
}

/** What can be named, below the field; the focus stays in the field. */
export function Suggestions({ id, label, found, active, choose }: Props) {
  return (
    <ul
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      className="absolute inset-x-0 top-full z-10 -mt-5 max-h-72 overflow-y-auto rounded-panel border border-line bg-raised p-1 shadow-float"
    >
      {found.map((one) => (
        <li
          key={one.key}
          id={`${id}-${one.key}`}
          role="option"
          aria-selected={one === active}
          // The field would lose the focus, and with it the caret.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => choose(one.name)}
          className={cx(
            'flex min-h-8 cursor-pointer items-center gap-2 rounded-control px-2 pointer-coarse:min-h-11',
            one === active && 'bg-accent-soft',
          )}
        >
          <span className="mono max-w-full truncate">{one.name}</span>
          {one.detail !== '' && <span className="min-w-0 flex-1 truncate text-meta text-ink-3">{one.detail}</span>}
        </li>
      ))}
    </ul>
  );
}
