import { RotateCcw } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { useProblemAt, useProblemsWithin } from './context.ts';
import { groupsOf } from './groups.ts';
import { ChoiceInput, JsonInput, NumberInput, SwitchInput, TextInput, type Named } from './inputs.tsx';
import { MapInput, RowsInput } from './RowsInput.tsx';
import { record, type SchemaField } from './shape.ts';
import { TextsInput } from './TextsInput.tsx';
import { boundsOf, noteOf } from './words.ts';

export interface SchemaFieldsProps {
  fields: readonly SchemaField[];
  valueOf: (field: SchemaField) => unknown;
  /** True if somebody chose the value: it can go back to its default. */
  isChosen: (field: SchemaField) => boolean;
  /** Undefined is the default. */
  onChange: (field: SchemaField, value: unknown) => void;
}

/** The fields of a JSON Schema, below the headings of their groups. */
export function SchemaFields({ fields, ...rest }: SchemaFieldsProps) {
  return groupsOf(fields).map((group) => (
    <Group key={group[0]?.key} title={group[0]?.group ?? ''}>
      {group.map((field) => (
        <Line key={field.key} field={field} {...rest} />
      ))}
    </Group>
  ));
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  if (title === '') return <div className="divide-y divide-line">{children}</div>;
  return (
    <section aria-label={title}>
      <h2 className="border-b border-line pb-1 text-read font-medium">{title}</h2>
      <div className="divide-y divide-line">{children}</div>
    </section>
  );
}

function Line({ field, valueOf, isChosen, onChange }: { field: SchemaField } & Omit<SchemaFieldsProps, 'fields'>) {
  const id = useId();
  const { title, shape, byDefault, key } = field;
  const bounds = boundsOf(shape, byDefault);
  const isPart = ['object', 'rows', 'map'].includes(shape.kind);
  const problem = useProblemAt(key);
  const within = useProblemsWithin(key);
  const problems = ['texts', 'json'].includes(shape.kind) ? within : problem === undefined ? [] : [problem];
  const chosen = isChosen(field);
  return (
    <div
      role={isPart ? 'group' : undefined}
      aria-labelledby={isPart ? `${id}-label` : undefined}
      className="grid gap-x-6 gap-y-2 py-4 md:grid-cols-[208px_minmax(0,1fr)]"
    >
      <div className="flex items-start gap-2 md:block">
        <Label id={id} isPart={isPart} title={title} />
        {chosen && (
          <p className="flex items-center gap-1 text-meta text-ink-3">
            changed
            <Button
              look="bare"
              aria-label={`${title}: back to the default`}
              onClick={() => onChange(field, undefined)}
              className="h-6 gap-1 px-1 text-meta pointer-coarse:h-11"
            >
              <RotateCcw size={14} strokeWidth={1.5} aria-hidden />
              default
            </Button>
          </p>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <Control
          field={field}
          path={key}
          named={{ id, 'aria-describedby': `${id}-note`, 'aria-invalid': problems.length > 0 }}
          value={valueOf(field)}
          onChange={(value) => onChange(field, value)}
        />
        <div id={`${id}-note`} className="flex max-w-[72ch] flex-col gap-0.5 text-meta">
          {problems.map((text) => (
            <p key={text} className="text-bad">
              {text}
            </p>
          ))}
          <p className="text-ink-3">
            {bounds !== '' && `${bounds}. `}
            <Described text={noteOf(field)} />
          </p>
        </div>
      </div>
    </div>
  );
}

function Label({ id, isPart, title }: { id: string; isPart: boolean; title: string }) {
  if (isPart)
    return (
      <p id={`${id}-label`} className="flex-1 font-medium">
        {title}
      </p>
    );
  return (
    <label id={`${id}-label`} htmlFor={id} className="block flex-1 pt-1.5 font-medium">
      {title}
    </label>
  );
}

/** A text with code between backticks. */
function Described({ text }: { text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

interface ControlProps {
  field: SchemaField;
  path: string;
  named: Named;
  value: unknown;
  onChange: (value: unknown) => void;
}

function Control({ field, path, named, value, onChange }: ControlProps) {
  const { shape, from, title } = field;
  const input = { named, value, onChange, placeholder: from === '' ? undefined : `as ${from}` };
  switch (shape.kind) {
    case 'switch':
      return <SwitchInput {...input} shape={shape} />;
    case 'number':
      return <NumberInput {...input} shape={shape} />;
    case 'choice':
      return <ChoiceInput {...input} shape={shape} isNarrow={path !== field.key} />;
    case 'text':
      return <TextInput {...input} shape={shape} />;
    case 'texts':
      return <TextsInput {...input} shape={shape} />;
    case 'object':
      return (
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,224px),1fr))] gap-3">
          {innerOf(shape.fields)(path, value, onChange)}
        </div>
      );
    case 'rows':
      return (
        <RowsInput
          fields={shape.fields}
          title={title}
          path={path}
          value={value}
          onChange={onChange}
          inner={innerOf(shape.fields)}
        />
      );
    case 'map':
      return (
        <MapInput
          fields={shape.fields}
          title={title}
          path={path}
          value={value}
          onChange={onChange}
          inner={innerOf(shape.fields)}
          keyTitle={shape.keyTitle}
          keyPicker={shape.keyPicker}
        />
      );
    case 'json':
      return <JsonInput {...input} shape={shape} />;
  }
}

/** Draws the fields of an object inside of a value, each with its label above. */
function innerOf(fields: readonly SchemaField[]) {
  return (path: string, value: unknown, onChange: (value: unknown) => void) => {
    const values = record(value);
    return fields.map((field) => (
      <InnerField
        key={field.key}
        field={field}
        path={`${path}.${field.key}`}
        value={values[field.key]}
        onChange={(next) => {
          const others = Object.entries(values).filter(([key]) => key !== field.key);
          onChange(Object.fromEntries(next === undefined ? others : [...others, [field.key, next]]));
        }}
      />
    ));
  };
}

function InnerField({ field, path, value, onChange }: Omit<ControlProps, 'named'>) {
  const id = useId();
  const { title, shape } = field;
  const problem = useProblemAt(path);
  const within = useProblemsWithin(path);
  const problems = ['texts', 'json'].includes(shape.kind) ? within : problem === undefined ? [] : [problem];
  const isWide = ['texts', 'rows', 'map', 'object'].includes(shape.kind);
  return (
    <div className={isWide ? 'col-span-full flex min-w-0 flex-col gap-1' : 'flex min-w-0 flex-col gap-1'}>
      <label id={`${id}-label`} htmlFor={id} className="font-medium">
        {title}
      </label>
      <Control
        field={field}
        path={path}
        named={{ id, 'aria-describedby': `${id}-note`, 'aria-invalid': problems.length > 0 }}
        value={value}
        onChange={onChange}
      />
      <div id={`${id}-note`} className="text-meta">
        {problems.map((text) => (
          <p key={text} className="text-bad">
            {text}
          </p>
        ))}
        <p className="text-ink-3">
          <Described text={noteOf(field)} />
        </p>
      </div>
    </div>
  );
}
