import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { Chip } from '../../../ui/Chip.tsx';
import { Empty, Failed } from '../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useCan } from '../../shell/useCan.ts';
import { repositoriesPath, type Repository } from '../queries.ts';
import { isMaking, wikiKey, wikiQuery, type Wiki } from './queries.ts';
import { WikiPages } from './WikiPages.tsx';

interface Props {
  org: string;
  repository: Repository;
  /** The shown page; the first one by default. */
  page: string | undefined;
}

/** The wiki of a repository: how it stands, its pages, and the page that is read. */
export function WikiTab({ org, repository, page }: Props) {
  const query = useQuery(wikiQuery(org, repository.id));
  if (query.isPending) return <SkeletonRows rows={8} height={32} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const wiki = query.data;
  if (wiki.state === 'none')
    return (
      <Empty action={<Generate org={org} repository={repository} wiki={wiki} />}>
        A wiki describes the code of {repository.default_branch}: its modules, how they depend on one another, and where
        things are. Every push updates it.
      </Empty>
    );
  return (
    <>
      <WikiState org={org} repository={repository} wiki={wiki} />
      {wiki.pages.length > 0 && <WikiPages org={org} repository={repository} wiki={wiki} page={page} />}
    </>
  );
}

const states = {
  none: { word: 'None', tone: 'plain' },
  queued: { word: 'Queued', tone: 'run' },
  generating: { word: 'Being made', tone: 'run' },
  ready: { word: 'Made', tone: 'run' },
  failed: { word: 'Failed', tone: 'bad' },
} as const;

function WikiState({ org, repository, wiki }: Omit<Props, 'page'> & { wiki: Wiki }) {
  const { state, commit, generated_at: at, error, note, prose_session_id: writer, prose_left: left } = wiki;
  const stale = wiki.pages.filter(({ prose_state }) => prose_state === 'stale').length;
  const { word, tone } = states[state];
  return (
    <section
      aria-label="State of the wiki"
      className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1 sm:px-6"
    >
      <Chip tone={tone}>{word}</Chip>
      <span className="min-w-0 flex-1 basis-64 break-words text-ink-2">
        {commit !== '' && (
          <>
            of <code>{commit.slice(0, 10)}</code>
          </>
        )}
        {at !== null && (
          <>
            , <Time at={at} />
          </>
        )}
        {writer !== '' && (
          <span className="block">
            <Link to="/$org/sessions/$id" params={{ org, id: writer }} className="underline">
              A session
            </Link>{' '}
            writes prose for its pages. {left} {left === 1 ? 'is' : 'are'} left.
          </span>
        )}
        {writer === '' && stale > 0 && (
          <span className="block">
            The code changed since the prose of {stale} {stale === 1 ? 'page' : 'pages'} was written. Make it again to
            have it rewritten.
          </span>
        )}
        {note !== '' && <span className="block text-meta text-ink-3">{note}</span>}
      </span>
      <Generate org={org} repository={repository} wiki={wiki} />
      {error !== '' && <p className="basis-full border-l-2 border-bad bg-bad-soft px-3 py-1 break-words">{error}</p>}
    </section>
  );
}

function Generate({ org, repository: { id }, wiki }: Omit<Props, 'page'> & { wiki: Wiki }) {
  const canWrite = useCan(org, 'repos:write');
  const generate = useAction({
    call: () => unwrap(apiOf(org).POST(`${repositoriesPath}/{id}/wiki/regenerate`, { params: { path: { id } } })),
    touches: [wikiKey(org, id), keys.one(org, 'repositories', id)],
    says: 'The wiki is made in the background. With a model, a session then writes its prose.',
  });
  if (!canWrite || isMaking(wiki)) return null;
  return (
    <Button disabled={generate.isPending} onClick={() => generate.mutate()}>
      {wiki.state === 'none' ? 'Make the wiki' : 'Make it again'}
    </Button>
  );
}
