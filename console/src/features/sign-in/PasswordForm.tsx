import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { api, unwrap } from '../../lib/api.ts';

/** Signs in by e-mail and password. */
export function PasswordForm({ next }: { next: string }) {
  const of = useApiForm({
    values: { email: '', password: '', organization: '' },
    isFleeting: true,
    call: ({ email, password, organization }: { email: string; password: string; organization: string }) =>
      unwrap(
        api.POST('/v3/auth/sign-in', {
          body: {
            email: email.trim(),
            password,
            ...(organization.trim() === '' ? {} : { organization: organization.trim() }),
          },
        }),
      ),
    // A new page forgets what another person has read in this one.
    done: () => location.assign(next),
  });
  return (
    <Form of={of} action="Sign in" pending="Signing in …" needsChange={false}>
      <TextField name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
      <details>
        <summary className="min-h-6 cursor-pointer text-ink-2 pointer-coarse:min-h-11">
          Is your account not found?
        </summary>
        <div className="pt-2">
          <TextField
            name="organization"
            label="Organization"
            hint="Its short name, where several people have joined with your e-mail."
            maxLength={64}
          />
        </div>
      </details>
    </Form>
  );
}
