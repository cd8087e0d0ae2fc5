import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { stock } from '../support/inventory.ts';
import { startClient, type Client } from './client.ts';
import { gatewayCases, openGateway } from './gateway.ts';
import type { GatewayWorld } from './gateway-world.ts';
import { headCases } from './heads.ts';
import { pageCases, requestLineCases } from './pages.ts';
import { largeCases, startProvider } from './large.ts';
import { largePieces } from './large-pieces.ts';
import { pieceCases } from './pieces.ts';
import { gatewayPushCases, pushCases } from './pushes.ts';
import { requestCases, routeCases, type RouteWorld } from './routes.ts';
import { sandboxCases } from './sandboxes.ts';
import { settingsCases } from './settings.ts';
import { openSignIns } from './sign-in.ts';
import { holds, measure, type HostileCase, type StandStill } from './stand-still.ts';
import { uploadCases } from './uploads.ts';

const table: StandStill[] = [];
/** The file for the measurements, which are part of the figures; "" for none. */
const tableFile = process.env['GUILDHALL_HOSTILE_TABLE'] ?? '';
afterAll(() => {
  if (tableFile !== '') writeFileSync(tableFile, JSON.stringify(table));
});

async function longest(cases: HostileCase[]): Promise<StandStill[]> {
  const measured: StandStill[] = [];
  for (const one of cases) measured.push(await measure(one, tableFile !== ''));
  table.push(...measured);
  return measured.filter((one) => !holds(one));
}

let api: TestApi;
let client: Client;
let world: RouteWorld;
let gateway: GatewayWorld;
beforeAll(async () => {
  [api, client] = await Promise.all([startTestApi(), startClient()]);
  const inventory = await stock(api, 'default', api.adminKey);
  const { json: document } = await api.call('GET', '/openapi.json', { key: '' });
  world = { api, client, inventory, document };
  gateway = await openGateway(client);
});
afterAll(async () => {
  await gateway.close();
  await client.close();
  await api.close();
});

describe('bytes of one tenant leave the event loop to the others', { timeout: 400_000 }, () => {
  test('whatever a request says before its route is known', async () => {
    expect(await longest([...requestCases(world), ...headCases(world)])).toEqual([]);
  });

  test('whatever a worker takes from a sandbox, a repository, a model or a server', async () => {
    expect(await longest([...pieceCases(), ...sandboxCases()])).toEqual([]);
  });

  test('whatever comes through a door of the gateway', async () => {
    expect(await longest([...gatewayCases(gateway), ...requestLineCases(gateway)])).toEqual([]);
  });

  test('whatever a registry, or the host of a credential, answers', async () => {
    expect(await longest(pageCases(gateway))).toEqual([]);
  });

  test('whatever is pushed, and what is said of it', async () => {
    expect(await longest([...pushCases(world), ...gatewayPushCases(gateway)])).toEqual([]);
  });

  test('whatever is uploaded', async () => {
    expect(await longest(uploadCases(world))).toEqual([]);
  });

  test('whatever an identity provider says', async () => {
    const { cases, close } = await openSignIns();
    expect(await longest(cases)).toEqual([]);
    await close();
  });

  test('whatever is set', async () => {
    expect(await longest(settingsCases(world))).toEqual([]);
  });

  test('the largest that anybody may send', async () => {
    const provider = await startProvider();
    try {
      expect(await longest([...largeCases(gateway, provider), ...largePieces()])).toEqual([]);
    } finally {
      await provider.close();
    }
  });

  test('whatever a route is sent', async () => {
    expect(await longest(routeCases(world))).toEqual([]);
  });
});
