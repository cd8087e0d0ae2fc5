import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Body, Facts, Section } from '../../ui/Page.tsx';
import { permissionWord } from '../members/words.ts';
import { selfQuery } from '../shell/organizations.ts';

/** Who the person is here, what they may do, and their password. */
export function Profile({ org }: { org: string }) {
  const { data: self } = useQuery(selfQuery(org));
  const [changes, setChanges] = useState(0);
  if (self === undefined) return null;
  return (
    <Body>
      <Facts
        facts={[
          ['Name', self.name === '' ? undefined : self.name],
          ['E-mail', self.email],
          ['Organization', self.organization.name],
          ['Permission', permissionWord(self.permission)],
          ['Role', self.role === 'pro' ? 'Pro' : 'Regular'],
          ['Id', <code key="id">{self.principal_id}</code>],
          [
            'Begin',
            <Link key="welcome" to="/$org/welcome" params={{ org }} className="text-accent underline">
              First steps
            </Link>,
          ],
        ]}
      />
      <Section title="Password">
        <PasswordForm key={changes} org={org} done={() => setChanges(changes + 1)} />
      </Section>
    </Body>
  );
}

function PasswordForm({ org, done }: { org: string; done: () => void }) {
  const form = useApiForm({
    values: { current_password: '', new_password: '' },
    call: ({ current_password: current, new_password: next }: { current_password: string; new_password: string }) =>
      unwrap(
        apiOf(org).PUT('/v3/self/password', {
          body: { new_password: next, ...(current === '' ? {} : { current_password: current }) },
        }),
      ),
    touches: [keys.lists(org, 'sign-ins')],
    says: 'The password was changed. All your other sign-ins have ended.',
    done,
  });
  return (
    <Form of={form} action="Change the password">
      <TextField
        name="current_password"
        label="Current password"
        type="password"
        autoComplete="current-password"
        hint="Leave it empty if you have none yet."
      />
      <TextField
        name="new_password"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters of any kind. All your other sign-ins end."
      />
    </Form>
  );
}
