import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Form, LongTextField, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';

/** Creates an app; its first key is made on its page. */
export function NewAppScreen() {
  const { org } = useParams({ from: '/$org/apps/new' });
  const navigate = useNavigate();
  const form = useApiForm({
    values: { name: '', description: '' },
    call: (body: { name: string; description: string }) => unwrap(apiOf(org).POST('/apps', { body })),
    touches: [keys.all(org, 'apps')],
    done: ({ id }) => navigate({ to: '/$org/apps/$id', params: { org, id } }),
  });
  return (
    <Page
      title="New app"
      back={
        <Link to="/$org/apps" params={{ org }} className={backLink} aria-label="Apps">
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          <Form of={form} action="Create the app">
            <TextField name="name" label="Name" maxLength={100} />
            <LongTextField name="description" label="Description" rows={2} maxLength={2_000} />
          </Form>
        </Body>
      </Guarded>
    </Page>
  );
}
