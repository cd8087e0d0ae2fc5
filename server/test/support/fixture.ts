import type { TestApi } from './api.ts';

/** Values of path parameters, by the path up to them: below an organization `skills/{id}`, else `agents/{agent_id}`. */
export type PathValues = Readonly<Record<string, string>>;

/** The organization that fixtures make their things in. */
export interface World {
  api: TestApi;
  orgId: string;
  /** `/v3/organizations/<slug>` */
  org: string;
  /** Of an administrator. */
  key: string;
  /** Of the things that were made before. */
  values: PathValues;
  /** Makes something; answers its JSON, and throws unless it was made. */
  post(path: string, body: object): Promise<Record<string, unknown>>;
}

/**
 * All that the tests over the whole surface have to know of a feature: it makes one of each thing and says what requests to its
 * operations look like where the schema alone does not tell. `features/<group>/fixture.ts` exports it as `fixture`.
 */
export interface Fixture {
  /** Groups whose things it needs. */
  after?: readonly string[];
  make?(world: World): Promise<PathValues> | PathValues;
  /** By operation: a body that is valid, so that the operation gets as far as looking for the thing. */
  bodies?: Readonly<Record<string, object>>;
  /** By operation: a body that changes something; the least that the schema takes unless told. */
  changes?: Readonly<Record<string, object>>;
  /** By operation: the query that it cannot do without, as in `?confirm=…`. */
  queries?: Readonly<Record<string, (world: Pick<World, 'orgId' | 'values'>) => string>>;
  /** Operations other than GET that change nothing. */
  reads?: readonly string[];
}

export function defineFixture(fixture: Fixture): Fixture {
  return fixture;
}

/** The value of a place in paths: `skills/{id}` is the id of a skill. */
export function madeIn({ values }: Pick<World, 'values'>, place: string): string {
  const value = values[place];
  if (value === undefined) throw new Error(`No fixture has a value for ${place}: its feature's \`make\` returns it.`);
  return value;
}
