import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiError, apiOf, unwrap } from '../../../lib/api.ts';
import { failureOf, signInIfNeeded } from '../../../lib/errors.ts';
import { Button } from '../../../ui/Button.tsx';
import { useCan } from '../../shell/useCan.ts';
import { Advanced } from './Advanced.tsx';
import { Attachments } from './Attachments.tsx';
import { Choices } from './Choices.tsx';
import { rememberDefaults } from './defaults.ts';
import { finishDraft, mostRepositories, type GivenByAddress } from './draft.ts';
import { Preview } from './Preview.tsx';
import { PromptField } from './PromptField.tsx';
import { RepositoryFields } from './RepositoryFields.tsx';
import { requestOf } from './request.ts';
import { useDraft, withRepository } from './useDraft.ts';
import { useUploads } from './useUploads.ts';

/** What starts a session. What is entered survives a reload and a refused request. */
export function Composer({ org, given }: { org: string; given: GivenByAddress }) {
  const navigate = useNavigate();
  const { draft, change } = useDraft(org, given);
  const { uploads, isSending, add, drop, retry } = useUploads(org, change);
  const canAttach = useCan(org, 'attachments:write');
  const start = useMutation({
    mutationFn: () => unwrap(apiOf(org).POST('/v3/organizations/{orgId}/sessions', { body: requestOf(draft) })),
    onSuccess: ({ id }) => {
      rememberDefaults(org, draft);
      finishDraft(org, draft);
      return navigate({ to: '/$org/sessions/$id', params: { org, id } });
    },
    onError: signInIfNeeded,
  });
  const canStart = draft.prompt.trim() !== '' && !start.isPending && !isSending;
  const submit = () => {
    if (canStart) start.mutate();
  };
  const issues = start.error instanceof ApiError ? start.error.issues : [];
  const problemOf = (path: string) => issues.find((issue) => `/${issue.path.join('/')}`.startsWith(path))?.message;
  const { prompt, repositories, files } = draft;
  const [first] = repositories;
  const setRef = (at: number, ref: string) =>
    change({ repositories: repositories.map((one, index) => (index === at ? { ...one, ref } : one)) });
  return (
    <div className="grid gap-x-6 gap-y-6 px-4 py-4 sm:px-6 lg:grid-cols-[minmax(0,1fr)_320px]">
      <form
        noValidate
        aria-label="New session"
        className="flex max-w-[880px] flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <PromptField
          org={org}
          value={prompt}
          repo={first?.repo ?? ''}
          at={first?.ref ?? ''}
          problem={problemOf('/prompt')}
          onChange={(text) => change({ prompt: text })}
          submit={submit}
          addFiles={canAttach ? add : undefined}
        />
        {canAttach && (
          <Attachments
            files={files}
            uploads={uploads}
            add={add}
            remove={(id) => change((now) => ({ files: now.files.filter((file) => file.id !== id) }))}
            retry={retry}
            drop={drop}
          />
        )}
        {repositories.map(({ repo, ref }, index) => (
          <RepositoryFields
            // A repository has no identity besides its place: its name changes with each key.
            key={index}
            org={org}
            repo={repo}
            at={ref}
            index={index}
            problemOf={problemOf}
            onRepository={(name) => change((now) => withRepository(org, now, index, name))}
            onRef={(name) => setRef(index, name)}
            remove={
              index === 0 ? undefined : () => change({ repositories: repositories.filter((_, at) => at !== index) })
            }
          />
        ))}
        {first?.repo !== '' && repositories.length < mostRepositories && (
          <p>
            <Button onClick={() => change({ repositories: [...repositories, { repo: '', ref: '' }] })}>
              Add a repository
            </Button>
          </p>
        )}
        <Choices org={org} draft={draft} change={change} problemOf={problemOf} />
        <details>
          <summary className="min-h-6 cursor-pointer py-1 font-medium pointer-coarse:min-h-11">
            Check, delivery, limits, and what it is given
          </summary>
          <Advanced org={org} draft={draft} change={change} problemOf={problemOf} />
        </details>
        {start.isError && (
          <p role="alert" className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2">
            {failureOf(start.error).message}
          </p>
        )}
        <p>
          <Button type="submit" look="primary" disabled={!canStart} className="w-full sm:w-auto">
            {start.isPending ? 'Starting …' : isSending ? 'Waiting for files …' : 'Start session'}
          </Button>
        </p>
      </form>
      <Preview org={org} draft={draft} />
    </div>
  );
}
