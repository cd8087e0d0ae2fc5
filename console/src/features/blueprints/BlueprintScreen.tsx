import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { isGone } from '../../lib/errors.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Snippet } from '../../ui/Copy.tsx';
import { backLink, Body, Facts, Page } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { Unread } from '../shell/Unread.tsx';
import { Compare } from './Compare.tsx';
import { blueprintQuery, type Blueprint } from './queries.ts';
import { rangeOf } from './range.ts';

/** A blueprint: its manifest, and what differs between two versions. */
export function BlueprintScreen() {
  const { org, id } = useParams({ from: '/$org/blueprints/$id' });
  return (
    <Guarded org={org} scope="org:read">
      <ReadBlueprint org={org} id={id} />
    </Guarded>
  );
}

function ReadBlueprint({ org, id }: { org: string; id: string }) {
  const query = useQuery(blueprintQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Blueprint" />;
  return <OneBlueprint org={org} blueprint={query.data} />;
}

function OneBlueprint({ org, blueprint }: { org: string; blueprint: Blueprint }) {
  const { id, name, version } = blueprint;
  const { diff } = useSearch({ from: '/$org/blueprints/$id' });
  const navigate = useNavigate({ from: '/$org/blueprints/$id' });
  const range = rangeOf(diff, version) ?? { from: Math.max(1, version - 1), to: version };
  const compare = (from: number, to: number) => void navigate({ search: { diff: `${from}..${to}` }, replace: true });
  const href = `/v3/organizations/${encodeURIComponent(org)}/blueprints/${encodeURIComponent(id)}`;
  return (
    <Page
      title={name}
      tab={`Blueprint of ${name}`}
      back={
        <Link to="/$org/blueprints" params={{ org }} aria-label="All blueprints" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <>
          <span className="text-ink-3">version {version}</span>
          <Link to="/$org/agents/$id" params={{ org, id: blueprint.agent_id }} className={buttonClass('bare')}>
            Its agent
          </Link>
          <a className={buttonClass()} href={href} download={`${id}.json`}>
            Export
          </a>
        </>
      }
    >
      <Tabs
        label="Parts of the blueprint"
        value={diff === undefined ? 'manifest' : 'diff'}
        onChange={(next) =>
          next === 'diff' ? compare(range.from, range.to) : void navigate({ search: {}, replace: true })
        }
        tabs={[
          { id: 'manifest', label: 'Manifest', content: () => <Manifest blueprint={blueprint} /> },
          ...(version > 1
            ? [
                {
                  id: 'diff' as const,
                  label: 'Compare versions',
                  content: () => <Compare org={org} id={id} newest={version} range={range} onChange={compare} />,
                },
              ]
            : []),
        ]}
      />
    </Page>
  );
}

const longest = 200_000;

function Manifest({ blueprint: { manifest, digest, redactions, created_at: at } }: { blueprint: Blueprint }) {
  const text = JSON.stringify(manifest, null, 2);
  return (
    <Body>
      <Facts
        facts={[
          ['Digest', <code key="digest">{digest}</code>],
          ['Made', <Time key="at" at={at} />],
          [
            'Credentials',
            redactions.length === 0
              ? 'none in it'
              : `${redactions.length} replaced by the names of secrets: ${redactions
                  .slice(0, 20)
                  .map(({ name }) => name)
                  .join(', ')}`,
          ],
        ]}
      />
      <Snippet label="Manifest" text={text.slice(0, longest)} />
      {text.length > longest && <p className="text-ink-2">This is its beginning. The export has all of it.</p>}
    </Body>
  );
}
