import { ChevronDown } from 'lucide-react';
import { useId, useState, type KeyboardEvent } from 'react';
import { bringIntoView } from './bring-into-view.ts';
import { cx } from './cx.ts';
import { fieldClass } from './Field.tsx';

export interface PickerOption {
  value: string;
  name: string;
  /** What tells it from another one of this name. */
  note?: string;
}

export interface PickerProps {
  /** Of the label: see `Field`. */
  named: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean };
  /** '' for none. */
  value: string;
  /** The name of what is chosen. */
  name: string;
  /** The word for none. */
  none: string;
  /** The first ones of those that were found; some may not fit what was typed since. */
  found: readonly PickerOption[];
  isSearching: boolean;
  /** Told what is typed; '' while nothing is searched. */
  search: (text: string) => void;
  onChange: (value: string) => void;
}

/** A choice of one of many, which are found by typing. */
export function Picker({ named, value, name, none, found, isSearching, search, onChange }: PickerProps) {
  const list = useId();
  const [text, setText] = useState<string>();
  const [at, setAt] = useState(0);
  const isOpen = text !== undefined;
  const typed = (text ?? '').trim().toLowerCase();
  const options =
    typed === ''
      ? [{ value: '', name: none }, ...found]
      : found.filter((one) => `${one.name} ${one.note ?? ''}`.toLowerCase().includes(typed));
  const active = Math.min(at, options.length - 1);
  const write = (next: string | undefined) => {
    setText(next);
    setAt(0);
    search(next?.trim() ?? '');
  };
  const choose = (one: PickerOption | undefined) => {
    if (one === undefined) return;
    onChange(one.value);
    write(undefined);
  };
  const move = (to: number) => setAt((to + options.length) % Math.max(1, options.length));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    if (!isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) write('');
    else if (isOpen && event.key === 'ArrowDown') move(active + 1);
    else if (isOpen && event.key === 'ArrowUp') move(active - 1);
    else if (isOpen && event.key === 'Enter') choose(options[active]);
    else if (isOpen && event.key === 'Escape') write(undefined);
    else return;
    event.preventDefault();
  };
  return (
    <div className="relative" onBlur={() => write(undefined)}>
      <input
        {...named}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && options.length > 0 ? `${list}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder="Type to search"
        value={text ?? (value === '' ? none : name)}
        onClick={() => !isOpen && write('')}
        onChange={({ target, nativeEvent }) =>
          // What is typed at the end of the chosen name begins a search.
          write(isOpen || !(nativeEvent instanceof InputEvent) ? target.value : (nativeEvent.data ?? ''))
        }
        onKeyDown={onKeyDown}
        className={`${fieldClass} truncate pr-8 placeholder:text-ink-3`}
      />
      <ChevronDown
        size={16}
        strokeWidth={1.5}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 text-ink-2"
      />
      {isOpen && (
        <Found
          id={list}
          options={options}
          value={value}
          active={active}
          none={isSearching ? 'Searching …' : 'Nothing fits this.'}
          point={setAt}
          choose={choose}
        />
      )}
    </div>
  );
}

interface FoundProps {
  id: string;
  options: readonly PickerOption[];
  /** What is chosen already. */
  value: string;
  /** The number of the option that Enter chooses. */
  active: number;
  /** What stands there without an option. */
  none: string;
  point: (at: number) => void;
  choose: (option: PickerOption) => void;
}

function Found({ id, options, value, active, none, point, choose }: FoundProps) {
  return (
    <ul
      id={id}
      role="listbox"
      aria-label="Found"
      onMouseDown={(event) => event.preventDefault()}
      className="absolute inset-x-0 top-full z-10 mt-1 max-h-60 overflow-y-auto rounded-panel border border-line bg-raised p-1 shadow-float"
    >
      {options.length === 0 && <li className="px-2 py-1 text-ink-2">{none}</li>}
      {options.map((one, index) => (
        <li
          key={one.value}
          ref={(element) => {
            if (index === active && element?.parentElement) bringIntoView(element.parentElement, element);
          }}
          id={`${id}-${index}`}
          role="option"
          aria-selected={one.value === value}
          onMouseDown={() => choose(one)}
          onMouseMove={() => point(index)}
          className={cx(
            'flex min-h-8 cursor-pointer flex-wrap items-center gap-x-2 rounded-control px-2 break-words pointer-coarse:min-h-11',
            index === active && 'bg-sunken',
            one.value === value && 'font-medium',
          )}
        >
          <span className="line-clamp-2 min-w-0 break-words">{one.name}</span>
          {one.note !== undefined && one.note !== '' && (
            <span className="line-clamp-2 min-w-0 break-words text-ink-3">{one.note}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
