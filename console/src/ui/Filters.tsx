import { Search } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { fieldClass } from './Field.tsx';

/** The pause in typing after which a field searches. */
const pauseMs = 300;

/** The filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 items-center gap-2 border-b border-line px-4 pb-3 sm:flex sm:flex-wrap sm:px-6 [&>*]:min-w-0 [&>:is([role=search],[role=group],p)]:col-span-2">
      {children}
    </div>
  );
}

interface SearchProps {
  label: string;
  value: string | undefined;
  /** True where a part of a word finds nothing: then the field waits for Enter, or until it is left. */
  isWhole?: boolean;
  onChange: (value: string | undefined) => void;
}

/** A field that searches after a pause in typing, when Enter is pressed, and when the field is left. */
export function SearchField({ label, value = '', isWhole = false, onChange }: SearchProps) {
  const { text, write, commit } = useSearchText(value, isWhole, onChange);
  return (
    <form
      role="search"
      aria-label={label}
      className="relative w-full sm:w-64"
      onSubmit={(event) => {
        event.preventDefault();
        commit();
      }}
    >
      <Search
        size={16}
        strokeWidth={1.5}
        aria-hidden
        className="absolute top-2 left-2 text-ink-3 pointer-coarse:top-3.5"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={200}
        onChange={({ target }) => write(target.value)}
        onBlur={commit}
        className={`${fieldClass} pl-8 placeholder:text-ink-3`}
      />
    </form>
  );
}

/** The text of a search field, which runs ahead of the search that holds. */
function useSearchText(value: string, isWhole: boolean, onChange: SearchProps['onChange']) {
  const [text, write] = useState(value);
  // What was asked for and does not hold yet: when it does, the field may have a newer text.
  const asked = useRef<string[]>([]);
  useEffect(() => {
    const at = asked.current.indexOf(value);
    asked.current = at === -1 ? [] : asked.current.slice(at + 1);
    if (at === -1) write(value);
  }, [value]);
  const commit = () => {
    const next = text.trim();
    if (next === (asked.current.at(-1) ?? value)) return;
    asked.current.push(next);
    onChange(next === '' ? undefined : next);
  };
  const afterPause = useEffectEvent(commit);
  useEffect(() => {
    if (isWhole) return undefined;
    const timer = setTimeout(() => afterPause(), pauseMs);
    return () => clearTimeout(timer);
  }, [text, isWhole]);
  return { text, write, commit };
}

/** A choice of a filter; its first option is that it does not hold. */
export function FilterSelect({
  label,
  value,
  options,
  none = 'all',
  onChange,
}: {
  label: string;
  value: string | undefined;
  /** Value and word of each. */
  options: readonly (readonly [string, string])[];
  /** The word of the first option. */
  none?: string;
  onChange: (value: string | undefined) => void;
}) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      className="h-8 max-w-full rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
    >
      <option value="">
        {label}: {none}
      </option>
      {options.map(([id, word]) => (
        <option key={id} value={id}>
          {word}
        </option>
      ))}
    </select>
  );
}
