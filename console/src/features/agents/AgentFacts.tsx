import { Facts, Section } from '../../ui/Page.tsx';
import type { Agent, Runtime } from './queries.ts';
import { runtimeIdOf } from './runtime.ts';

/** An agent for those who may not change it. */
export function AgentFacts({ agent, runtimes }: { agent: Agent; runtimes: readonly Runtime[] | undefined }) {
  const { description, model, max_tokens: tokens, temperature, system_prompt: prompt } = agent;
  const id = runtimeIdOf(agent);
  return (
    <>
      <Facts
        facts={[
          ['Description', description === '' ? undefined : description],
          ['Program', runtimes?.find((one) => one.id === id)?.name ?? id],
          ['Model', model === '' ? 'the organization’s default' : <code key="model">{model}</code>],
          ['Tokens', tokens === null ? 'the model’s own limit' : `at most ${tokens} in one response`],
          ['Temperature', temperature === null ? 'the model’s own' : String(temperature)],
        ]}
      />
      {prompt !== '' && (
        <Section title="Prompt">
          <pre
            tabIndex={0}
            aria-label="Prompt"
            className="max-h-[60vh] overflow-y-auto rounded-control bg-sunken p-3 break-words whitespace-pre-wrap"
          >
            {prompt}
          </pre>
        </Section>
      )}
    </>
  );
}
