import { useId } from 'react';
import { useFormContext } from 'react-hook-form';

/** One of a few values, each with what follows from it. */
export function ChoiceField({
  name,
  label,
  options,
}: {
  /** Of the form's values; dots lead inside. */
  name: string;
  label: string;
  /** Value, word, and consequence of each. */
  options: readonly (readonly [string, string, string])[];
}) {
  const { register, getFieldState, formState } = useFormContext();
  const id = useId();
  const problem = getFieldState(name, formState).error?.message;
  return (
    <fieldset
      className="flex flex-col gap-1"
      data-invalid={problem === undefined ? undefined : true}
      aria-describedby={problem === undefined ? undefined : id}
    >
      <legend className="pb-1 font-medium">{label}</legend>
      {options.map(([value, word, consequence]) => (
        <label key={value} className="flex min-h-6 items-start gap-2 py-0.5 pointer-coarse:min-h-11">
          <input type="radio" value={value} className="mt-0.5 size-4 shrink-0 accent-accent" {...register(name)} />
          <span>
            {word}. <span className="text-ink-3">{consequence}</span>
          </span>
        </label>
      ))}
      {problem !== undefined && (
        <p id={id} className="text-meta text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
