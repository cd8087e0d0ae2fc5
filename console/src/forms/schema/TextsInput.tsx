import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { fieldClass } from '../../ui/Field.tsx';
import { useOptions } from './context.ts';
import { Suggestions, type InputProps } from './inputs.tsx';

/** A list of texts: ticks where the values are known, else chips and a field for another one. */
export function TextsInput(props: InputProps<'texts'>) {
  return props.shape.known.length > 0 ? <Ticks {...props} /> : <Chips {...props} />;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function Ticks({ named, shape, value, onChange }: InputProps<'texts'>) {
  const chosen = textsOf(value);
  const unknown = chosen.filter((text) => !shape.known.some((one) => one.value === text));
  const all = [...shape.known, ...unknown.map((text) => ({ value: text, text: '' }))];
  return (
    <span {...named} role="group" aria-labelledby={`${named.id}-label`} className="flex flex-col">
      {all.map((one) => (
        <label key={one.value} className="flex min-h-7 items-baseline gap-2 py-0.5 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={chosen.includes(one.value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, one.value] : chosen.filter((text) => text !== one.value))
            }
            className="size-4 shrink-0 translate-y-0.5 accent-accent"
          />
          <span className="min-w-0 break-words">
            <code>{one.value}</code> <span className="text-ink-2">{one.text}</span>
          </span>
        </label>
      ))}
    </span>
  );
}

function Chips({ named, shape, value, onChange }: InputProps<'texts'>) {
  const texts = textsOf(value);
  const options = useOptions(shape.picker);
  const suggestions = useId();
  const [written, setWritten] = useState('');
  const add = (text: string) => {
    const added = text
      .split(/[\n,]/)
      .map((one) => one.trim())
      .filter((one) => one !== '' && !texts.includes(one));
    setWritten('');
    if (added.length > 0) onChange([...texts, ...new Set(added)]);
  };
  return (
    <span className="flex flex-col gap-2">
      {texts.length > 0 && (
        <ul className="flex flex-wrap gap-1">
          {texts.map((text) => (
            <li key={text} className="flex max-w-full items-center rounded-chip bg-sunken pl-2">
              <span className="mono min-w-0 truncate" title={text}>
                {text}
              </span>
              <button
                type="button"
                aria-label={`Remove ${text}`}
                onClick={() => onChange(texts.filter((one) => one !== text))}
                className="grid size-6 shrink-0 place-items-center rounded-chip text-ink-3 hover:text-bad pointer-coarse:size-11"
              >
                <X size={14} strokeWidth={1.5} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <span className="flex max-w-96 gap-2">
        <input
          {...named}
          value={written}
          maxLength={shape.maxLength}
          placeholder="Add one"
          list={options === undefined ? undefined : suggestions}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setWritten(target.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text');
            if (!/[\n,]/.test(pasted)) return;
            event.preventDefault();
            add(pasted);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            add(written);
          }}
          onBlur={() => add(written)}
          className={`${fieldClass} placeholder:text-ink-3`}
        />
        <Button onClick={() => add(written)}>Add</Button>
      </span>
      {options !== undefined && <Suggestions id={suggestions} values={options.map((option) => option.value)} />}
    </span>
  );
}
