import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Form, LongTextField, SelectField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap, type Schemas } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Snippet } from '../../ui/Copy.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { addressesIn, permissionOptions } from './words.ts';

type Result = Schemas['InviteResult'];

/** Invites people by their addresses. */
export function InviteScreen() {
  const { org } = useParams({ from: '/$org/members/invite' });
  const [results, setResults] = useState<Result[]>();
  const [refused, setRefused] = useState('');
  const again = () => {
    const invalid = results?.filter(({ result }) => result === 'invalid').map(({ email }) => email);
    setRefused(invalid?.join('\n') ?? '');
    setResults(undefined);
  };
  return (
    <Page
      title="Invite people"
      back={
        <Link to="/$org/members" params={{ org }} search={{}} className={backLink} aria-label="Members">
          ‹
        </Link>
      }
    >
      <Guarded org={org} scope="org:write">
        <Body>
          {results === undefined ? (
            <InviteForm org={org} emails={refused} done={setResults} />
          ) : (
            <Results org={org} results={results} again={again} />
          )}
        </Body>
      </Guarded>
    </Page>
  );
}

interface InviteFormProps {
  org: string;
  /** What could not be invited before. */
  emails: string;
  done: (results: Result[]) => void;
}

function InviteForm({ org, emails: refused, done }: InviteFormProps) {
  const values: { emails: string; permission: Result['permission'] } = { emails: refused, permission: 'member' };
  const form = useApiForm({
    values,
    call: ({ emails, permission }: typeof values) =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/members/invites', {
          body: { emails: addressesIn(emails), permission },
        }),
      ),
    touches: [keys.lists(org, 'members')],
    done: ({ items }) => done(items),
  });
  return (
    <Form of={form} action="Invite">
      <LongTextField
        name="emails"
        label="E-mail addresses"
        hint="One a line, or with commas; at most 100. An invitation works for seven days."
      />
      <SelectField name="permission" label="Permission" options={permissionOptions} />
    </Form>
  );
}

const outcomes = {
  created: ['ok', 'Invited'],
  already_member: ['plain', 'Is a member already'],
  already_invited: ['wait', 'Was invited already'],
  invalid: ['bad', 'Not an address that works'],
} as const;

function outcomeOf(results: Result[]): string {
  if (results.every(({ result }) => result !== 'created')) return 'Nobody was invited.';
  if (results.every(({ accept_url: url }) => url === '')) return 'The invitations are sent by mail.';
  return 'No mail server is set up: pass these links on yourself. They are shown only now.';
}

function Results({ org, results, again }: { org: string; results: Result[]; again: () => void }) {
  return (
    <>
      <p className="text-ink-2" role="status">
        {outcomeOf(results)}
      </p>
      <ul aria-label="Results" className="flex flex-col gap-4">
        {results.map(({ email, result, accept_url: url }) => (
          <li key={email} className="flex min-w-0 flex-col gap-1">
            <span className="flex flex-wrap items-center gap-2">
              <span className="min-w-0 break-all">{email}</span>
              <Chip tone={outcomes[result][0]}>{outcomes[result][1]}</Chip>
            </span>
            {url !== '' && <Snippet label={`Link for ${email}`} text={url} />}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button onClick={again}>Invite more</Button>
        <Link to="/$org/members" params={{ org }} search={{ tab: 'invites' }} className={buttonClass()}>
          To the invitations
        </Link>
      </div>
    </>
  );
}
