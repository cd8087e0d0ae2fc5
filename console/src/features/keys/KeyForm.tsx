import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Form, LongTextField, SelectField, TextField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { keys } from '../../lib/keys.ts';
import { selfQuery } from '../shell/organizations.ts';
import { IssuedKeyNote } from './IssuedKey.tsx';
import type { KeyOwner, NewKey } from './owner.ts';
import { ScopesField } from './ScopesField.tsx';
import type { Scope } from './scopes.ts';

const dayMs = 86_400_000;

const lifetimes = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
] as const;

interface Values {
  name: string;
  scopes: Scope[];
  days: string;
  ranges: string;
}

/** Returns the request for what was chosen. */
function requestOf({ name, scopes, days, ranges }: Values): NewKey {
  const addresses = ranges.split(/[\s,]+/).filter((part) => part !== '');
  return {
    name: name.trim(),
    scopes,
    ...(days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
    ...(addresses.length === 0 ? {} : { ip_ranges: addresses }),
  };
}

/** Makes a key, and then shows it once, with the way back. */
export function KeyForm({ owner, back }: { owner: KeyOwner; back: ReactNode }) {
  const [issued, setIssued] = useState<string>();
  const { data: self } = useQuery(selfQuery(owner.org));
  const form = useApiForm<Values, { key?: string }>({
    values: { name: '', scopes: [], days: '90', ranges: '' },
    fieldOf: (path) => (path.startsWith('ip_ranges') ? 'ranges' : path === 'expires_at' ? 'days' : path),
    call: (values) => owner.create(requestOf(values)),
    touches: [keys.lists(owner.org, 'keys')],
    done: ({ key }) => setIssued(key ?? ''),
  });
  if (issued !== undefined)
    return (
      <>
        <IssuedKeyNote value={issued} />
        <div>{back}</div>
      </>
    );
  return (
    <Form of={form} action="Create the key">
      <TextField name="name" label="Name" hint="What it is for: deploy, laptop …" maxLength={100} />
      <ScopesField own={self?.scopes ?? []} />
      <SelectField name="days" label="It expires" options={lifetimes} />
      <LongTextField
        name="ranges"
        label="Only from these addresses"
        hint="CIDR ranges, one a line; empty for everywhere."
        rows={2}
        mono
      />
    </Form>
  );
}
