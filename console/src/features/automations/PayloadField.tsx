import { Field } from '../../ui/Field.tsx';
import { payloadOf } from './payload.ts';

/** A JSON object that a trigger sends. */
export function PayloadField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const problem = payloadOf(text) === undefined ? 'This is not a JSON object.' : undefined;
  return (
    <Field label="Payload" problem={problem}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={6}
          spellCheck={false}
          maxLength={100_000}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className="max-h-64 min-h-24 w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-mono aria-invalid:border-bad"
        />
      )}
    </Field>
  );
}
