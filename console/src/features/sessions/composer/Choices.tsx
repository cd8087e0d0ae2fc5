import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import type { Draft } from './draft.ts';
import { agentsQuery, repositoriesQuery } from './queries.ts';

interface Props {
  org: string;
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  problemOf: (path: string) => string | undefined;
}

/** Where a session works, who does it, how, and for how much. */
export function Choices({ org, draft, change, problemOf }: Props) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Repository org={org} draft={draft} change={change} problemOf={problemOf} />
      <Field label="Branch, tag or commit" hint="Empty: the default branch." problem={problemOf('/repositories/0/ref')}>
        {(attributes) => (
          <input
            {...attributes}
            value={draft.ref}
            maxLength={200}
            disabled={draft.repo === ''}
            onChange={({ target }) => change({ ref: target.value.trim() })}
            className={fieldClass}
          />
        )}
      </Field>
      <Agent org={org} draft={draft} change={change} problemOf={problemOf} />
      <Field label="Mode" problem={problemOf('/mode')}>
        {(attributes) => (
          <select
            {...attributes}
            value={draft.mode}
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
        problem={problemOf('/budget')}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="number"
            inputMode="decimal"
            min="0.01"
            step="0.01"
            value={draft.maxCost}
            onChange={({ target }) => change({ maxCost: target.value })}
            className={fieldClass}
          />
        )}
      </Field>
      <label className="flex items-center gap-2 self-end pb-2">
        <input
          type="checkbox"
          checked={draft.planFirst && draft.mode === 'build'}
          disabled={draft.mode !== 'build'}
          onChange={({ target }) => change({ planFirst: target.checked })}
          className="size-4 accent-accent"
        />
        Wait for my approval of its plan
      </label>
    </div>
  );
}

/** A text with suggestions: an organization may have more repositories than a menu can hold. */
function Repository({ org, draft, change, problemOf }: Props) {
  const { data: repositories = [] } = useQuery(repositoriesQuery(org, draft.repo));
  const names = useId();
  return (
    <Field
      label="Repository"
      hint="Empty: an empty workspace, from which nothing is delivered."
      problem={problemOf('/repositories')}
    >
      {(attributes) => (
        <>
          <input
            {...attributes}
            list={names}
            autoComplete="off"
            placeholder="owner/name"
            value={draft.repo}
            maxLength={200}
            onChange={({ target }) => change({ repo: target.value.trim(), ref: '' })}
            className={fieldClass}
          />
          <datalist id={names}>
            {repositories.map(({ id, repo }) => (
              <option key={id} value={repo} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function Agent({ org, draft, change, problemOf }: Props) {
  const { data: agents = [] } = useQuery(agentsQuery(org));
  return (
    <Field label="Agent" problem={problemOf('/agent_id')}>
      {(attributes) => (
        <select
          {...attributes}
          value={draft.agentId}
          onChange={({ target }) => change({ agentId: target.value })}
          className={fieldClass}
        >
          <option value="">The organization's default</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
