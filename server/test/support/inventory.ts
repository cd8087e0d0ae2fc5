import { existsSync, readdirSync } from 'node:fs';
import type { TestApi } from './api.ts';
import { madeIn, type Fixture, type PathValues, type World } from './fixture.ts';

/** An organization with one of everything. */
export interface Inventory {
  key: string;
  orgId: string;
  values: PathValues;
}

const folder = new URL('../../src/features/', import.meta.url);

/** The fixtures of all features, by group. */
export const fixtures: ReadonlyMap<string, Fixture> = new Map(
  await Promise.all(
    readdirSync(folder)
      .filter((group) => existsSync(new URL(`${group}/fixture.ts`, folder)))
      .map(async (group): Promise<[string, Fixture]> => {
        const module: { fixture: Fixture } = await import(new URL(`${group}/fixture.ts`, folder).href);
        return [group, module.fixture];
      }),
  ),
);

/** Merges a field of all fixtures, by operation. */
export function ofAll<T>(field: (fixture: Fixture) => Readonly<Record<string, T>> | undefined): Record<string, T> {
  return Object.assign({}, ...[...fixtures.values()].map(field));
}

/** Creates one of everything in an organization. */
export async function stock(api: TestApi, slug: string, key: string): Promise<Inventory> {
  const org = `/v3/organizations/${slug}`;
  const orgId = String((await api.call('GET', org, { key })).json['id']);
  const values: Record<string, string> = {};
  for (const [, { make }] of inOrder()) {
    const world: World = {
      api,
      orgId,
      org,
      key,
      values,
      async post(path, body) {
        const answer = await api.call('POST', path, { key, body });
        if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
        return answer.json;
      },
    };
    Object.assign(values, await make?.(world));
  }
  return { key, orgId, values };
}

/** Returns the fixtures, each after those that it needs. */
function inOrder(): [string, Fixture][] {
  const left = new Map(fixtures);
  const ordered: [string, Fixture][] = [];
  while (left.size > 0) {
    const ready = [...left].filter(([, { after = [] }]) => after.every((group) => !left.has(group)));
    if (ready.length === 0) throw new Error(`These fixtures wait for one another: ${[...left.keys()].join(', ')}.`);
    for (const [group] of ready) left.delete(group);
    ordered.push(...ready);
  }
  return ordered;
}

/** Returns the value of a path's parameter. */
export function parameterOf(path: string, name: string, inventory: Inventory): string {
  if (name === 'orgId') return inventory.orgId;
  const place = path.slice(0, path.indexOf(`{${name}}`)).replace(/^\/(?:v3\/organizations\/\{orgId\}\/)?/, '');
  return madeIn(inventory, `${place}{${name}}`);
}
