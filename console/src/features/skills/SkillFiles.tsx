import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { count } from '../../lib/format.ts';
import { Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { FileEditor } from './FileEditor.tsx';
import { FileTree } from './FileTree.tsx';
import { NewFile } from './NewFile.tsx';
import { fileQuery, type SkillDetail, type SkillFile } from './queries.ts';

interface Props {
  org: string;
  skill: SkillDetail;
  path: string;
  show: (path: string) => void;
  canWrite: boolean;
}

/** The files of a skill, and one of them. */
export function SkillFiles({ org, skill, path, show, canWrite }: Props) {
  const { id, files, source, metadata } = skill;
  const entry = files.find((file) => file.path === path);
  const origin = metadata.import ?? metadata.repository;
  return (
    <div className="grid gap-4 px-4 py-4 sm:px-6 md:grid-cols-[220px_minmax(0,1fr)]">
      <div className="flex flex-col gap-3">
        <FileTree files={files} selected={path} onSelect={show} />
        {canWrite && <NewFile org={org} id={id} taken={files.map((file) => file.path)} show={show} />}
        {source !== 'managed' && typeof origin === 'object' && (
          <p className="text-meta break-words text-ink-3">
            {source === 'imported' ? 'Imported from ' : 'Changed only by commits to '}
            {'url' in origin ? origin.url : origin.repo}
            {origin.path !== '' && `, ${origin.path}`} at <code>{origin.commit.slice(0, 10)}</code>
          </p>
        )}
      </div>
      {entry === undefined ? (
        <p className="text-ink-2">This skill has no file with this name.</p>
      ) : (
        <OneFile key={path} org={org} skill={skill} path={path} sha256={entry.sha256} canWrite={canWrite} show={show} />
      )}
    </div>
  );
}

function OneFile({ org, skill, path, sha256, canWrite, show }: Props & { sha256: string }) {
  // A draft stays while a newer content is read.
  const query = useQuery({ ...fileQuery(org, skill.id, path, sha256), placeholderData: keepPreviousData });
  if (query.data === undefined && query.isError)
    return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows rows={8} height={24} />;
  const file = query.data;
  if (file.encoding === 'base64')
    return <p className="text-ink-2">A binary file of {count(file.size_bytes)} bytes. It cannot be shown here.</p>;
  if (!canWrite)
    return (
      <pre aria-label={path} tabIndex={0} className="overflow-x-auto rounded-control bg-sunken p-3">
        {file.content}
      </pre>
    );
  return <EditFile org={org} skill={skill} file={file} show={show} />;
}

/** Reads the other files too: a skill is checked as a whole. */
function EditFile({
  org,
  skill,
  file,
  show,
}: {
  org: string;
  skill: SkillDetail;
  file: SkillFile;
  show: (path: string) => void;
}) {
  const all = useQueries({
    queries: skill.files.map(({ path, sha256 }) => fileQuery(org, skill.id, path, sha256)),
  }).flatMap(({ data }) => data ?? []);
  const isWhole = all.length === skill.files.length;
  return <FileEditor org={org} skill={skill} file={file} all={isWhole ? all : undefined} show={show} />;
}
