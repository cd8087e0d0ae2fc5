import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueKey, ownerOf } from '../src/features/keys/service.ts';
import { hashKey } from '../src/lib/keys.ts';
import { permissions, scopes, scopesOfPermission, type Permission, type Scope } from '../src/lib/scopes.ts';
import { startTestApi, type Answer, type TestApi } from './support/api.ts';
import { openBrowser, signedIn } from './support/browser.ts';
import { join, personalKey } from './support/members.ts';

const password = 'a long enough secret';
const hourMs = 3_600_000;
const places = ['10.1.0.7', '10.1.9.9', '10.9.9.9', '192.0.2.1', '2001:db8::1', '2001:db8:f::1'];
/** Address ranges, and the places in each: written by hand, to judge the code that decides it. */
const reaches: Readonly<Record<string, string>> = {
  '10.0.0.0/8': '012',
  '10.1.0.0/16': '01',
  '::ffff:10.1.0.0/112': '01',
  '10.1.0.7': '0',
  '2001:db8::/32': '45',
  '2001:db8::1/128': '4',
};

let api: TestApi;
let orgId: string;
let number = 0;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
});
afterAll(() => api.close());

/** The rights of a credential: its scopes, its end (milliseconds since 1970), and the places it works from. */
interface Rights {
  can: ReadonlySet<string>;
  ends: number;
  from: ReadonlySet<string>;
}

interface Holder {
  key: string;
  ranges: readonly string[];
  isPerson: boolean;
  slug: string;
}

interface Step {
  kind: 'key' | 'machine key' | 'app key' | 'rotate' | 'tool token' | 'organization' | 'invite' | 'promote';
  by: number;
  scopes: Scope[];
  hours: number | undefined;
  ranges: string[];
  permission: Permission;
  target: number;
}

const someScopes: fc.Arbitrary<Scope[]> = fc.oneof(
  fc.constantFrom(...permissions).map((permission): Scope[] => [...scopesOfPermission(permission)]),
  fc.uniqueArray(fc.constantFrom<Scope[]>(...scopes), { minLength: 1 }),
  // A holder who may invite and promote, and do little else.
  fc
    .uniqueArray(fc.constantFrom<Scope[]>(...scopes), { maxLength: 4 })
    .map((few) => [...new Set([...few, 'org:write' as const])]),
);
const someRanges = fc.oneof(
  fc.constant<string[]>([]),
  fc.uniqueArray(fc.constantFrom(...Object.keys(reaches)), { maxLength: 2 }),
);
const someHours = fc.constantFrom(undefined, 1, 48, 1_500);
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'key' as const,
    'machine key' as const,
    'app key' as const,
    'rotate' as const,
    'tool token' as const,
    'organization' as const,
    'invite' as const,
    'promote' as const,
  ),
  by: fc.nat(20),
  scopes: someScopes,
  hours: someHours,
  ranges: someRanges,
  permission: fc.constantFrom(...permissions),
  target: fc.nat(20),
});

function placesIn(ranges: readonly string[]): Set<string> {
  const all = ranges.length === 0 ? '012345' : ranges.map((range) => reaches[range] ?? '').join('');
  return new Set(places.filter((_, index) => all.includes(String(index))));
}

function endOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Infinity;
}

function isIn(part: Iterable<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((one) => whole.has(one));
}

function within(one: Rights, other: Rights): boolean {
  return isIn(one.can, other.can) && one.ends <= other.ends && isIn(one.from, other.from);
}

/** Sends a request of a holder, from a place where its key works. */
function ask(holder: Holder, method: string, path: string, body?: object): Promise<Answer> {
  const [place = ''] = placesIn(holder.ranges);
  const headers = { 'x-forwarded-for': place };
  return api.call(method, path, { key: holder.key, headers, ...(body === undefined ? {} : { body }) });
}

async function rightsOf(holder: Holder): Promise<Rights> {
  const { status, json, text } = await ask(holder, 'GET', '/v3/self');
  expect([status, text]).toEqual([200, text]);
  const { expires_at } = Object(json['key']);
  return { can: new Set(Object(json['scopes'])), ends: endOf(expires_at), from: placesIn(holder.ranges) };
}

/** Determines the rights of a key by using it. */
async function triedOut(key: string): Promise<Rights> {
  const rights = { can: new Set<string>(), ends: 0, from: new Set<string>() };
  for (const place of places) {
    const { status, json } = await api.call('GET', '/v3/self', { key, headers: { 'x-forwarded-for': place } });
    if (status !== 200) continue;
    rights.from.add(place);
    rights.can = new Set(Object(json['scopes']));
    rights.ends = endOf(Object(json['key']).expires_at);
  }
  return rights;
}

/** Determines the rights of a tool token, which is valid only for `/mcp`. */
async function triedOutToken(token: string): Promise<Rights> {
  const from = new Set<string>();
  for (const place of places) {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const headers = { 'x-forwarded-for': place, accept: 'application/json, text/event-stream' };
    if ((await api.call('POST', '/mcp', { key: token, body, headers })).status === 200) from.add(place);
  }
  const { rows } = await api.ctx.db.pool.query<{ scopes: string[]; expires_at: Date }>(
    'select scopes, expires_at from api_keys where hash = $1',
    [hashKey(token)],
  );
  return { can: new Set(rows[0]?.scopes), ends: rows[0]?.expires_at.getTime() ?? 0, from };
}

/** The holder of the first key, the keys that it led to, and the users it may promote. */
class Family {
  readonly holders: Holder[] = [];
  readonly members: { id: string; key: string }[] = [];

  maker(index: number): Holder {
    const holder = this.holders[index % this.holders.length];
    if (holder === undefined) throw new Error('nobody is there');
    return holder;
  }
}

async function begin(first: { isPerson: boolean; scopes: Scope[]; hours: number | undefined; ranges: string[] }) {
  const family = new Family();
  const { isPerson, hours, ranges } = first;
  const now = api.ctx.clock.now();
  const expiresAt = hours === undefined ? null : new Date(now.getTime() + hours * hourMs);
  const userId = await join(api, orgId, 'admin');
  const machine = await api.call('POST', '/v3/organizations/default/service-users', { body: { name: 'first' } });
  const owner = isPerson ? ownerOf(orgId, 'user', userId) : ownerOf(orgId, 'service_user', String(machine.json['id']));
  const issue = { owner, name: 'first', scopes: first.scopes, expiresAt, ipRanges: ranges, now };
  const { key } = await issueKey(api.ctx.db.kysely, issue);
  // An unlimited key of the same owner must not be a way around the limits.
  await issueKey(api.ctx.db.kysely, { owner, name: 'beside', scopes: first.scopes, now });
  family.holders.push({ key, ranges, isPerson, slug: 'default' });
  for (const permission of ['viewer', 'member'] as const) {
    const id = await join(api, orgId, permission);
    family.members.push({ id, key: await personalKey(api, orgId, id) });
  }
  return family;
}

/** Judges a new key: it must be refused if it would exceed its creator's rights, and must not exceed them otherwise. */
async function judge(
  family: Family,
  maker: Holder,
  rights: Rights,
  made: { answer: Answer; mayBe: boolean; ranges: readonly string[]; isPerson: boolean; slug?: string },
): Promise<void> {
  const { answer, mayBe, isPerson, slug = maker.slug } = made;
  expect([answer.status < 300, answer.status < 300 || answer.status === 403, answer.text]).toEqual([
    mayBe,
    true,
    answer.text,
  ]);
  if (!mayBe) return;
  const key = String(answer.json['key']);
  const got = await triedOut(key);
  expect(within(got, rights)).toBe(true);
  expect(got.from.size).toBeGreaterThan(0);
  const ranges = made.ranges.length === 0 ? maker.ranges : made.ranges;
  family.holders.push({ key, ranges, isPerson, slug });
}

async function makeKey(family: Family, maker: Holder, rights: Rights, wanted: Step): Promise<void> {
  const { kind, hours, ranges } = wanted;
  const ends = hours === undefined ? rights.ends : Date.now() + hours * hourMs;
  const body = {
    name: 'made',
    scopes: wanted.scopes,
    ip_ranges: ranges,
    ...(hours === undefined ? {} : { expires_at: new Date(ends).toISOString() }),
  };
  const from = ranges.length === 0 ? rights.from : placesIn(ranges);
  const fits = within({ can: new Set(wanted.scopes), ends, from }, rights);
  if (kind === 'key') {
    const answer = await ask(maker, 'POST', '/v3/self/keys', body);
    await judge(family, maker, rights, { answer, mayBe: fits && maker.isPerson, ranges, isPerson: true });
    return;
  }
  const isApp = kind === 'app key';
  // The paths of apps do not name the key's organization.
  const at = isApp ? '/apps' : `/v3/organizations/${maker.slug}/service-users`;
  const machine = await ask(maker, 'POST', at, { name: 'machine' });
  const answer = await ask(
    maker,
    'POST',
    `${at}/${machine.status === 201 ? String(machine.json['id']) : 'x'}/keys`,
    body,
  );
  const mayBe = fits && rights.can.has('org:write');
  await judge(family, maker, rights, { answer, mayBe, ranges, isPerson: false });
}

async function rotate(family: Family, maker: Holder, rights: Rights, { target }: Step): Promise<void> {
  const list = await ask(maker, 'GET', '/v3/self/keys?status=active&first=200');
  expect(list.status).toBe(maker.isPerson ? 200 : 403);
  const keys: unknown[] = Array.isArray(list.json['items']) ? list.json['items'] : [];
  const old: Record<string, unknown> = Object(keys.at(-1 - (target % Math.max(1, keys.length))));
  if (keys.length === 0) return;
  const ranges: string[] = Object(old['ip_ranges']);
  const its = { can: new Set<string>(Object(old['scopes'])), ends: endOf(old['expires_at']), from: placesIn(ranges) };
  const path = `/v3/self/keys/${String(old['id'])}/rotate`;
  const answer = await ask(maker, 'POST', path, { overlap_seconds: 600_000 });
  await judge(family, maker, rights, { answer, mayBe: within(its, rights), ranges, isPerson: true });
}

async function makeToken(maker: Holder, rights: Rights): Promise<void> {
  const { status, json } = await ask(maker, 'POST', '/session/mcp-token', {});
  expect(status).toBe(maker.isPerson ? 201 : 403);
  if (status !== 201) return;
  const got = await triedOutToken(String(json['token']));
  expect([within(got, rights), got.from]).toEqual([true, rights.from]);
}

async function makeOrganization(family: Family, maker: Holder, rights: Rights): Promise<void> {
  const answer = await ask(maker, 'POST', '/v3/organizations', { name: 'Made' });
  const mayBe = maker.isPerson && rights.can.has('org:write');
  const slug = String(answer.json['slug']);
  await judge(family, maker, rights, { answer, mayBe, ranges: [], isPerson: true, slug });
}

async function invite(maker: Holder, rights: Rights, { permission }: Step): Promise<void> {
  number += 1;
  const email = `invited${number}@example.com`;
  const path = `/v3/organizations/${maker.slug}/members/invites`;
  const { status, json } = await ask(maker, 'POST', path, { emails: [email], permission });
  const mayBe = rights.can.has('org:write') && scopesOfPermission(permission).every((scope) => rights.can.has(scope));
  expect(status).toBe(mayBe ? 201 : 403);
  if (!mayBe) return;
  const { accept_url: link, expires_at: ends } = Object(Object(json['items'])[0]);
  expect(Date.parse(ends)).toBeLessThanOrEqual(rights.ends);
  const token = String(link).split('/').at(-1);
  const accepted = await openBrowser(api).call('POST', `/v3/invites/${token}/accept`, {
    body: { name: 'Invited', password },
  });
  expect(accepted.status).toBe(201);
  const self = await (await signedIn(api, email, password)).call('GET', '/v3/self');
  expect(isIn(Object(self.json['scopes']), rights.can)).toBe(true);
}

async function promote(family: Family, maker: Holder, rights: Rights, { permission, target }: Step): Promise<void> {
  const member = family.members[target % family.members.length];
  if (member === undefined || maker.slug !== 'default') return;
  const scopesNow = async () =>
    new Set<string>(Object((await api.call('GET', '/v3/self', { key: member.key })).json['scopes']));
  const before = await scopesNow();
  const path = `/v3/organizations/default/members/${member.id}`;
  const { status } = await ask(maker, 'PATCH', path, { permission });
  const given = new Set([...before, ...rights.can]);
  expect(status).toBe(rights.can.has('org:write') && isIn(scopesOfPermission(permission), given) ? 200 : 403);
  expect(isIn(await scopesNow(), given)).toBe(true);
}

async function take(family: Family, wanted: Step): Promise<void> {
  const maker = family.maker(wanted.by);
  const rights = await rightsOf(maker);
  switch (wanted.kind) {
    case 'key':
    case 'machine key':
    case 'app key':
      return makeKey(family, maker, rights, wanted);
    case 'rotate':
      return rotate(family, maker, rights, wanted);
    case 'tool token':
      return makeToken(maker, rights);
    case 'organization':
      return makeOrganization(family, maker, rights);
    case 'invite':
      return invite(maker, rights, wanted);
    case 'promote':
      return promote(family, maker, rights, wanted);
  }
}

test(
  'whatever a key makes can do no more than the key, works no longer and from nowhere else; and all within that is given',
  { timeout: 300_000 },
  async () => {
    const first = fc.record({ isPerson: fc.boolean(), scopes: someScopes, hours: someHours, ranges: someRanges });
    await fc.assert(
      fc.asyncProperty(first, fc.array(step, { minLength: 1, maxLength: 10 }), async (origin, steps) => {
        const family = await begin(origin);
        const start = await rightsOf(family.maker(0));
        for (const wanted of steps) await take(family, wanted);
        for (const holder of family.holders) expect(within(await triedOut(holder.key), start)).toBe(true);
      }),
      { numRuns: 60 },
    );
  },
);
