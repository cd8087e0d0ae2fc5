import { Field } from '../../../ui/Field.tsx';
import type { ChoiceProps } from './Choices.tsx';
import { schemaIn } from './output.ts';

/** The data that the session submits beside its work, by a JSON Schema. */
export function Output({ draft, change, problemOf }: Omit<ChoiceProps, 'org'>) {
  const { outputSchema, outputRequired } = draft;
  const isBroken = outputSchema.trim() !== '' && schemaIn(outputSchema) === undefined;
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Structured result"
        hint="A JSON Schema. The session submits data that fits it. Empty: none."
        problem={isBroken ? 'This is not a JSON object: { … }.' : problemOf('/structured_output_schema')}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            value={outputSchema}
            spellCheck={false}
            maxLength={65_536}
            placeholder={'{"type": "object", "properties": {"version": {"type": "string"}}}'}
            onChange={({ target }) => change({ outputSchema: target.value })}
            className="field-sizing-content max-h-[40vh] w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-mono aria-invalid:border-bad"
          />
        )}
      </Field>
      {outputSchema.trim() !== '' && (
        <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={outputRequired}
            onChange={({ target }) => change({ outputRequired: target.checked })}
            className="size-4 accent-accent"
          />
          Without it, the session fails and opens no change request
        </label>
      )}
    </div>
  );
}
