import type { RunEnd } from '../../../features/sessions/run/run-service.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import { fenced, inlineCode } from '../log/markdown.ts';

/** Limit for a plan, in characters. */
const maxPlanLength = 500_000;

/** Ends a turn with a plan that needs approval. */
export function endWithPlan(attempt: Pick<Attempt, 'progress'>, plan: string): RunEnd {
  if (plan.trim() === '') throw new RunFailed('agent_error', 'The agent ended its turn without a plan.');
  if (plan.length > maxPlanLength)
    throw new RunFailed(
      'agent_error',
      `The agent's plan is too long: at most ${maxPlanLength} characters are allowed.`,
    );
  return {
    status: 'waiting',
    status_detail: 'awaiting_approval',
    sandbox_state: 'none',
    plan,
    sandboxSeconds: attempt.progress.seconds,
  };
}

/** Ends a turn with the plan of an agent that declares its work, before any resource is created. */
export function proposeSteps(attempt: Pick<Attempt, 'agent' | 'driver' | 'progress'>): RunEnd {
  const work = attempt.driver.declaredWork?.(attempt.agent.runtime_config);
  if (work === undefined)
    throw new RunFailed('agent_error', "The agent's runtime_config is not valid, so there are no steps to approve.");
  const { check, steps } = work;
  const listed = steps.map(({ run, allow_failure: mayFail }, index) =>
    [`${index + 1}. Run${mayFail === true ? ' (may fail)' : ''}:`, fenced(run, 'sh')].join('\n\n'),
  );
  const files = (check?.files ?? []).map(({ path, content }) => `File ${inlineCode(path)}:\n\n${fenced(content)}`);
  const checked = check === undefined ? [] : [...files, `Check:\n\n${fenced(check.command, 'sh')}`];
  return endWithPlan(attempt, [...listed, ...checked].join('\n\n'));
}
