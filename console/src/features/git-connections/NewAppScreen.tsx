import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useWatch } from 'react-hook-form';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { formTarget, originOf, publicGithub, sendForm } from './form-target.ts';
import { connectionsPath } from './queries.ts';

const from = '/$org/git-connections/app/new' as const;

/** The page that begins a GitHub App: it sends the description of the App to GitHub, which asks the person. */
export function NewAppScreen() {
  const { org } = useParams({ from });
  return (
    <Page
      title="New GitHub App"
      back={
        <Link to="/$org/git-connections/new" params={{ org }} aria-label="New git connection" className={backLink}>
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="repos:write">
        <Body>
          <Steps />
          <NewApp org={org} />
        </Body>
      </Guarded>
    </Page>
  );
}

function Steps() {
  return (
    <div className="flex max-w-[72ch] flex-col gap-2 text-ink-2">
      <ol className="flex list-decimal flex-col gap-1 pl-5">
        <li>GitHub shows the App and asks you to create it. Sign in there first, in this browser.</li>
        <li>GitHub leads back here with its key, which is stored encrypted.</li>
        <li>You install the App on the repositories that sessions may work on.</li>
      </ol>
      <p>
        It may read and write contents, pull requests, issues, checks, statuses and actions, and read members. It may
        not change workflows.
      </p>
      {/^(?:localhost|127\..*)$/.test(location.hostname) && (
        <p>
          GitHub cannot deliver to <code>{location.origin}</code>. It may refuse the App until the server has a public
          address, <code>GUILDHALL_URL</code>.
        </p>
      )}
    </div>
  );
}

interface Values {
  host: string;
  owner: string;
  name: string;
}

function NewApp({ org }: { org: string }) {
  const { host = '', owner = '', name = '' } = useSearch({ from });
  const navigate = useNavigate({ from });
  const of = useApiForm({
    values: { host, owner, name },
    isFleeting: true,
    fieldOf: (path) => (path === 'github_organization' ? 'owner' : path),
    call: async (values: Values) => {
      if (isElsewhere(values.host)) {
        // The policy of a document names the one host that takes its form.
        await navigate({ search: filled(values), replace: true });
        location.reload();
        return;
      }
      const { host: given, owner: organization, name: called } = filled(values);
      const body = {
        ...(given === undefined ? {} : { host: given }),
        ...(organization === undefined ? {} : { github_organization: organization }),
        ...(called === undefined ? {} : { name: called }),
      };
      const { url, manifest } = await unwrap(apiOf(org).POST(`${connectionsPath}/app-manifests`, { body }));
      sendForm(url, { manifest });
    },
  });
  const typed = useWatch({ control: of.form.control, name: 'host' });
  return (
    <Form
      of={of}
      action={isElsewhere(typed) ? 'Continue with this host' : 'Create it at this host'}
      pending="One moment …"
      needsChange={false}
    >
      <TextField
        name="host"
        label="Host"
        placeholder={publicGithub}
        hint={`Empty: ${publicGithub}. The host name of a GitHub Enterprise Server, or of GHE.com.`}
        maxLength={255}
        mono
      />
      <TextField
        name="owner"
        label="Organization at GitHub"
        hint="It will own the App. Empty: your own account there."
        maxLength={100}
        mono
      />
      <TextField
        name="name"
        label="Name of the App"
        hint="Nobody else at the host has it. Empty: Guildhall, and the name of this organization in addresses."
        maxLength={34}
      />
    </Form>
  );
}

/** Returns true if the document must be loaded again before it may send a form to a host. */
function isElsewhere(host: string): boolean {
  const origin = originOf(host);
  return origin !== undefined && origin !== formTarget();
}

/** Returns what was entered, without empty fields. */
function filled(values: Values): Partial<Values> {
  const entries = Object.entries(values).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}
