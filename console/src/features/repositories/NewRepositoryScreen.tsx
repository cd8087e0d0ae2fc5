import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useWatch } from 'react-hook-form';
import { Form, SelectField, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { EnvironmentFields } from './EnvironmentFields.tsx';
import { repositoriesPath, type Repository } from './queries.ts';

/** The page that creates a repository, empty or as a copy of one. */
export function NewRepositoryScreen() {
  const { org } = useParams({ from: '/$org/repositories/new' });
  return (
    <Page
      title="New repository"
      back={
        <Link to="/$org/repositories" params={{ org }} aria-label="All repositories" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="repos:write">
        <Body>
          <NewRepository org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

interface Values {
  repo: string;
  source: 'empty' | 'copy';
  import_url: string;
  default_branch: string;
  environment: Repository['environment'];
}

const empty: Values = {
  repo: '',
  source: 'empty',
  import_url: '',
  default_branch: '',
  environment: { setup_command: '', verify_command: '', image: '' },
};

function NewRepository({ org }: { org: string }) {
  const navigate = useNavigate();
  const of = useApiForm({
    values: empty,
    call: ({ repo, source, import_url: url, default_branch: branch, environment }: Values) =>
      unwrap(
        apiOf(org).POST(repositoriesPath, {
          body: {
            provider: 'local',
            repo: repo.trim(),
            environment,
            ...(source === 'copy' ? { import_url: url.trim() } : {}),
            ...(branch.trim() === '' ? {} : { default_branch: branch.trim() }),
          },
        }),
      ),
    touches: [keys.all(org, 'repositories')],
    done: ({ id }) => navigate({ to: '/$org/repositories/$id', params: { org, id } }),
  });
  const source = useWatch({ control: of.form.control, name: 'source' });
  return (
    <Form of={of} action="Create the repository">
      <p className="max-w-[72ch] text-ink-2">
        It will be on the built-in git host. Connect a repository of GitHub, GitLab or Pagure from its{' '}
        <Link to="/$org/git-connections" params={{ org }} className="underline">
          git connection
        </Link>
        .
      </p>
      <TextField name="repo" label="Name" placeholder="owner/name" hint="Owner and name, such as acme/shop." mono />
      <SelectField
        name="source"
        label="What is in it?"
        options={[
          ['empty', 'Nothing yet: I push to it'],
          ['copy', 'A copy of another git repository'],
        ]}
      />
      {source === 'copy' && (
        <TextField
          name="import_url"
          label="URL to copy"
          type="url"
          placeholder="https://git.example.com/acme/shop.git"
          hint="Over http or https, without a password. Copying a large repository takes a while."
          mono
        />
      )}
      <TextField
        name="default_branch"
        label="Default branch"
        hint={source === 'copy' ? 'Empty: the one that it has there.' : 'Empty: main.'}
        maxLength={240}
        mono
      />
      <EnvironmentFields />
    </Form>
  );
}
