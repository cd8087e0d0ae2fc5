import { expect, test } from 'vitest';
import type { AuditFact } from './mutate.ts';
import { notFound } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { AuditVerb } from '../lib/names.ts';

test('a name that no feature declared does not compile', () => {
  const verb: AuditVerb<'group'> = 'members_add';
  const fact: AuditFact = { action: `group.${verb}`, resource: { type: 'group', id: 'x' } };
  expect([newId('skl').slice(0, 4), notFound('skill', 'x').code, fact.action]).toEqual([
    'skl_',
    'skill_not_found',
    'group.members_add',
  ]);
  // @ts-expect-error -- no feature has such ids
  newId('nope');
  // @ts-expect-error -- nor such a resource
  notFound('nope', 'x');
  // @ts-expect-error -- nor is this in the audit trail
  const unknown: AuditFact['action'] = 'group.nope';
  // @ts-expect-error -- the resource is known, what is done is not
  const other: AuditVerb<'group'> = 'nope';
  expect([unknown, other]).toEqual(['group.nope', 'nope']);
});
