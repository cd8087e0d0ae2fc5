import { useEffect, useRef, useState } from 'react';
import { Form, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { api, unwrap } from '../../lib/api.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { start } from './destination.ts';

/** Sets the first password of the installation, with the administrator key. */
export function FirstPassword({ next }: { next: string }) {
  const [owner, setOwner] = useState<{ email: string; slug: string }>();
  const of = useApiForm({
    values: { key: '', new_password: '' },
    isFleeting: true,
    // Nobody is signed in yet: it is the key that is not known, or that may not do this.
    blamed: ({ status }) => (status === 401 || status === 403 ? 'key' : undefined),
    call: async ({ key, new_password: password }: { key: string; new_password: string }) => {
      const signedIn = await unwrap(api.POST('/v3/auth/sign-in', { body: { key: key.trim() } }));
      await unwrap(api.PUT('/v3/self/password', { body: { new_password: password } }));
      return signedIn;
    },
    done: ({ email, organizations }) => setOwner({ email, slug: organizations[0]?.slug ?? '' }),
  });
  if (owner !== undefined) return <Ready {...owner} next={next} />;
  return (
    <>
      <p className="text-ink-2">
        Nobody has a password yet. The administrator key was printed at the first start, and is in the file{' '}
        <code>admin-key</code> of the data directory.
      </p>
      <Form of={of} action="Set the password" pending="Setting the password …" needsChange={false}>
        <TextField name="key" label="Administrator key" maxLength={200} mono autoFocus />
        <TextField
          name="new_password"
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="12 characters or more."
          maxLength={1_000}
        />
      </Form>
    </>
  );
}

/** Says how to sign in from now on, and leads to the first steps unless the person came for something else. */
function Ready({ email, slug, next }: { email: string; slug: string; next: string }) {
  const onward = useRef<HTMLAnchorElement>(null);
  useEffect(() => onward.current?.focus(), []);
  const isElsewhere = next !== start;
  return (
    <>
      <p role="status" className="break-words">
        The password is set. From now on, sign in as <strong>{email}</strong>.
      </p>
      <a
        ref={onward}
        href={isElsewhere || slug === '' ? next : `${start}${slug}/welcome`}
        className={buttonClass('primary')}
      >
        {isElsewhere ? 'Open the console' : 'To the first steps'}
      </a>
    </>
  );
}
