import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Body, Facts } from '../../ui/Page.tsx';
import { Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { ConnectionField } from './ConnectionField.tsx';
import { EnvironmentFields } from './EnvironmentFields.tsx';
import { repositoriesPath, type Repository } from './queries.ts';

/** Where sessions on a repository start, and how they are set up and checked. */
export function RepositorySettings({ org, repository }: { org: string; repository: Tagged<Repository> }) {
  const canWrite = useCan(org, 'repos:write');
  const { default_branch: branch, environment } = repository;
  return (
    <Body>
      {canWrite ? (
        <Edit org={org} repository={repository} />
      ) : (
        <Facts
          facts={[
            ['Default branch', <code key="branch">{branch}</code>],
            ['Setup command', commandOf(environment.setup_command)],
            ['Check', commandOf(environment.verify_command)],
            ['Sandbox image', commandOf(environment.image)],
          ]}
        />
      )}
      <Needs org={org} scope="repos:write" what="Changing them" />
    </Body>
  );
}

function commandOf(command: string) {
  return command === '' ? 'none' : <code className="whitespace-pre-wrap">{command}</code>;
}

type Values = Pick<Repository, 'default_branch' | 'connection_id' | 'environment'>;

function Edit({ org, repository }: { org: string; repository: Tagged<Repository> }) {
  const { id, default_branch: branch, connection_id: connection, environment, etag } = repository;
  const of = useApiForm({
    values: { default_branch: branch, connection_id: connection, environment },
    etag,
    call: ({ default_branch: newBranch, connection_id: newConnection, environment: changed }: Values, header) => {
      const body = {
        environment: changed,
        // The host is asked about these.
        ...(newBranch === branch ? {} : { default_branch: newBranch }),
        ...(newConnection === connection ? {} : { connection_id: newConnection }),
      };
      return unwrap(apiOf(org).PATCH(`${repositoriesPath}/{id}`, { params: { path: { id }, header }, body }));
    },
    touches: [keys.all(org, 'repositories')],
    says: 'Saved. Sessions that start from now on use it.',
  });
  return (
    <Form of={of} action="Save">
      <TextField
        name="default_branch"
        label="Default branch"
        hint="Sessions start from it, and deliver to it."
        maxLength={240}
        mono
      />
      <ConnectionField org={org} repository={repository} />
      <EnvironmentFields />
      <p className="max-w-[72ch] text-meta text-ink-3">
        Whoever writes a command decides what runs beside secrets. While a member’s command is here, the own secrets of
        other members stay out of sessions on this repository.
      </p>
    </Form>
  );
}
