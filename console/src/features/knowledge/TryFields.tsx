import { Field } from '../../ui/Field.tsx';
import { RepositoryChoice } from '../repositories/RepositoryField.tsx';

export interface TryFieldsProps {
  org: string;
  prompt: string;
  repo: string;
  setPrompt: (prompt: string) => void;
  setRepo: (repo: string) => void;
}

/** What a session would be started with. */
export function TryFields({ org, prompt, repo, setPrompt, setRepo }: TryFieldsProps) {
  return (
    <>
      <Field label="A session’s prompt">
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            maxLength={100_000}
            value={prompt}
            onChange={({ target }) => setPrompt(target.value)}
            placeholder="Add a column for the due date"
            className="field-sizing-content max-h-64 w-full rounded-control border border-line-strong bg-surface px-3 py-2 text-read placeholder:text-ink-3"
          />
        )}
      </Field>
      <RepositoryChoice org={org} label="On any repository" value={repo} onChange={setRepo} />
    </>
  );
}
