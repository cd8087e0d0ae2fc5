import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Form, TextField } from '../../../forms/Form.tsx';
import { useApiForm } from '../../../forms/useApiForm.ts';
import { apiOf, unwrap, type Schemas } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { Failed } from '../../../ui/Notice.tsx';
import { OneTimeSecret } from '../../../ui/OneTimeSecret.tsx';
import { Section } from '../../../ui/Page.tsx';
import { executorQuery } from '../queries.ts';

/** Where the runs of an external executor are sent; without an address programs claim them. */
export function Executor({ org, id }: { org: string; id: string }) {
  const { data, error, refetch } = useQuery(executorQuery(org, id));
  const [secret, setSecret] = useState('');
  return (
    <Section title="Its program">
      {error !== null && <Failed error={error} retry={() => void refetch()} />}
      {secret !== '' && (
        <OneTimeSecret
          label="The secret of the requests"
          value={secret}
          note="Each request is signed with it, as Standard Webhooks describes."
        />
      )}
      {data !== undefined && <Address org={org} executor={data} issued={setSecret} />}
    </Section>
  );
}

interface AddressProps {
  org: string;
  executor: Schemas['ExternalExecutor'];
  issued: (secret: string) => void;
}

function Address({ org, executor: { automation_id: id, url }, issued }: AddressProps) {
  const form = useApiForm<{ url: string }, Schemas['ExternalExecutor']>({
    values: { url },
    call: (body) =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/automations/{id}/executor', { params: { path: { id } }, body }),
      ),
    touches: [keys.part(org, 'automations', id, 'executor')],
    says: ({ url: saved }) => (saved === '' ? 'Programs claim the runs from now on.' : 'Runs are sent there.'),
    done: ({ secret }) => issued(secret),
  });
  return (
    <Form of={form} action="Save the address">
      <TextField
        name="url"
        label="Send runs to"
        type="url"
        mono
        maxLength={2_000}
        placeholder="https://ci.example.com/runs"
        hint="Empty: programs claim the runs. Each change issues a new secret."
      />
    </Form>
  );
}
