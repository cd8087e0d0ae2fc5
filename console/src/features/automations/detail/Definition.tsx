import { Needs } from '../../shell/Needs.tsx';
import { Facts, Section } from '../../../ui/Page.tsx';
import { choiceWord, concurrencies, executors, missedRuns, runAs, triggerWords, type Automation } from '../words.ts';

/** The definition of an automation, for who may not change it. */
export function Definition({ org, automation }: { org: string; automation: Automation }) {
  const { triggers, action, retry, executor, concurrency, missed_runs, run_as, timeout_minutes } = automation;
  return (
    <>
      <Needs org={org} scope="run" what="Changing an automation" />
      <Section title="When it runs">
        <ul>
          {triggers.map((trigger) => (
            <li key={trigger.id}>{triggerWords(trigger)}</li>
          ))}
          {triggers.length === 0 && <li>Only when somebody runs it.</li>}
        </ul>
      </Section>
      <Section title="What it does">
        <pre className="rounded-control bg-sunken p-3 break-words whitespace-pre-wrap">{action.prompt_template}</pre>
        <Facts
          facts={[
            ['Repositories', action.repositories.map(({ repo }) => repo).join(', ') || 'none'],
            ['Tags', action.tags.length === 0 ? undefined : action.tags.join(', ')],
            ['Limit of cost', action.budget.max_cost_usd === undefined ? undefined : `$${action.budget.max_cost_usd}`],
          ]}
        />
      </Section>
      <Section title="How it behaves">
        <Facts
          facts={[
            ['While another run goes on', choiceWord(concurrencies, concurrency)],
            ['Times that were missed', choiceWord(missedRuns, missed_runs)],
            ['Attempts', retry.max_attempts],
            ['An attempt ends after', `${timeout_minutes} minutes`],
            ['Who does the work', choiceWord(executors, executor)],
            ['In whose name', executor === 'platform' ? choiceWord(runAs, run_as) : undefined],
          ]}
        />
      </Section>
    </>
  );
}
