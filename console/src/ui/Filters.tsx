import { Search } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { fieldClass } from './Field.tsx';

/** The filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 items-center gap-2 border-b border-line px-4 pb-3 sm:flex sm:flex-wrap sm:px-6 [&>*]:min-w-0 [&>:is([role=search],p)]:col-span-2">
      {children}
    </div>
  );
}

/** A field that searches when Enter is pressed or the field is left. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(value ?? '');
  const commit = () => {
    const next = text.trim() === '' ? undefined : text.trim();
    if (next !== value) onChange(next);
  };
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
        onChange={({ target }) => setText(target.value)}
        onBlur={commit}
        className={`${fieldClass} pl-8 placeholder:text-ink-3`}
      />
    </form>
  );
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
