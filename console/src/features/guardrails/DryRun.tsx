import { useState, type FormEvent } from 'react';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Section } from '../../ui/Page.tsx';
import { DryRunFields } from './DryRunFields.tsx';
import { Findings } from './Findings.tsx';
import { emptyTrial, trialRequest } from './trial.ts';

/** What a session would do, and what the rules would say; nothing is recorded. */
export function DryRun({ org, repo }: { org: string; repo: string | undefined }) {
  const [trial, setTrial] = useState(emptyTrial);
  const evaluate = useAction({
    call: (body: Schemas['EvaluateGuardrailsRequest']) =>
      unwrap(apiOf(org).POST('/v3/organizations/{orgId}/guardrails/evaluate', { body })),
    errors: 'here',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    evaluate.mutate(trialRequest(trial, repo));
  };
  return (
    <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-2">
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <p className="text-ink-2">
          What would the rules {repo === undefined ? 'of the organization' : `of ${repo}`} say? Nothing starts, and
          nothing is recorded.
        </p>
        <DryRunFields trial={trial} change={(part) => setTrial({ ...trial, ...part })} />
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
