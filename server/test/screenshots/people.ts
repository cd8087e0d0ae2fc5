import { setOperatorPassword } from '../../src/features/auth/password-service.ts';
import { join, personalKey } from '../support/members.ts';
import { ago, each, type Shop } from './world.ts';

/** The person who looks at the pages. */
export const reader = { email: 'ada@acme.example', password: 'a long enough secret' };

const members = [
  ['Ada Lovelace', 'admin'],
  ['Grace Hopper', 'admin'],
  ['Margaret Hamilton', 'member'],
  ['Radia Perlman', 'member'],
  ['Barbara Liskov', 'member'],
  ['Maximiliane Freifrau von Hohenstein-Berg', 'member'],
  ['Ken Thompson', 'viewer'],
] as const;

/** People, groups with limits, service users, apps, invitations and the access list. */
export async function hire(shop: Shop): Promise<void> {
  const { api, orgId, ask, sql, values } = shop;
  const people: Record<string, string> = {};
  await each(members, async ([name, permission], at) => {
    const first = name.split(' ')[0] ?? '';
    const email = `${first.toLowerCase()}@acme.example`;
    const id = await join(api, orgId, permission, email);
    people[first] = id;
    await sql('update users set name = $2, created_at = $3 where id = $1', [id, name, ago(60 * 24 * (200 - at * 23))]);
  });
  shop.people = people;
  shop.key = await personalKey(api, orgId, people['Ada'] ?? '');
  await setOperatorPassword(api.ctx, reader.email, reader.password);
  await ask('POST', '/members/invites', {
    emails: ['frances@acme.example', 'adele@acme.example'],
    permission: 'member',
  });
  await ask('PUT', '/roles', { user_id: people['Ada'], role: 'pro' });
  await ask('PUT', '/roles', { user_id: people['Margaret'], role: 'pro' });
  values['members/{userId}'] = people['Margaret'] ?? '';

  const groups = [
    ['Backend', 'Invoices, ledger, payments', ['Ada', 'Margaret', 'Barbara'], 40],
    ['Web', 'Shop front and account pages', ['Radia', 'Grace'], 25],
    ['Platform', 'Builds, deployments, on-call', ['Grace', 'Ada'], null],
  ] as const;
  await each(groups, async ([name, description, inside, cost]) => {
    const limits = { per_day: { cost_usd: cost, sessions: 60 }, timezone: 'Europe/Berlin', on_exceed: 'queue' };
    const { id } = await ask('POST', '/groups', { name, description, limits });
    await ask('POST', `/groups/${String(id)}/members`, { user_ids: inside.map((one) => people[one]) });
    values['groups/{id}'] ??= String(id);
  });
  const machines = [
    ['Build server', 'Starts a session for each red build on main', ['run', 'sessions:read', 'repos:read']],
    ['Release bot', 'Opens the release notes', ['run', 'repos:write']],
    ['Data warehouse export', 'Reads consumption every night', ['analytics:read']],
  ] as const;
  await each(machines, async ([name, description, scopes]) => {
    const { id } = await ask('POST', '/service-users', { name, description });
    await ask('POST', `/service-users/${String(id)}/keys`, { name: 'production', scopes });
    values['service-users/{id}'] ??= String(id);
  });
  const serviceUser = values['service-users/{id}'] ?? '';
  await ask('POST', `/service-users/${serviceUser}/keys`, {
    name: 'staging',
    scopes: ['run'],
    expires_at: ago(-60 * 24 * 30),
  });
  const app = await ask('POST', '//apps', {
    name: 'Slack assistant',
    description: 'Starts sessions from a thread',
  });
  values['apps/{app_id}'] = String(app['id']);
  await ask('POST', `//apps/${String(app['id'])}/keys`, { name: 'production', scopes: ['run', 'sessions:read'] });
  await ask('POST', '/ip-access-list/entries', { cidr: '127.0.0.0/8', note: 'This machine' });
  await ask('POST', '/ip-access-list/entries', { cidr: '192.0.2.0/24', note: 'Office Berlin' });
  await ask('POST', '/ip-access-list/entries', { cidr: '2001:db8:40::/48', note: 'VPN' });
}
