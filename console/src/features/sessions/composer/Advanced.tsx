import { Field, fieldClass } from '../../../ui/Field.tsx';
import { useCan } from '../../shell/useCan.ts';
import type { ChoiceProps } from './Choices.tsx';
import type { Draft } from './draft.ts';
import { GivenField } from './GivenField.tsx';
import { Output } from './Output.tsx';
import { OwnSecrets } from './OwnSecrets.tsx';
import type { OwnSecret } from './own-secrets.ts';
import { allNotesQuery, secretsQuery, serversQuery, skillsQuery, useRepository } from './queries.ts';

const delivers = [
  ['change_request', 'A change request'],
  ['draft', 'A draft of a change request'],
  ['branch', 'A pushed branch'],
  ['none', 'Nothing'],
] as const;

interface AdvancedProps extends ChoiceProps {
  /** Those of this session alone. */
  secrets: readonly OwnSecret[];
  changeSecrets: (secrets: OwnSecret[]) => void;
}

/** What is seldom other than usual: check, delivery, limits, tags, and what the session is given. */
export function Advanced({ org, draft, change, problemOf, secrets, changeSecrets }: AdvancedProps) {
  const { mode, repositories } = draft;
  const [first] = repositories;
  const declared = useRepository(org, first?.repo ?? '')?.environment.verify_command ?? '';
  return (
    <div className="flex flex-col gap-4 pt-3">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {mode === 'build' && (
          <TextChoice
            label="Check command"
            hint={declared === '' ? 'Empty: the one that is declared or found.' : `Empty: ${declared}`}
            problem={problemOf('/verify_command')}
            value={draft.verify}
            longest={10_000}
            onChange={(verify) => change({ verify })}
            mono
          />
        )}
        {mode === 'build' && first !== undefined && first.repo !== '' && (
          <Deliver draft={draft} change={change} problem={problemOf('/deliver')} />
        )}
        <TextChoice
          label="Tags"
          hint="Several are parted by commas."
          problem={problemOf('/tags')}
          value={draft.tags}
          longest={2_000}
          onChange={(tags) => change({ tags })}
        />
        <TextChoice
          label="Title"
          hint="Empty: the first line of the prompt."
          problem={problemOf('/title')}
          value={draft.title}
          longest={500}
          onChange={(title) => change({ title })}
        />
        <NumberChoice
          label="Limit of minutes"
          problem={problemOf('/budget/max_minutes')}
          value={draft.maxMinutes}
          onChange={(maxMinutes) => change({ maxMinutes })}
        />
        <NumberChoice
          label="Limit of turns"
          problem={problemOf('/budget/max_turns')}
          value={draft.maxTurns}
          onChange={(maxTurns) => change({ maxTurns })}
        />
        <NumberChoice
          label="Limit of tokens"
          problem={problemOf('/budget/max_tokens')}
          value={draft.maxTokens}
          onChange={(maxTokens) => change({ maxTokens })}
        />
        <Memory draft={draft} change={change} />
      </div>
      <Givens org={org} draft={draft} change={change} problemOf={problemOf} />
      <OwnSecrets secrets={secrets} change={changeSecrets} problemOf={problemOf} />
      <Output draft={draft} change={change} problemOf={problemOf} />
    </div>
  );
}

/** What the session is given to know and use; only kinds that the person may read. */
function Givens({ org, draft, change, problemOf }: ChoiceProps) {
  const canReadNotes = useCan(org, 'knowledge:read');
  const canReadPlugins = useCan(org, 'plugins:read');
  const canReadSecrets = useCan(org, 'secrets:read');
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      {canReadNotes && (
        <GivenField
          label="Knowledge"
          all="What fits the task"
          query={allNotesQuery(org)}
          nameOf={({ note_id: id, name }) => [id, name]}
          value={draft.notes}
          onChange={(notes) => change({ notes })}
          problem={problemOf('/knowledge_ids')}
        />
      )}
      {canReadPlugins && (
        <GivenField
          label="Skills"
          all="All that apply"
          query={skillsQuery(org)}
          nameOf={({ id, name }) => [id, name]}
          value={draft.skills}
          onChange={(skills) => change({ skills })}
          problem={problemOf('/skill_ids')}
        />
      )}
      {canReadPlugins && (
        <GivenField
          label="MCP servers"
          all="All that apply"
          query={serversQuery(org)}
          nameOf={({ id, name, access }) => [id, access === 'on_request' ? `${name} (on request)` : name]}
          value={draft.servers}
          onChange={(servers) => change({ servers })}
          problem={problemOf('/mcp_server_ids')}
        />
      )}
      {canReadSecrets && (
        <GivenField
          label="Secrets"
          all="All that apply"
          query={secretsQuery(org)}
          nameOf={({ id, key, repo }) => [id, repo === '' ? key : `${key}, ${repo}`]}
          value={draft.secrets}
          onChange={(secrets) => change({ secrets })}
          problem={problemOf('/secret_ids')}
        />
      )}
    </div>
  );
}

type PartProps = { draft: Draft; change: (part: Partial<Draft>) => void };

function Deliver({ draft, change, problem }: PartProps & { problem: string | undefined }) {
  return (
    <Field label="Deliver" problem={problem}>
      {(attributes) => (
        <select
          {...attributes}
          value={draft.deliver}
          onChange={({ target }) => change({ deliver: delivers.find(([id]) => id === target.value)?.[0] ?? '' })}
          className={fieldClass}
        >
          <option value="">As the organization says</option>
          {delivers.map(([id, word]) => (
            <option key={id} value={id}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Memory({ draft, change }: PartProps) {
  return (
    <Field label="Memory of the repositories">
      {(attributes) => (
        <select
          {...attributes}
          value={draft.memory}
          onChange={({ target: { value } }) => change({ memory: value === 'on' || value === 'off' ? value : '' })}
          className={fieldClass}
        >
          <option value="">As the organization says</option>
          <option value="on">Given, and added to</option>
          <option value="off">Not given</option>
        </select>
      )}
    </Field>
  );
}

interface TextProps {
  label: string;
  hint?: string;
  problem: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

function TextChoice({
  label,
  hint,
  problem,
  value,
  longest,
  mono,
  onChange,
}: TextProps & { longest: number; mono?: true }) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} problem={problem}>
      {(attributes) => (
        <input
          {...attributes}
          autoComplete="off"
          maxLength={longest}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={mono === true ? `${fieldClass} font-mono` : fieldClass}
        />
      )}
    </Field>
  );
}

function NumberChoice({ label, problem, value, onChange }: TextProps) {
  return (
    <Field label={label} problem={problem}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className={`${fieldClass} font-mono`}
        />
      )}
    </Field>
  );
}
