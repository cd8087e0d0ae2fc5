import { apiOf, unwrap } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { keys } from '../../../lib/keys.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { Chip } from '../../../ui/Chip.tsx';
import { useConfirm } from '../../../ui/Confirm.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import { Time } from '../../../ui/Time.tsx';
import { useCan } from '../../shell/useCan.ts';
import { repositoriesPath, type Repository } from '../queries.ts';
import { indexKey, isBuilding, type RepositoryIndex } from './queries.ts';

interface Props {
  org: string;
  repository: Repository;
  index: RepositoryIndex;
}

const states = {
  none: { word: 'No index', tone: 'plain' },
  queued: { word: 'Queued', tone: 'run' },
  indexing: { word: 'Indexing', tone: 'run' },
  ready: { word: 'Indexed', tone: 'run' },
  stale: { word: 'Behind the branch', tone: 'wait' },
  failed: { word: 'Failed', tone: 'bad' },
} as const;

/** The index of a repository in a line: its state and what it has, and how to build or delete it. */
export function IndexState({ org, repository: { id, repo, default_branch: branch }, index }: Props) {
  const { state, error, commit } = index;
  const canWrite = useCan(org, 'repos:write');
  const ask = useConfirm();
  const params = { path: { id } };
  const touches = [indexKey(org, id), keys.one(org, 'repositories', id)];
  const build = useAction({
    call: () => unwrap(apiOf(org).PUT(`${repositoriesPath}/{id}/index`, { params })),
    touches,
    says: `The index of ${branch} is built. From then on every push updates it.`,
  });
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(`${repositoriesPath}/{id}/index`, { params })),
    touches,
    says: 'The index is deleted.',
  });
  const confirm = async () => {
    const text = 'Symbols are not found without it. Text and paths are, and it can be built again.';
    if (await ask({ title: `Delete the index of ${repo}?`, text, action: 'Delete the index' })) remove.mutate();
  };
  const { word, tone } = states[state];
  return (
    <section
      aria-label="Index"
      className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1 sm:px-6"
    >
      <Chip tone={tone}>{word}</Chip>
      <span className="min-w-0 flex-1 basis-64 break-words text-ink-2">
        <Words index={index} branch={branch} />
      </span>
      <span className="flex shrink-0 items-center gap-1">
        {canWrite && !isBuilding(index) && (
          <Button disabled={build.isPending} onClick={() => build.mutate()}>
            {commit === '' && state === 'none' ? 'Build the index' : 'Build it again'}
          </Button>
        )}
        {canWrite && state !== 'none' && (
          <Menu
            label="More about the index"
            items={[{ label: 'Delete the index …', danger: true, select: () => void confirm() }]}
          />
        )}
      </span>
      {error !== '' && <p className="basis-full border-l-2 border-bad bg-bad-soft px-3 py-1 break-words">{error}</p>}
    </section>
  );
}

function Words({ index, branch }: { index: RepositoryIndex; branch: string }) {
  const { state, commit, files, symbols, indexed_at: at, progress } = index;
  if (state === 'indexing' && progress.total > 0)
    return `${count(progress.parsed)} of ${count(progress.total)} files read`;
  if (isBuilding(index)) return 'It is built in the background.';
  if (commit === '') return `An index of ${branch} makes its definitions known to search and to sessions.`;
  const skipped = Object.values(index.skipped).reduce((sum, each) => sum + each, 0);
  return (
    <>
      {count(symbols)} definitions in {count(files)} files of <code>{commit.slice(0, 10)}</code>
      {skipped > 0 && <span title={skippedWords(index)}>, {count(skipped)} left out</span>}
      {at !== null && (
        <>
          , <Time at={at} />
        </>
      )}
    </>
  );
}

function skippedWords({ skipped }: RepositoryIndex): string {
  const { too_large: large, binary, generated, vendored, failed } = skipped;
  const parts: [number, string][] = [
    [large, 'too large'],
    [binary, 'binary'],
    [generated, 'generated'],
    [vendored, 'of other projects'],
    [failed, 'not parsed'],
  ];
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, what]) => `${count(amount)} ${what}`)
    .join(', ');
}
