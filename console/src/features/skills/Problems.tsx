import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { failureOf } from '../../lib/errors.ts';
import { useSettled } from '../../lib/useSettled.ts';
import { validateQuery, type SkillUpload } from './queries.ts';

type Issue = Schemas['SkillValidation']['issues'][number];

/** What is wrong or unusual in the files of a skill, line by line, while they are written. */
export function Problems({
  org,
  files,
  goTo,
}: {
  org: string;
  files: SkillUpload[] | undefined;
  /** Leads to a line of a file. */
  goTo: (file: string, line: number) => void;
}) {
  const text = useSettled(
    useMemo(() => (files === undefined ? undefined : JSON.stringify(files)), [files]),
    400,
  );
  const settled = useMemo((): SkillUpload[] | undefined => (text === undefined ? undefined : JSON.parse(text)), [text]);
  const { data, error } = useQuery(validateQuery(org, settled));
  if (error !== null) return <p className="text-bad">{failureOf(error).message}</p>;
  if (data === undefined) return null;
  const { issues, warnings } = data;
  return (
    <div role="status" className="flex flex-col gap-1">
      {issues.length + warnings.length === 0 && <p className="text-ink-3">No problems found.</p>}
      <List issues={issues} tone="text-bad" goTo={goTo} />
      <List issues={warnings} tone="text-wait" goTo={goTo} />
    </div>
  );
}

interface ListProps {
  issues: readonly Issue[];
  tone: string;
  goTo: (file: string, line: number) => void;
}

function List({ issues, tone, goTo }: ListProps) {
  if (issues.length === 0) return null;
  return (
    <ul>
      {issues.slice(0, 100).map(({ file, line, message }, at) => (
        <li key={at} className={tone}>
          {file !== '' && (
            <button
              type="button"
              className="min-h-6 font-mono underline pointer-coarse:min-h-11"
              onClick={() => goTo(file, line)}
            >
              {file}
              {line > 0 && `:${line}`}
            </button>
          )}{' '}
          {message}
        </li>
      ))}
    </ul>
  );
}
