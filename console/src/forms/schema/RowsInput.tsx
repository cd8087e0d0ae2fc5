import { Plus, Trash2 } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { useOptions, useProblemAt } from './context.ts';
import { Suggestions } from './inputs.tsx';
import { record, type Picker, type SchemaField } from './shape.ts';

interface RowsProps {
  fields: readonly SchemaField[];
  /** The name of the whole list. */
  title: string;
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Draws the fields of one of its objects. */
  inner: (path: string, value: unknown, onChange: (value: unknown) => void) => ReactNode;
}

/** A list of objects: a row for each. */
export function RowsInput({ fields, title, path, value, onChange, inner }: RowsProps) {
  const rows: unknown[] = Array.isArray(value) ? value : [];
  return (
    <div className="flex flex-col gap-2">
      {rows.map((row, at) => (
        <Row key={at} name={`${title} ${at + 1}`} remove={() => onChange(rows.filter((_, other) => other !== at))}>
          {inner(`${path}.${at}`, row, (next) => onChange(rows.map((one, other) => (other === at ? next : one))))}
        </Row>
      ))}
      <Add onClick={() => onChange([...rows, emptyOf(fields)])} />
    </div>
  );
}

interface Entry {
  key: string;
  value: unknown;
}

/** A map of objects by name: a row for each. Two rows with one name are kept apart until one of them changes. */
export function MapInput({
  fields,
  title,
  path,
  value,
  onChange,
  inner,
  keyTitle,
  keyPicker,
}: RowsProps & { keyTitle: string; keyPicker: Picker | undefined }) {
  const [entries, setEntries] = useState<readonly Entry[]>(() =>
    Object.entries(record(value)).map(([key, one]) => ({ key, value: one })),
  );
  const options = useOptions(keyPicker);
  const suggestions = useId();
  const change = (next: readonly Entry[]) => {
    setEntries(next);
    onChange(Object.fromEntries(next.map((entry) => [entry.key, entry.value])));
  };
  const replace = (at: number, entry: Entry) => change(entries.map((one, other) => (other === at ? entry : one)));
  return (
    <div className="flex flex-col gap-2">
      {entries.map((entry, at) => (
        <Row key={at} name={`${title} ${at + 1}`} remove={() => change(entries.filter((_, other) => other !== at))}>
          <KeyField
            label={keyTitle}
            path={`${path}.${entry.key}`}
            value={entry.key}
            isRepeated={entries.some((one, other) => other < at && one.key === entry.key)}
            list={options === undefined ? undefined : suggestions}
            onChange={(key) => replace(at, { ...entry, key })}
          />
          {inner(`${path}.${entry.key}`, entry.value, (next) => replace(at, { ...entry, value: next }))}
        </Row>
      ))}
      <Add onClick={() => change([...entries, { key: '', value: emptyOf(fields) }])} />
      {options !== undefined && <Suggestions id={suggestions} values={options.map((option) => option.value)} />}
    </div>
  );
}

interface KeyFieldProps {
  label: string;
  path: string;
  value: string;
  isRepeated: boolean;
  list: string | undefined;
  onChange: (key: string) => void;
}

function KeyField({ label, path, value, isRepeated, list, onChange }: KeyFieldProps) {
  const problem = useProblemAt(path);
  return (
    <Field label={label} problem={isRepeated ? 'is there already: only one of both is saved' : problem}>
      {(attributes) => (
        <input
          {...attributes}
          value={value}
          list={list}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
          className={fieldClass}
        />
      )}
    </Field>
  );
}

function Row({ name, remove, children }: { name: string; remove: () => void; children: ReactNode }) {
  return (
    <fieldset className="flex items-start gap-2 rounded-control border border-line p-3">
      <legend className="sr-only">{name}</legend>
      <div className="grid min-w-0 flex-1 grid-cols-[repeat(auto-fit,minmax(min(100%,240px),1fr))] gap-3">
        {children}
      </div>
      <Button look="bare" aria-label={`Remove ${name}`} onClick={remove} className="px-2">
        <Trash2 size={16} strokeWidth={1.5} aria-hidden />
      </Button>
    </fieldset>
  );
}

function Add({ onClick }: { onClick: () => void }) {
  return (
    <Button onClick={onClick} className="self-start">
      <Plus size={16} strokeWidth={1.5} aria-hidden />
      Add a row
    </Button>
  );
}

/** A new row has what it needs: the first of several values, else nothing. */
function emptyOf(fields: readonly SchemaField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ key, shape, byDefault, isRequired }) => {
      if (byDefault !== undefined) return [[key, byDefault]];
      if (!isRequired) return [];
      if (shape.kind === 'choice') return [[key, shape.known[0]?.value ?? '']];
      return shape.kind === 'text' ? [[key, '']] : [];
    }),
  );
}
