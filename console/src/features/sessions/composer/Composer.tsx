import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState, type SyntheticEvent } from 'react';
import { useLeaveGuard } from '../../../forms/useLeaveGuard.ts';
import { ApiError, apiOf, unwrap } from '../../../lib/api.ts';
import { failureOf } from '../../../lib/errors.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button, buttonClass } from '../../../ui/Button.tsx';
import { Refusal } from '../../../ui/Notice.tsx';
import { useCan } from '../../shell/useCan.ts';
import { Attachments } from '../attachments/Attachments.tsx';
import { mostFiles } from '../attachments/files.ts';
import { useUploads } from '../attachments/useUploads.ts';
import { Advanced } from './Advanced.tsx';
import { Choices, type ChoiceProps } from './Choices.tsx';
import { rememberDefaults } from './defaults.ts';
import { finishDraft, mostRepositories, saveDraft, type Draft, type GivenByAddress } from './draft.ts';
import { schemaIn } from './output.ts';
import type { OwnSecret } from './own-secrets.ts';
import { Preview } from './Preview.tsx';
import { PromptField } from './PromptField.tsx';
import { RepositoryFields } from './RepositoryFields.tsx';
import { requestOf } from './request.ts';
import { useDraft, withRepository, type Change } from './useDraft.ts';
import { useMarks } from './useMarks.ts';

interface ComposerProps {
  org: string;
  given: GivenByAddress;
  /** Told when something is entered for the first time. */
  onFirst?: () => void;
}

/** What starts a session. What is entered survives a reload and a refused request. */
export function Composer({ org, given, onFirst }: ComposerProps) {
  const { draft, change } = useDraft(org, given, onFirst);
  const uploads = useUploads(org, (file) => change(({ files }) => ({ files: [...files, file].slice(0, mostFiles) })));
  const canAttach = useCan(org, 'attachments:write');
  const [secrets, setSecrets] = useState<OwnSecret[]>([]);
  const start = useStart(org, draft, secrets);
  const isBroken = draft.outputSchema.trim() !== '' && schemaIn(draft.outputSchema) === undefined;
  useLeaveGuard(secrets.length > 0, 'The secrets for this session only are lost.', () => start.isStarted.current);
  const canStart = draft.prompt.trim() !== '' && !isBroken && !start.isPending && !uploads.isSending;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (canStart) start.mutate();
  };
  const form = useRef<HTMLFormElement>(null);
  const areAllMarked = useMarks(form, start.error);
  const issues = start.error instanceof ApiError ? start.error.issues : [];
  const problemOf = (path: string) => issues.find((issue) => `/${issue.path.join('/')}`.startsWith(path))?.message;
  const { prompt, repositories } = draft;
  const [first = { repo: '', ref: '' }] = repositories;
  const parts = { org, draft, change, problemOf };
  return (
    <div className="grid gap-x-6 gap-y-6 px-4 py-4 sm:px-6 lg:grid-cols-[minmax(0,1fr)_320px]">
      <form
        ref={form}
        noValidate
        aria-label="New session"
        className="flex max-w-[880px] min-w-0 flex-col gap-4"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event);
        }}
      >
        <PromptField
          org={org}
          value={prompt}
          repo={first.repo}
          at={first.ref}
          problem={problemOf('/prompt')}
          onChange={(text) => change({ prompt: text })}
          addFiles={canAttach ? uploads.add : undefined}
        />
        {canAttach && (
          <Attachments
            files={draft.files}
            {...uploads}
            remove={(id) => change((now) => ({ files: now.files.filter((file) => file.id !== id) }))}
          />
        )}
        <Repositories {...parts} />
        <Choices {...parts} />
        <details>
          <summary className="min-h-6 cursor-pointer py-1 font-medium pointer-coarse:min-h-11">
            Check, delivery, limits, and what it is given
          </summary>
          <Advanced {...parts} secrets={secrets} changeSecrets={setSecrets} />
        </details>
        {isBroken && (
          <p className="text-bad">The structured result needs a JSON Schema: it is not a JSON object yet.</p>
        )}
        {start.isError && !areAllMarked && <Refusal of={failureOf(start.error)} />}
        {start.isError && areAllMarked && (
          <p role="alert" className="text-bad">
            The session was not started. Correct what is marked.
          </p>
        )}
        <p className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" disabled={!canStart} className="w-full sm:w-auto">
            {start.isPending ? 'Starting …' : uploads.isSending ? 'Waiting for files …' : 'Start session'}
          </Button>
          <Link
            to="/$org/automations/new"
            params={{ org }}
            search={{ from: 'session' }}
            // What a link filled in is a draft of its own until somebody changes it.
            onClick={() => saveDraft(org, draft)}
            className={`${buttonClass()} w-full sm:w-auto`}
          >
            Schedule instead
          </Link>
        </p>
      </form>
      <Preview org={org} draft={draft} ownSecrets={secrets.map(({ key }) => key).filter((key) => key !== '')} />
    </div>
  );
}

function useStart(org: string, draft: Draft, secrets: readonly OwnSecret[]) {
  const navigate = useNavigate();
  const isStarted = useRef(false);
  const start = useAction({
    call: () => unwrap(apiOf(org).POST('/v3/organizations/{orgId}/sessions', { body: requestOf(draft, secrets) })),
    done: ({ id }) => {
      isStarted.current = true;
      rememberDefaults(org, draft);
      finishDraft(org, draft);
      return navigate({ to: '/$org/sessions/$id', params: { org, id } });
    },
    errors: 'here',
  });
  return { ...start, isStarted };
}

/** The repositories of the session: one, and further ones if somebody adds them. */
function Repositories({ org, draft, change, problemOf }: Omit<ChoiceProps, 'change'> & { change: Change }) {
  const { repositories } = draft;
  const canAdd = repositories[0]?.repo !== '' && repositories.length < mostRepositories;
  return (
    <>
      {repositories.map(({ repo, ref }, at) => (
        <RepositoryFields
          // A repository has no identity besides its place: its name changes with each key.
          key={at}
          org={org}
          repo={repo}
          at={ref}
          index={at}
          problemOf={problemOf}
          onRepository={(name) => change((now) => withRepository(org, now, at, name))}
          onRef={(name) =>
            change((now) => ({
              repositories: now.repositories.map((one, index) => (index === at ? { ...one, ref: name } : one)),
            }))
          }
          remove={
            at === 0
              ? undefined
              : () => change((now) => ({ repositories: now.repositories.filter((_, index) => index !== at) }))
          }
        />
      ))}
      {canAdd && (
        <p>
          <Button onClick={() => change({ repositories: [...repositories, { repo: '', ref: '' }] })}>
            Add a repository
          </Button>
        </p>
      )}
    </>
  );
}
