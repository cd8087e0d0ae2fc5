import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useWatch } from 'react-hook-form';
import { Form, SelectField, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { backLink, Body, Page, Section } from '../../ui/Page.tsx';
import { ValueField } from '../secrets/ValueField.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { connectionsPath } from './queries.ts';
import { TokenNeeds } from './TokenNeeds.tsx';
import { defaultHosts, providerNames, tokenProviders, type TokenProvider } from './words.ts';

/** The page that connects a git host. */
export function NewConnectionScreen() {
  const { org } = useParams({ from: '/$org/git-connections/new' });
  return (
    <Page
      title="New git connection"
      back={
        <Link to="/$org/git-connections" params={{ org }} aria-label="All git connections" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="repos:write">
        <Body>
          <ByApp org={org} />
          <Section title="With a token">
            <NewConnection org={org} />
          </Section>
        </Body>
      </Guarded>
    </Page>
  );
}

function ByApp({ org }: { org: string }) {
  return (
    <Section title="GitHub, as an App">
      <p className="max-w-[72ch] text-ink-2">
        An App of your own works as itself, on the repositories that you select. Its credentials are valid for an hour,
        and it may report checks. GitHub creates it after one question.
      </p>
      <p className="flex flex-wrap gap-2">
        <Link to="/$org/git-connections/app/new" params={{ org }} reloadDocument className={buttonClass('primary')}>
          Create a GitHub App
        </Link>
        <Link to="/$org/git-connections/app" params={{ org }} className={buttonClass()}>
          Apps created here
        </Link>
      </p>
    </Section>
  );
}

interface Values {
  provider: TokenProvider;
  host: string;
  name: string;
  token: string;
}

const empty: Values = { provider: 'github', host: '', name: '', token: '' };
const providers = tokenProviders.map((provider) => [provider, providerNames[provider]] as const);

function NewConnection({ org }: { org: string }) {
  const navigate = useNavigate();
  const of = useApiForm({
    values: empty,
    call: ({ provider, host, name, token }: Values) =>
      unwrap(
        apiOf(org).POST(connectionsPath, {
          body: {
            provider,
            kind: 'token',
            token: token.trim(),
            ...(host.trim() === '' ? {} : { host: host.trim() }),
            ...(name.trim() === '' ? {} : { name: name.trim() }),
          },
        }),
      ),
    touches: [keys.all(org, 'git-connections')],
    says: ({ name }) => `${name} is connected. Nobody can read its token here.`,
    done: ({ id }) => navigate({ to: '/$org/git-connections/$id', params: { org, id } }),
  });
  const provider = useWatch({ control: of.form.control, name: 'provider' });
  const host = defaultHosts[provider];
  return (
    <Form of={of} action="Connect" pending="Asking the host …">
      <SelectField name="provider" label="Kind of git host" options={providers} />
      <TextField
        name="host"
        label="Host"
        placeholder={host === '' ? 'pagure.example.com' : host}
        hint={`${host === '' ? 'A host name' : `Empty: ${host}. A host name`}, or an https URL if it is below a path.`}
        maxLength={255}
        mono
      />
      <TextField name="name" label="Name" hint="For people. Empty: the host." maxLength={200} />
      <TokenNeeds provider={provider} />
      <ValueField name="token" label="Token" hint="Verified at the host, and stored encrypted." />
    </Form>
  );
}
