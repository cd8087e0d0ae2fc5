import { useEffect, useRef, type ReactNode } from 'react';
import { FormProvider, useFormContext, type FieldValues } from 'react-hook-form';
import { Button } from '../ui/Button.tsx';
import { Field, fieldClass } from '../ui/Field.tsx';
import { Refusal } from '../ui/Notice.tsx';
import { showFirstProblem } from './first-problem.ts';
import { Meanwhile } from './Meanwhile.tsx';
import type { ApiForm } from './useApiForm.ts';

export interface FormProps<Values extends FieldValues, Result> {
  of: ApiForm<Values, Result>;
  /** The word on the button: `Create the note`. */
  action: string;
  /** The word while the request is under way. */
  pending?: string;
  /** Other buttons, beside the main one. */
  others?: ReactNode;
  /** False: it can be sent without a change. */
  needsChange?: boolean;
  children: ReactNode;
}

/** A form of `useApiForm`: its fields, what is wrong with the whole of it, and its button. ⌘Enter sends it. */
export function Form<Values extends FieldValues, Result>({
  of,
  action,
  pending = 'Saving …',
  others,
  needsChange = true,
  children,
}: FormProps<Values, Result>) {
  const { form, submit, problem, conflict, refusals, isPending, isDirty } = of;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals > 0) showFirstProblem(element.current);
  }, [refusals]);
  return (
    <FormProvider {...form}>
      <form
        ref={element}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event);
        }}
      >
        {children}
        {conflict !== undefined && <Meanwhile conflict={conflict} />}
        {problem !== undefined && <Refusal of={problem} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" disabled={isPending || (needsChange && !isDirty)}>
            {isPending ? pending : action}
          </Button>
          {others}
        </div>
      </form>
    </FormProvider>
  );
}

interface FieldOptions {
  /** Of the form's values; dots lead inside. */
  name: string;
  label: string;
  hint?: string;
}

function useProblem(name: string): string | undefined {
  const { getFieldState, formState } = useFormContext();
  return getFieldState(name, formState).error?.message;
}

type InputType = 'text' | 'email' | 'url' | 'password' | 'datetime-local' | 'date';

/** A line of text. */
export function TextField({
  name,
  label,
  hint,
  type = 'text',
  mono = false,
  autoComplete = 'off',
  ...rest
}: FieldOptions & {
  type?: InputType;
  mono?: boolean;
  placeholder?: string;
  maxLength?: number;
  list?: string;
  autoComplete?: string;
  autoFocus?: boolean;
}) {
  const { register } = useFormContext();
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} problem={useProblem(name)}>
      {(attributes) => (
        <input
          {...rest}
          {...attributes}
          type={type}
          autoComplete={autoComplete}
          className={mono ? `${fieldClass} font-mono` : fieldClass}
          {...register(name)}
        />
      )}
    </Field>
  );
}

/** A number; an empty field is null. */
export function NumberField({
  name,
  label,
  hint,
  ...rest
}: FieldOptions & { min?: number; max?: number; step?: number | 'any'; placeholder?: string }) {
  const { register } = useFormContext();
  const setValueAs = (value: unknown) => (value === '' || value === null ? null : Number(value));
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} problem={useProblem(name)}>
      {(attributes) => (
        <input
          {...rest}
          {...attributes}
          type="number"
          inputMode="decimal"
          className={`${fieldClass} max-w-48 font-mono`}
          {...register(name, { setValueAs })}
        />
      )}
    </Field>
  );
}

/** A text of several lines, which grows with what is in it. */
export function LongTextField({
  name,
  label,
  hint,
  rows = 4,
  mono = false,
  ...rest
}: FieldOptions & { rows?: number; mono?: boolean; placeholder?: string; maxLength?: number }) {
  const { register } = useFormContext();
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} problem={useProblem(name)}>
      {(attributes) => (
        <textarea
          {...rest}
          {...attributes}
          rows={rows}
          className={`field-sizing-content max-h-[60vh] w-full rounded-control border border-line-strong bg-surface px-3 py-2 aria-invalid:border-bad ${mono ? 'font-mono' : 'text-read'}`}
          {...register(name)}
        />
      )}
    </Field>
  );
}

/** One of some values, with the word of each. */
export function SelectField({
  name,
  label,
  hint,
  options,
}: FieldOptions & { options: readonly (readonly [string, string])[] }) {
  const { register } = useFormContext();
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} problem={useProblem(name)}>
      {(attributes) => (
        <select {...attributes} className={fieldClass} {...register(name)}>
          {options.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Yes or no. */
export function CheckField({ name, label, hint }: FieldOptions) {
  const { register } = useFormContext();
  const problem = useProblem(name);
  return (
    <div className="flex flex-col gap-1">
      <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          aria-invalid={problem !== undefined}
          {...register(name)}
        />
        {label}
      </label>
      {(problem ?? hint) !== undefined && (
        <p className={problem === undefined ? 'text-meta text-ink-3' : 'text-meta text-bad'}>{problem ?? hint}</p>
      )}
    </div>
  );
}
