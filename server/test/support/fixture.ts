import type { TestApi } from './api.ts';

/** Values of path parameters, by the path up to them: below an organization `skills/{id}`, else `agents/{agent_id}`. */
export type PathValues = Readonly<Record<string, string>>;

/** The organization in which fixtures create their resources. */
export interface World {
  api: TestApi;
  orgId: string;
  /** `/v3/organizations/<slug>` */
  org: string;
  /** The key of an administrator. */
  key: string;
  /** The values of earlier resources. */
  values: PathValues;
  /** Creates a resource; returns its JSON, and throws if that fails. */
  post(path: string, body: object): Promise<Record<string, unknown>>;
}

/**
 * Everything that the tests over the whole surface need to know about a feature: it creates one of each resource, and
 * describes requests where the schema is not enough. `features/<group>/fixture.ts` exports it as `fixture`.
 */
export interface Fixture {
  /** Groups whose resources it needs. */
  after?: readonly string[];
  make?(world: World): Promise<PathValues> | PathValues;
  /** By operation: a valid body, so that the operation looks for the resource. */
  bodies?: Readonly<Record<string, object>>;
  /** By operation: a body that changes something; by default a minimal one by the schema. */
  changes?: Readonly<Record<string, object | ((world: Pick<World, 'values'>) => object)>>;
  /** By operation: required query parameters, as in `?confirm=…`. */
  queries?: Readonly<Record<string, (world: Pick<World, 'orgId' | 'values'>) => string>>;
  /** Operations other than GET that change nothing. */
  reads?: readonly string[];
}

export function defineFixture(fixture: Fixture): Fixture {
  return fixture;
}

/** Returns the value of a place in paths: `skills/{id}` is the id of a skill. */
export function madeIn({ values }: Pick<World, 'values'>, place: string): string {
  const value = values[place];
  if (value === undefined) throw new Error(`No fixture has a value for ${place}: its feature's \`make\` returns it.`);
  return value;
}
