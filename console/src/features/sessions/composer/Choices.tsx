import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../lib/api.ts';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { useCan } from '../../shell/useCan.ts';
import type { Draft } from './draft.ts';
import { optionOf } from './model-option.ts';
import { AgentPicker } from '../../agents/AgentPicker.tsx';
import { agentQuery, agentsFoundQuery, runtimesQuery } from '../../agents/queries.ts';
import { problemOf as obstacleOf } from '../../agents/runtime.ts';
import { modelsQuery } from './queries.ts';

export interface ChoiceProps {
  org: string;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  problemOf: (path: string) => string | undefined;
}

/** Who does it, with which model, and how. */
export function Choices({ org, draft, change, problemOf }: ChoiceProps) {
  const { mode } = draft;
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Agent org={org} draft={draft} change={change} problemOf={problemOf} />
      <Model org={org} draft={draft} change={change} problemOf={problemOf} />
      <Field label="Mode" problem={problemOf('/mode')}>
        {(attributes) => (
          <select
            {...attributes}
            value={mode}
            onChange={({ target: { value } }) =>
              change({ mode: value === 'plan' || value === 'ask' ? value : 'build' })
            }
            className={fieldClass}
          >
            <option value="build">Build: change the code</option>
            <option value="plan">Plan: write a plan, change nothing</option>
            <option value="ask">Ask: answer a question, change nothing</option>
          </select>
        )}
      </Field>
      <Field
        label="Limit of cost, in US dollars"
        hint="Empty: only the organization's limits hold."
        problem={problemOf('/budget/max_cost_usd')}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="number"
            inputMode="decimal"
            min="0.01"
            step="any"
            value={draft.maxCost}
            onChange={({ target }) => change({ maxCost: target.value })}
            className={`${fieldClass} font-mono`}
          />
        )}
      </Field>
      {mode === 'build' && (
        <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={draft.planFirst}
            onChange={({ target }) => change({ planFirst: target.checked })}
            className="size-4 accent-accent"
          />
          Wait for my approval of its plan
        </label>
      )}
    </div>
  );
}

function Agent({ org, draft, change, problemOf }: ChoiceProps) {
  const obstacle = useObstacle(org, draft.agentId);
  const hint = obstacle === '' ? {} : { hint: `This agent cannot run: ${obstacle}` };
  return (
    <Field label="Agent" {...hint} problem={problemOf('/agent_id')}>
      {(named) => (
        <AgentPicker
          org={org}
          named={named}
          value={draft.agentId}
          none="The organization's default"
          onChange={(agentId) => change({ agentId })}
        />
      )}
    </Field>
  );
}

/** Returns why an agent, or the one of the platform, cannot run here; '' if it can. */
function useObstacle(org: string, id: string): string {
  const canRead = useCan(org, 'org:read');
  const { data: runtimes } = useQuery({ ...runtimesQuery(org), enabled: canRead });
  const { data: named } = useQuery({ ...agentQuery(org, id), enabled: canRead && id !== '' });
  const { data: found } = useQuery({ ...agentsFoundQuery(org, 'builtin'), enabled: canRead && id === '' });
  const agent = id === '' ? found?.find(({ name }) => name === 'builtin') : named;
  return agent === undefined ? '' : obstacleOf(agent, runtimes);
}

/** The models of the organization; those that the person may not use say why. */
function Model({ org, draft, change, problemOf }: ChoiceProps) {
  const { data: models = [] } = useQuery(modelsQuery(org));
  const providers = [...new Set(models.map(({ provider }) => provider))];
  const fallback = models.find((model) => model.is_default);
  const isKnown = draft.model === '' || models.some(({ id }) => id === draft.model);
  const chosen = models.find(({ id }) => id === draft.model) ?? (draft.agentId === '' ? fallback : undefined);
  return (
    <Field label="Model" {...hintOf(chosen)} problem={problemOf('/model')}>
      {(attributes) => (
        <select
          {...attributes}
          value={draft.model}
          onChange={({ target }) => change({ model: target.value })}
          className={fieldClass}
        >
          <option value="">
            {fallback === undefined || draft.agentId !== '' ? "The agent's" : `The default, ${fallback.name}`}
          </option>
          {!isKnown && <option value={draft.model}>{draft.model}</option>}
          {providers.map((provider) => (
            <optgroup key={provider} label={provider}>
              {models
                .filter((model) => model.provider === provider)
                .map((model) => {
                  const { text, isOpen } = optionOf(model);
                  return (
                    <option key={model.id} value={model.id} disabled={!isOpen}>
                      {text}
                    </option>
                  );
                })}
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  );
}

function hintOf(model: Schemas['Model'] | undefined): { hint?: string } {
  if (model === undefined || model.price === null) return {};
  const { input_per_mtok: input, output_per_mtok: output } = model.price;
  return { hint: `$${input} in, $${output} out, for a million tokens.` };
}
