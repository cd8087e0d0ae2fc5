import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { api, unwrap, type Schemas } from '../../lib/api.ts';
import { signInPath } from '../../lib/errors.ts';
import { start } from './destination.ts';

interface Values {
  name: string;
  password: string;
}

/** Joins: at once for who is signed in with the e-mail, else with a name and a password. */
export function AcceptForm({ token, offer }: { token: string; offer: Schemas['InviteOffer'] }) {
  const { email, signed_in: isSignedIn } = offer;
  const of = useApiForm({
    values: { name: '', password: '' },
    isFleeting: true,
    call: async ({ name, password }: Values) => {
      const body = isSignedIn ? {} : { name: name.trim(), password };
      const joined = await unwrap(api.POST('/v3/invites/{token}/accept', { params: { path: { token } }, body }));
      const { id: organization } = joined.organization;
      // If this fails, the console asks for it.
      if (!isSignedIn)
        await api.POST('/v3/auth/sign-in', { body: { email, password, organization } }).catch(() => undefined);
      return joined;
    },
    done: ({ organization }) => location.assign(`${start}${organization.slug}/`),
  });
  const here = encodeURIComponent(location.pathname);
  return (
    <Form of={of} action="Join" pending="Joining …" needsChange={false}>
      {isSignedIn ? (
        <p>You are signed in, so one click is enough.</p>
      ) : (
        <>
          <p>
            Do you have an account here?{' '}
            <a href={`${signInPath}?return_to=${here}`} className="text-accent underline">
              Sign in first
            </a>
            ; you come back to this invitation.
          </p>
          <input type="email" value={email} autoComplete="username" readOnly hidden />
          <TextField name="name" label="Your name" autoComplete="name" maxLength={200} autoFocus />
          <TextField
            name="password"
            label="A password"
            type="password"
            autoComplete="new-password"
            hint="At least 12 characters. A few words you remember are better than one with signs in it."
            maxLength={1_000}
          />
        </>
      )}
    </Form>
  );
}
