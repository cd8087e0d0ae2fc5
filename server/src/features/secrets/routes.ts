import { Type } from 'typebox';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import {
  createSecret,
  deleteSecret,
  listSecrets,
  listSecretUses,
  setSecretValue,
  updateSecret,
  type SecretContext,
} from './service.ts';
import { CreateSecret, Secret, SecretQuery, SecretUse, SetSecretValue, UpdateSecret } from './schemas.ts';
import * as examples from './examples.ts';

export function secretRoutes(ctx: SecretContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/secrets',
      id: 'listSecrets',
      summary: 'List secrets',
      description: 'Those of the scope `user` are listed for their owner alone.',
      scope: 'secrets:read',
      query: SecretQuery,
      status: 200,
      answer: List(Secret),
      handle: ({ caller, query }) => listSecrets(ctx, caller, query),
    }),
    route({
      method: 'POST',
      path: '/secrets',
      id: 'createSecret',
      summary: 'Create a secret',
      description:
        'Its value can be set and never read. Of secrets with the same key a session gets the one of its creator before that of its repository before that of the organization. One of the organization or a repository that another member wrote last is not in the sandbox of the agent beside own ones of who created the session. 409 `secret_exists` where the key is taken at the same place, `conflict` where there are 100 already; 400 for a key that the sandbox goes by.',
      scope: 'secrets:write',
      body: CreateSecret,
      examples: examples.createSecret,
      status: 201,
      answer: Secret,
      // The key ring may be a KMS, which may be out of reach.
      errors: [502],
      handle: ({ caller, body }) => createSecret(ctx, caller, body),
    }),
    route({
      method: 'PUT',
      path: '/secrets/:id',
      id: 'setSecretValue',
      summary: "Set a secret's value",
      description:
        'Makes the next version, also of the same value: sessions get it when their next turn starts. Who sets it answers for it to those who have secrets of their own.',
      scope: 'secrets:write',
      params: { id: Id },
      body: SetSecretValue,
      examples: examples.setSecretValue,
      status: 200,
      answer: Secret,
      errors: [502],
      handle: ({ caller, params, body }) => setSecretValue(ctx, caller, params.id, body.value),
    }),
    route({
      method: 'PATCH',
      path: '/secrets/:id',
      id: 'updateSecret',
      summary: "Update a secret's settings",
      description:
        'What is left out stays. Its key, place and value are not changed here. 400 where the value is of no use for what it is to be, such as one of several lines for `broker`. An administrator who names `kind`, `exposure` and, where there are any, `allowed_hosts` answers for them, also as they are.',
      scope: 'secrets:write',
      params: { id: Id },
      body: UpdateSecret,
      examples: examples.updateSecret,
      status: 200,
      answer: Secret,
      errors: [502],
      handle: ({ caller, params, body }) => updateSecret(ctx, caller, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/secrets/:id',
      id: 'deleteSecret',
      summary: 'Delete a secret',
      description: 'Sandboxes that have it keep it until they end.',
      scope: 'secrets:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteSecret(ctx, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/secrets/:id/usage',
      id: 'listSecretUsage',
      summary: "List a secret's uses",
      description: 'The newest session first. A session that got several versions shows each.',
      scope: 'secrets:read',
      params: { id: Id },
      query: ListQuery({}),
      status: 200,
      answer: List(SecretUse),
      handle: ({ caller, params, query }) => listSecretUses(ctx, caller, params.id, query),
    }),
  ];
}
