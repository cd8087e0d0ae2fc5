import { useInfiniteQuery } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { TextDiff } from '../../ui/diff/TextDiff.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Versions } from '../../ui/Versions.tsx';
import { useCan } from '../shell/useCan.ts';
import { notesPath, versionsQuery, type Note, type NoteVersion } from './queries.ts';
import { textOf } from './words.ts';

interface Props {
  org: string;
  note: Note;
  /** The version that is shown; the newest by default. */
  shown: number | undefined;
  show: (revision: number) => void;
}

/** The versions of a note: what each changed, and a way back to it. */
export function NoteVersions({ org, note, shown = note.revision, show }: Props) {
  const query = useInfiniteQuery(versionsQuery(org, note.note_id));
  if (query.isPending) return <SkeletonRows rows={4} height={44} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const versions = query.data.pages.flatMap(({ items }) => items);
  const version = versions.find(({ revision }) => revision === shown);
  const before = versions.find(({ revision }) => revision === shown - 1);
  return (
    <Versions
      versions={versions.map(({ revision, created_by: author, created_at: at }) => ({
        number: revision,
        label: author.name === '' ? 'Someone' : author.name,
        at,
      }))}
      shown={shown}
      show={show}
      showOlder={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
    >
      {version && <OneVersion key={version.revision} org={org} note={note} version={version} before={before} />}
    </Versions>
  );
}

interface OneVersionProps {
  org: string;
  note: Note;
  version: NoteVersion;
  before: NoteVersion | undefined;
}

function OneVersion({ org, note, version, before }: OneVersionProps) {
  const { note_id: noteId, revision: current } = note;
  const { revision } = version;
  const canWrite = useCan(org, 'memory:write');
  const restore = useAction({
    call: () => {
      const params = { path: { noteId, revision }, header: { 'if-match': `"${current}"` } };
      return unwrap(apiOf(org).POST(`${notesPath}/{noteId}/versions/{revision}/restore`, { params }));
    },
    touches: [keys.all(org, 'knowledge')],
    says: ({ revision: made }) => `Restored as version ${made}.`,
  });
  const name = `${version.name}.md`;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <section aria-label={`Version ${revision}`} className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="flex-1 text-read font-medium">
            {before === undefined ? `Version ${revision}` : `What version ${revision} changed`}
          </h2>
          {canWrite && revision !== current && (
            <Button onClick={() => restore.mutate()} disabled={restore.isPending}>
              Restore this version
            </Button>
          )}
        </div>
        <TextDiff name={name} before={before === undefined ? '' : textOf(before)} after={textOf(version)} />
      </section>
      {revision !== current && (
        <section aria-label="Compared with the current version" className="flex flex-col gap-2">
          <h2 className="text-read font-medium">What the current version has instead</h2>
          <TextDiff name={name} before={textOf(version)} after={textOf(note)} />
        </section>
      )}
    </div>
  );
}
