import { Type, type Static } from 'typebox';
import { defaults, explain, Id, Name, named, Text, Timestamp } from '../../http/schema.ts';
import { createKeyFields, issuedField, keyFields } from '../keys/schemas.ts';

export const App = named(
  'App',
  Type.Object({ id: Id, name: Type.String(), description: Type.String(), created_at: Timestamp }),
);
export const CreateApp = Type.Object({
  name: Name(100),
  description: Type.Optional(Text(2_000)),
});
export type CreateApp = Static<typeof CreateApp>;

const appKeyFields = { ...keyFields, app_id: Id };
export const AppKey = named('AppKey', Type.Object(appKeyFields));
export const IssuedAppKey = named('IssuedAppKey', Type.Object({ ...appKeyFields, ...issuedField }));
export const CreateAppKey = Type.Object(createKeyFields);
export const RevokedAppKey = named('RevokedAppKey', Type.Object({ id: Id, app_id: Id, revoked_at: Timestamp }));

explain('RevokedAppKey', {
  revoked_at: 'When it was revoked: now.',
});
defaults('CreateAppRequest', { description: '' });
