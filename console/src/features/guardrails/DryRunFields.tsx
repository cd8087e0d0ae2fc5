import { Field, fieldClass } from '../../ui/Field.tsx';
import { origins } from './rules.ts';
import type { Trial } from './trial.ts';

interface Props {
  trial: Trial;
  change: (part: Partial<Trial>) => void;
}

/** The fields of what a session would do. */
export function DryRunFields({ trial, change }: Props) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Started by">
          {(attributes) => (
            <select
              {...attributes}
              value={trial.origin}
              onChange={({ target }) =>
                change({ origin: origins.find(([id]) => id === target.value)?.[0] ?? 'console' })
              }
              className={fieldClass}
            >
              {origins.map(([id, word]) => (
                <option key={id} value={id}>
                  {word}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Budget, in US dollars">
          {(attributes) => (
            <input
              {...attributes}
              type="number"
              min="0"
              step="any"
              value={trial.cost}
              onChange={({ target }) => change({ cost: target.value })}
              className={`${fieldClass} font-mono`}
            />
          )}
        </Field>
      </div>
      <Lines
        label="Commands it runs"
        hint="One a line."
        value={trial.commands}
        onChange={(commands) => change({ commands })}
      />
      <Lines
        label="Files it changes"
        hint="One a line, with added and deleted lines: src/a.ts +10 -2"
        value={trial.files}
        onChange={(files) => change({ files })}
      />
      <Lines
        label="New content of the first file"
        hint="Looked at for secrets."
        value={trial.content}
        onChange={(content) => change({ content })}
      />
      <Field label="Branch it pushes to">
        {(attributes) => (
          <input
            {...attributes}
            value={trial.branch}
            maxLength={255}
            onChange={({ target }) => change({ branch: target.value })}
            className={`${fieldClass} font-mono`}
          />
        )}
      </Field>
      <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={trial.opensChangeRequest}
          onChange={({ target }) => change({ opensChangeRequest: target.checked })}
          className="size-4 accent-accent"
        />
        It opens a change request
      </label>
    </>
  );
}

interface LinesProps {
  label: string;
  hint: string;
  value: string;
  onChange: (value: string) => void;
}

function Lines({ label, hint, value, onChange }: LinesProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={3}
          spellCheck={false}
          maxLength={200_000}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="max-h-64 w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-mono aria-invalid:border-bad"
        />
      )}
    </Field>
  );
}
