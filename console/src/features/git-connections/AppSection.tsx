import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { AppMenu } from './AppMenu.tsx';
import { AppWebhook } from './AppWebhook.tsx';
import { connectionsPath, connectionsQuery, type GitApp } from './queries.ts';

interface Props {
  org: string;
  app: GitApp;
  /** The number that GitHub gave to an installation that is not connected yet. */
  installation: string | undefined;
}

const link = 'inline-flex min-h-6 items-center underline pointer-coarse:min-h-11';

/** An App: what uses it, and the next step: to install it, or to connect an installation. */
export function AppSection({ org, app, installation }: Props) {
  const { id, name, host, html_url: page, installation_url: install, created_at: at } = app;
  const connections = useInfiniteQuery(connectionsQuery(org)).data?.pages.flatMap(({ items }) => items) ?? [];
  const own = connections.filter(({ app_id: of }) => of === id);
  return (
    <Section title={name} actions={<AppMenu org={org} app={app} />}>
      <Facts
        facts={[
          ['Host', <code key="host">{host}</code>],
          [
            'Page',
            <a key="page" href={page} className={`${link} break-all`} rel="noreferrer">
              {page}
            </a>,
          ],
          ['Created', <Time key="at" at={at} />],
          [
            'Connections',
            own.length === 0
              ? 'none yet'
              : own.map((one) => (
                  <Link
                    key={one.id}
                    to="/$org/git-connections/$id"
                    params={{ org, id: one.id }}
                    className={`${link} mr-3`}
                  >
                    {one.name}
                  </Link>
                )),
          ],
        ]}
      />
      {installation === undefined ? (
        <>
          <p className="max-w-[72ch] text-ink-2">
            At GitHub, select the repositories that sessions may work on. GitHub leads back here.
          </p>
          <p>
            <a href={install} rel="noreferrer" className={buttonClass(own.length === 0 ? 'primary' : 'quiet')}>
              {own.length === 0 ? 'Install it at GitHub' : 'Change its repositories at GitHub'}
            </a>
          </p>
        </>
      ) : (
        <Connect org={org} app={app} installation={installation} />
      )}
      {installation === undefined && <AppWebhook org={org} app={app} />}
    </Section>
  );
}

function Connect({ org, app, installation }: Props & { installation: string }) {
  const navigate = useNavigate();
  const of = useApiForm({
    values: { name: '' },
    isFleeting: true,
    call: ({ name }: { name: string }) =>
      unwrap(
        apiOf(org).POST(connectionsPath, {
          body: {
            provider: 'github',
            kind: 'app',
            app_id: app.id,
            installation_id: installation,
            ...(name.trim() === '' ? {} : { name: name.trim() }),
          },
        }),
      ),
    touches: [keys.all(org, 'git-connections')],
    says: ({ name }) => `${name} is connected.`,
    done: ({ id }) =>
      navigate({ to: '/$org/git-connections/$id', params: { org, id }, search: { tab: 'repositories' } }),
  });
  return (
    <Form of={of} action="Connect it" pending="Asking the host …" needsChange={false}>
      <p className="max-w-[72ch] border-l-2 border-run bg-run-soft px-3 py-2">
        GitHub installed the App: installation <code>{installation}</code>.
      </p>
      <TextField name="name" label="Name of the connection" hint="For people. Empty: the host." maxLength={200} />
    </Form>
  );
}
