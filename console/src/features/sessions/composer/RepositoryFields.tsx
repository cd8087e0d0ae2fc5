import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useId } from 'react';
import { useSettled } from '../../../lib/useSettled.ts';
import { Button } from '../../../ui/Button.tsx';
import { Field, fieldClass } from '../../../ui/Field.tsx';
import { useCan } from '../../shell/useCan.ts';
import { branchesQuery, repositoriesQuery, useRepository } from './queries.ts';

interface Props {
  org: string;
  repo: string;
  at: string;
  /** Its place among the session's repositories. */
  index: number;
  problemOf: (path: string) => string | undefined;
  onRepository: (repo: string) => void;
  onRef: (ref: string) => void;
  /** Given for a repository that can be taken away again. */
  remove: (() => void) | undefined;
}

/** A repository and where to start in it. Both are texts with suggestions: there may be more than a menu can hold. */
export function RepositoryFields({ org, repo, at, index, problemOf, onRepository, onRef, remove }: Props) {
  const names = useId();
  const branches = useId();
  const canRead = useCan(org, 'repos:read');
  const search = useSettled(repo, 150);
  const { data: repositories = [] } = useQuery({ ...repositoriesQuery(org, search), enabled: canRead });
  const repository = useRepository(org, search);
  const part = useSettled(at, 150);
  const { data: refs = [] } = useQuery({
    ...branchesQuery(org, repository?.id ?? '', part),
    enabled: repository !== undefined,
  });
  const suffix = index === 0 ? '' : ` ${index + 1}`;
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field
        label={`Repository${suffix}`}
        {...(index === 0 ? { hint: 'Empty: an empty workspace, from which nothing is delivered.' } : {})}
        problem={problemOf(index === 0 ? '/repositories/0/repo' : `/repositories/${index}`)}
      >
        {(attributes) => (
          <span className="flex gap-1">
            <input
              {...attributes}
              list={names}
              autoComplete="off"
              placeholder="owner/name"
              value={repo}
              maxLength={200}
              onChange={({ target }) => onRepository(target.value.trim())}
              className={fieldClass}
            />
            <datalist id={names}>
              {repositories.map((one) => (
                <option key={one.id} value={one.repo} />
              ))}
            </datalist>
            {remove !== undefined && (
              <Button look="bare" aria-label={`Remove repository ${index + 1}`} onClick={remove} className="px-2">
                <X size={16} strokeWidth={1.5} aria-hidden />
              </Button>
            )}
          </span>
        )}
      </Field>
      <Field
        label={`Branch, tag or commit${suffix}`}
        hint={`Empty: ${repository === undefined ? 'the default branch' : repository.default_branch}.`}
        problem={problemOf(`/repositories/${index}/ref`)}
      >
        {(attributes) => (
          <>
            <input
              {...attributes}
              list={branches}
              autoComplete="off"
              value={at}
              maxLength={200}
              disabled={repo === ''}
              onChange={({ target }) => onRef(target.value.trim())}
              className={fieldClass}
            />
            <datalist id={branches}>
              {refs.map(({ name, is_default: isDefault }) => (
                <option key={name} value={name}>
                  {isDefault ? 'the default branch' : ''}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Field>
    </div>
  );
}
