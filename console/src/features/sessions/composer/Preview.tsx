import { useQuery } from '@tanstack/react-query';
import { useSettled } from '../../../lib/useSettled.ts';
import { useCan } from '../../shell/useCan.ts';
import type { Draft } from './draft.ts';
import { givenNotesQuery, givenSkillsQuery, guardrailsQuery, secretsQuery, serversQuery } from './queries.ts';
import { isOn } from './applies.ts';
import { Limits } from './Limits.tsx';
import { MemoryPart } from './MemoryPart.tsx';
import { Entry, Part } from './PreviewPart.tsx';

/** What a session with this draft would get, as far as the person may read it. */
export function Preview({ org, draft, ownSecrets }: { org: string; draft: Draft; ownSecrets: readonly string[] }) {
  const settled = useSettled(draft, 500);
  const canReadNotes = useCan(org, 'knowledge:read');
  const canReadPlugins = useCan(org, 'plugins:read');
  const canReadSecrets = useCan(org, 'secrets:read');
  const canEvaluate = useCan(org, 'guardrails:write');
  return (
    <aside aria-labelledby="preview" className="flex flex-col gap-4 lg:border-l lg:border-line lg:pl-6">
      <h2 id="preview" className="text-read font-medium">
        This session would get
      </h2>
      {canReadNotes && <Notes org={org} draft={settled} />}
      {canReadNotes && <MemoryPart org={org} draft={settled} />}
      {canReadPlugins && <Skills org={org} draft={settled} />}
      {canReadPlugins && <Servers org={org} draft={settled} />}
      {canReadSecrets && <Secrets org={org} draft={settled} own={ownSecrets} />}
      <Limits org={org} />
      {canEvaluate && <Guardrails org={org} draft={settled} />}
    </aside>
  );
}

interface PartProps {
  org: string;
  draft: Draft;
}

const reposOf = ({ repositories }: Draft): string =>
  repositories
    .map(({ repo }) => repo)
    .filter((repo) => repo !== '')
    .join();

function Notes({ org, draft }: PartProps) {
  const { prompt, notes } = draft;
  const query = useQuery({
    ...givenNotesQuery(org, prompt.trim(), reposOf(draft)),
    enabled: prompt.trim() !== '' && notes === null,
  });
  if (notes !== null) return <Part title="Knowledge" amount={notes.length} note="As ticked below." />;
  if (prompt.trim() === '') return <Part title="Knowledge" note="Depends on the prompt." />;
  return (
    <Part title="Knowledge" amount={query.data?.items.length} error={query.error}>
      {query.data?.items.map(({ note, score, reason }) => (
        <Entry key={note.note_id} name={note.name} detail={reason} figure={score.toFixed(2)} />
      ))}
    </Part>
  );
}

function Skills({ org, draft }: PartProps) {
  const { prompt, skills } = draft;
  const query = useQuery({
    ...givenSkillsQuery(org, prompt.trim(), reposOf(draft)),
    enabled: prompt.trim() !== '' && skills === null,
  });
  if (skills !== null) return <Part title="Skills" amount={skills.length} note="As ticked below." />;
  if (prompt.trim() === '') return <Part title="Skills" note="Depends on the prompt." />;
  return (
    <Part title="Skills" amount={query.data?.items.length} error={query.error}>
      {query.data?.items.map(({ id, name, reason }) => (
        <Entry key={id} name={name} detail={reason} />
      ))}
    </Part>
  );
}

function Servers({ org, draft }: PartProps) {
  const { data = [], error } = useQuery(serversQuery(org));
  const shown = data.filter(({ id, access }) =>
    draft.servers === null ? access === 'organization' : draft.servers.includes(id),
  );
  const isPartial = draft.servers === null && data.some(({ access }) => access === 'repositories');
  return (
    <Part
      title="MCP servers"
      amount={shown.length}
      error={error}
      {...(isPartial ? { note: 'And those that are assigned to its repositories.' } : {})}
    >
      {shown.map(({ id, name, description }) => (
        <Entry key={id} name={name} detail={description} />
      ))}
    </Part>
  );
}

function Secrets({ org, draft, own }: PartProps & { own: readonly string[] }) {
  const { data = [], error } = useQuery(secretsQuery(org));
  const shown = data.filter(({ id, scope, repo }) =>
    draft.secrets === null ? scope !== 'repository' || isOn(draft, repo) : draft.secrets.includes(id),
  );
  return (
    <Part title="Secrets" amount={shown.length + own.length} error={error}>
      {own.map((key, at) => (
        // Two may have one name until the API refuses it.
        <Entry key={at} name={key} detail="For this session only." />
      ))}
      {shown.map(({ id, key, exposure }) => (
        <Entry key={id} name={key} detail={exposure === 'broker' ? 'Only the gateway has its value.' : ''} />
      ))}
    </Part>
  );
}

function Guardrails({ org, draft }: PartProps) {
  const { data, error } = useQuery(guardrailsQuery(org, draft.repositories[0]?.repo ?? '', draft));
  return (
    <Part title="Guardrails" error={error}>
      {data?.findings.map(({ rule, action, message }) => (
        <Entry key={rule} name={action === 'blocked' ? 'Would be blocked' : 'Would be warned about'} detail={message} />
      ))}
      {data?.require_plan_approval === true && <Entry name="Its plan waits for approval" detail="" />}
      {data?.findings.length === 0 && !data.require_plan_approval && <Entry name="Nothing in the way" detail="" />}
    </Part>
  );
}
