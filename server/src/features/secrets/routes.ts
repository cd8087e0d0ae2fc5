import { Type } from 'typebox';
import { route, type Route } from '../../http/route.ts';
import { Id, List, ListQuery } from '../../http/schema.ts';
import {
  createSecret,
  deleteSecret,
  getSecret,
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
      description: 'Without their values. Only their owner sees secrets of the scope `user`.',
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
        "The value is write-only. Of secrets with the same key, a session gets its creator's first, then its " +
        "repository's, then the organization's. A secret of the organization or a repository that another member " +
        "wrote last does not enter an agent's sandbox together with secrets of the session's creator. 409 " +
        '`secret_exists` if the key is taken in the same scope, `conflict` if there are 100 already; 400 for a ' +
        'key that the sandbox reserves.',
      scope: 'secrets:write',
      body: CreateSecret,
      examples: examples.createSecret,
      status: 201,
      answer: Secret,
      // The key ring may be a KMS, which may be unavailable.
      errors: [502],
      handle: ({ caller, body }) => createSecret(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/secrets/:id',
      id: 'getSecret',
      summary: 'Get a secret',
      description: 'Without its value.',
      scope: 'secrets:read',
      params: { id: Id },
      status: 200,
      answer: Secret,
      handle: ({ caller, params }) => getSecret(ctx, caller, params.id),
    }),
    route({
      method: 'PUT',
      path: '/secrets/:id',
      id: 'setSecretValue',
      summary: "Set a secret's value",
      description:
        'Creates the next version, even for an unchanged value; sessions get it when their next turn starts. The ' +
        'caller becomes the author of the value, as members with their own secrets see it.',
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
        'Omitted fields stay unchanged. Key, scope and value cannot be changed here. 400 if the value does not fit ' +
        'the new settings, such as one with several lines for `broker`. An administrator who sends `kind`, ' +
        '`exposure` and, if there are any, `allowed_hosts` becomes their author, even if they are unchanged.',
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
      description: 'Existing sandboxes keep it until they end.',
      scope: 'secrets:write',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      record: Secret,
      handle: ({ caller, params }) => deleteSecret(ctx, caller, params.id),
    }),
    route({
      method: 'GET',
      path: '/secrets/:id/usage',
      id: 'listSecretUsage',
      summary: "List a secret's uses",
      description: 'The sessions that got it, newest first. A session that got several versions lists each.',
      scope: 'secrets:read',
      params: { id: Id },
      query: ListQuery({}),
      status: 200,
      answer: List(SecretUse),
      handle: ({ caller, params, query }) => listSecretUses(ctx, caller, params.id, query),
    }),
  ];
}
