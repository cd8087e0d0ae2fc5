import { useContext, useId, useState } from 'react';
import { cx } from '../../ui/cx.ts';
import { fieldClass } from '../../ui/Field.tsx';
import { SchemaContext, useOptions } from './context.ts';
import type { Known, Shape } from './shape.ts';

/** The attributes that lead from a control to its label and to what is said about it. */
export interface Named {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

export interface InputProps<Kind extends Shape['kind']> {
  named: Named;
  shape: Extract<Shape, { kind: Kind }>;
  value: unknown;
  onChange: (value: unknown) => void;
  /** What stands in an empty control. */
  placeholder?: string | undefined;
}

/** On or off. */
export function SwitchInput({ named, value, onChange }: InputProps<'switch'>) {
  return (
    <span className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
      <input
        {...named}
        type="checkbox"
        role="switch"
        checked={value === true}
        onChange={({ target }) => onChange(target.checked)}
        className="relative h-6 w-10 shrink-0 cursor-pointer appearance-none rounded-full border border-line-strong bg-sunken transition-colors duration-120 before:absolute before:top-0.5 before:left-0.5 before:size-4.5 before:rounded-full before:bg-ink-3 before:transition-transform before:duration-120 checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-on-accent"
      />
      <span aria-hidden className="text-ink-2">
        {value === true ? 'On' : 'Off'}
      </span>
    </span>
  );
}

/** A number with its unit; an empty field is null, or leaves the value out. */
export function NumberInput({ named, shape, value, onChange, placeholder }: InputProps<'number'>) {
  const { whole, minimum, maximum, unit, canBeNull } = shape;
  // While somebody writes, the field has what is written: an empty one would become the default.
  const [written, setWritten] = useState<string>();
  return (
    <span className="flex items-center gap-2">
      <input
        {...named}
        type="number"
        inputMode={whole ? 'numeric' : 'decimal'}
        min={minimum}
        max={maximum}
        step={whole ? 1 : 'any'}
        placeholder={placeholder}
        value={written ?? (typeof value === 'number' ? value : '')}
        onBlur={() => setWritten(undefined)}
        onChange={({ target }) => {
          setWritten(target.value);
          if (target.value === '') onChange(canBeNull ? null : undefined);
          else if (Number.isFinite(target.valueAsNumber)) onChange(target.valueAsNumber);
        }}
        onWheel={({ currentTarget }) => currentTarget.blur()}
        className={`${fieldClass} max-w-40 font-mono placeholder:text-ink-3`}
      />
      {unit !== '' && <span className="text-ink-2">{unit}</span>}
    </span>
  );
}

/** One of a few values: segments up to four, a list beyond and in a narrow place. */
export function ChoiceInput({ named, shape, value, onChange, isNarrow }: InputProps<'choice'> & { isNarrow: boolean }) {
  const { known } = shape;
  const text = known.find((one) => one.value === value)?.text ?? '';
  return (
    <span className="flex flex-col gap-1">
      {known.length <= 4 && !isNarrow ? (
        <Segments named={named} known={known} value={value} onChange={onChange} />
      ) : (
        <select
          {...named}
          value={String(value)}
          onChange={({ target }) => onChange(target.value)}
          className={`${fieldClass} max-w-72`}
        >
          {known.map((one) => (
            <option key={one.value}>{one.value}</option>
          ))}
        </select>
      )}
      {text !== '' && <span className="text-ink-2">{text}</span>}
    </span>
  );
}

function Segments({ named, known, value, onChange }: Omit<InputProps<'choice'>, 'shape'> & { known: Known[] }) {
  return (
    <span
      {...named}
      role="radiogroup"
      aria-labelledby={`${named.id}-label`}
      className="inline-flex max-w-full flex-wrap self-start rounded-control border border-line-strong bg-surface"
    >
      {known.map((one) => (
        <label
          key={one.value}
          className={cx(
            'flex h-8 cursor-pointer items-center rounded-control px-3 pointer-coarse:h-11',
            'has-focus-visible:outline-2 has-focus-visible:outline-accent',
            one.value === value ? 'bg-accent-soft font-medium' : 'text-ink-2 hover:bg-sunken',
          )}
        >
          <input
            type="radio"
            name={named.id}
            value={one.value}
            checked={one.value === value}
            onChange={() => onChange(one.value)}
            className="sr-only"
          />
          {one.value}
        </label>
      ))}
    </span>
  );
}

/** A line of text; where it names something that is known, what can be named. */
export function TextInput({ named, shape, value, onChange, placeholder }: InputProps<'text'>) {
  const { maxLength, picker, canBeNull } = shape;
  const { agentField } = useContext(SchemaContext);
  const options = useOptions(picker);
  const suggestions = useId();
  const text = typeof value === 'string' ? value : '';
  const enter = (next: string) => onChange(next === '' && canBeNull ? null : next);
  if (picker === 'agent' && agentField !== undefined)
    return <span className="max-w-96">{agentField({ named, value: text, onChange: enter })}</span>;
  if (options !== undefined && picker === 'secret')
    return (
      <select
        {...named}
        value={text}
        onChange={({ target }) => enter(target.value)}
        className={`${fieldClass} max-w-96`}
      >
        <option value="">none chosen</option>
        {!options.some((option) => option.value === text) && text !== '' && <option value={text}>{text}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name ?? option.value}
          </option>
        ))}
      </select>
    );
  return (
    <>
      <input
        {...named}
        maxLength={maxLength}
        placeholder={placeholder}
        value={text}
        list={options === undefined ? undefined : suggestions}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => enter(target.value)}
        className={`${fieldClass} max-w-96 placeholder:text-ink-3`}
      />
      {options !== undefined && <Suggestions id={suggestions} values={options.map((option) => option.value)} />}
    </>
  );
}

export function Suggestions({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

/** A value without a form of its own, as JSON. What is no JSON is not taken over, and says so. */
export function JsonInput({ named, value, onChange }: InputProps<'json'>) {
  const [text, setText] = useState(() => JSON.stringify(value ?? null, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <span className="flex flex-col gap-1">
      <textarea
        {...named}
        aria-invalid={named['aria-invalid'] || isWrong}
        value={text}
        spellCheck={false}
        rows={4}
        onChange={({ target }) => {
          setText(target.value);
          try {
            onChange(JSON.parse(target.value));
            setWrong(false);
          } catch {
            setWrong(true);
          }
        }}
        className="field-sizing-content max-h-[60vh] w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-mono aria-invalid:border-bad"
      />
      {isWrong && <span className="text-meta text-bad">This is not JSON, and is not saved.</span>}
    </span>
  );
}
