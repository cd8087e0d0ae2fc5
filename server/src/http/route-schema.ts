import { Type, type TSchema } from 'typebox';

/**
 * The prefix of a feature's paths: `organization` is `/v3/organizations/{orgId}`, `v3` is `/v3`, and `root` is for the
 * unversioned operations, which have the other error envelope.
 */
export type Mount = 'organization' | 'v3' | 'root';

/** `x-item-schema` is what OpenAPI 3.2 calls `itemSchema`. */
export function contentOf(type: string, schema: TSchema, item?: TSchema) {
  return { content: { [type]: { schema, ...(item === undefined ? {} : { 'x-item-schema': item }) } } };
}

/** `/v3` rejects unknown parameters, also without any of its own; unversioned operations ignore them. */
export function queryField(mount: Mount, query: TSchema | undefined) {
  if (mount !== 'root') return { querystring: query ?? Type.Object({}, { additionalProperties: false }) };
  return query === undefined ? {} : { querystring: { ...query, additionalProperties: true } };
}
