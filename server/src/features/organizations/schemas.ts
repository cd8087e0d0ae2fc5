import { Type, type Static } from 'typebox';
import { issuedField } from '../keys/schemas.ts';
import { Body, explain, Id, Name, named, OneOf, Text, Timestamp, record } from '../../http/schema.ts';

const organizationFields = {
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  state: OneOf(['active', 'suspended', 'deleting']),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const Organization = record('Organization', Type.Object(organizationFields));
export const CreatedOrganization = named('CreatedOrganization', Type.Object({ ...organizationFields, ...issuedField }));

const slug = Text(40, {
  pattern: '^[a-z0-9-]{3,40}$',
  'x-form': '3 to 40 characters of a-z, 0-9 and -',
  description: 'Unique; 3 to 40 characters of a-z, 0-9 and -.',
});
const name = Name(200);
export const CreateOrganization = Body({ name, slug: Type.Optional(slug) });
export const UpdateOrganization = Body({ name: Type.Optional(name), slug: Type.Optional(slug) });
export type CreateOrganization = Static<typeof CreateOrganization>;
export type UpdateOrganization = Static<typeof UpdateOrganization>;

explain('CreateOrganizationRequest', {
  slug: 'Usable in place of the id in paths; derived from the name by default. 3 to 40 characters of a-z, 0-9 and -.',
});
explain(['Organization', 'CreatedOrganization'], {
  state:
    '`suspended` by the operator: it only serves its identity, and its sessions wait. `deleting`: it only ' +
    'serves reads, and can be restored for 30 days.',
  slug: 'Usable in place of the id in paths; can be changed.',
});
