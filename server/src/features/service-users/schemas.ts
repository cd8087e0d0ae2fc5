import { Type, type Static } from 'typebox';
import {
  Body,
  defaults,
  explain,
  Id,
  Name,
  named,
  NullableTimestamp,
  Text,
  Timestamp,
  record,
} from '../../http/schema.ts';
import { issuedField, keyFields } from '../keys/schemas.ts';

export const ServiceUser = record(
  'ServiceUser',
  Type.Object({
    id: Id,
    name: Type.String(),
    description: Type.String(),
    disabled_at: NullableTimestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

const serviceUserKeyFields = { ...keyFields, service_user_id: Id };
export const ServiceUserKey = named('ServiceUserKey', Type.Object(serviceUserKeyFields));
export const IssuedServiceUserKey = named(
  'IssuedServiceUserKey',
  Type.Object({ ...serviceUserKeyFields, ...issuedField }),
);

const name = Name(100);
const description = Text(2_000);
export const CreateServiceUser = Body({ name, description: Type.Optional(description) });
export const UpdateServiceUser = Body({ name: Type.Optional(name), description: Type.Optional(description) });
export type CreateServiceUser = Static<typeof CreateServiceUser>;
export type UpdateServiceUser = Static<typeof UpdateServiceUser>;

explain('ServiceUser', {
  disabled_at: 'When it was disabled; null if it is active.',
});
explain(['ServiceUserKey', 'IssuedServiceUserKey'], {
  service_user_id: "The key's owner.",
});
defaults('CreateServiceUserRequest', { description: '' });
