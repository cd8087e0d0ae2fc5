import { useState, type FormEvent } from 'react';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { Section } from '../../ui/Page.tsx';
import { Findings } from './Findings.tsx';
import { origins, type Origin } from './rules.ts';
import { filesOf, linesOf } from './values.ts';

const areaClass =
  'max-h-64 w-full rounded-control border border-line-strong bg-surface px-3 py-2 font-mono aria-invalid:border-bad';

/** What a session would do, and what the rules would say; nothing is recorded. */
export function DryRun({ org, repo }: { org: string; repo: string | undefined }) {
  const [origin, setOrigin] = useState<Origin>('console');
  const [cost, setCost] = useState('');
  const [branch, setBranch] = useState('');
  const [commands, setCommands] = useState('');
  const [files, setFiles] = useState('');
  const [content, setContent] = useState('');
  const [opens, setOpens] = useState(false);
  const evaluate = useAction({
    call: (body: Schemas['EvaluateGuardrailsRequest']) =>
      unwrap(apiOf(org).POST('/v3/organizations/{orgId}/guardrails/evaluate', { body })),
    errors: 'here',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const changed = filesOf(files);
    const [first = { path: 'file.txt', additions: 0, deletions: 0 }, ...others] = changed;
    evaluate.mutate({
      ...(repo === undefined ? {} : { repo }),
      origin,
      ...(cost === '' ? {} : { budget: { max_cost_usd: Number(cost) } }),
      branch: branch.trim(),
      commands: linesOf(commands),
      files: content === '' ? changed : [{ ...first, content }, ...others],
      opens_change_request: opens,
    });
  };
  return (
    <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-2">
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <p className="text-ink-2">
          What would the rules {repo === undefined ? 'of the organization' : `of ${repo}`} say? Nothing starts, and
          nothing is recorded.
        </p>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Started by">
            {(attributes) => (
              <select
                {...attributes}
                value={origin}
                onChange={({ target }) => setOrigin(origins.find(([id]) => id === target.value)?.[0] ?? 'console')}
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
                value={cost}
                onChange={({ target }) => setCost(target.value)}
                className={`${fieldClass} font-mono`}
              />
            )}
          </Field>
        </div>
        <Field label="Commands it runs" hint="One a line.">
          {(attributes) => (
            <textarea
              {...attributes}
              rows={3}
              spellCheck={false}
              value={commands}
              onChange={({ target }) => setCommands(target.value)}
              className={areaClass}
            />
          )}
        </Field>
        <Field label="Files it changes" hint="One a line, with added and deleted lines: src/a.ts +10 -2">
          {(attributes) => (
            <textarea
              {...attributes}
              rows={3}
              spellCheck={false}
              value={files}
              onChange={({ target }) => setFiles(target.value)}
              className={areaClass}
            />
          )}
        </Field>
        <Field label="New content of the first file" hint="Looked at for secrets.">
          {(attributes) => (
            <textarea
              {...attributes}
              rows={2}
              spellCheck={false}
              maxLength={200_000}
              value={content}
              onChange={({ target }) => setContent(target.value)}
              className={areaClass}
            />
          )}
        </Field>
        <Field label="Branch it pushes to">
          {(attributes) => (
            <input
              {...attributes}
              value={branch}
              maxLength={255}
              onChange={({ target }) => setBranch(target.value)}
              className={`${fieldClass} font-mono`}
            />
          )}
        </Field>
        <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={opens}
            onChange={({ target }) => setOpens(target.checked)}
            className="size-4 accent-accent"
          />
          It opens a change request
        </label>
        {evaluate.error !== null && (
          <p role="alert" className="border-l-2 border-bad bg-bad-soft px-3 py-2">
            {failureOf(evaluate.error).message}
          </p>
        )}
        <div>
          <Button type="submit" look="primary" disabled={evaluate.isPending}>
            {evaluate.isPending ? 'Trying …' : 'Try'}
          </Button>
        </div>
      </form>
      <div aria-live="polite">{evaluate.data !== undefined && <Verdict result={evaluate.data} />}</div>
    </div>
  );
}

function Verdict({ result }: { result: Schemas['GuardrailEvaluation'] }) {
  return (
    <Section title="What the rules say">
      <p>
        {result.allowed ? <Chip>Nothing would be blocked</Chip> : <Chip tone="bad">Something would be blocked</Chip>}
      </p>
      {result.require_plan_approval && <p>The session would wait for the approval of its plan.</p>}
      <Findings findings={result.findings} />
    </Section>
  );
}
