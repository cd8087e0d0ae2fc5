import { readPeerFile, requirePeer } from '../peers.ts';

/** The used part of the package graphql 16. */
interface Graphql {
  buildSchema(text: string, options: { assumeValidSDL: boolean }): object;
  parse(query: string): object;
  validate(schema: object, document: object): readonly Error[];
  execute(options: {
    schema: object;
    document: object;
    rootValue: unknown;
    variableValues: unknown;
  }): Promise<Executed> | Executed;
}

interface Executed {
  data?: unknown;
  errors?: readonly Error[];
}

/** The resolvers of the root fields of queries and mutations, by name. Objects of an interface's type have `__typename`. */
export type Resolvers = Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => unknown>>;

export interface GraphqlApi {
  /** Executes an operation that GitHub's schema allows; `invalid` has what it refuses. */
  run(query: string, variables: unknown, resolvers: Resolvers): Promise<Executed & { invalid: string[] }>;
}

/** GitHub's GraphQL API by its own schema: it refuses what the schema does not have, and completes only what the schema promises. */
export function graphqlApi(): GraphqlApi {
  const graphql: Graphql = requirePeer('graphql');
  let schema: object | undefined;
  return {
    async run(query, variables, rootValue) {
      // GitHub's schema defines a field twice.
      schema ??= graphql.buildSchema(readPeerFile('@octokit/graphql-schema/schema.graphql'), { assumeValidSDL: true });
      const document = graphql.parse(query);
      const invalid = graphql.validate(schema, document).map(({ message }) => message);
      if (invalid.length > 0) return { invalid };
      const { data, errors } = await graphql.execute({ schema, document, rootValue, variableValues: variables });
      return { data, errors, invalid };
    },
  };
}
