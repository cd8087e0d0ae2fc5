import { userJson } from './json.ts';
import { ok, refusal, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role } from './state.ts';

/** Accounts, their roles in a project, and its branches. */
export const accessRoutes: readonly FakeRoute[] = [
  { method: 'GET', path: '/users', query: { username: /^.+$/ }, answer: users },
  { method: 'GET', path: '/projects/{id}/members/all/{user_id}', role: role.guest, answer: member },
  { method: 'DELETE', path: '/projects/{id}/repository/branches/{branch}', role: role.developer, answer: deleteBranch },
];

function accounts({ state }: FakeCall): { username: string; id: number; role: number }[] {
  const people = [...state.people].map(([username, id]) => ({ username, id, role: role.none }));
  return [...state.tokens.values(), ...people];
}

function users(call: FakeCall): FakeAnswer {
  const wanted = call.query['username']?.toLowerCase();
  const found = accounts(call).find(({ username }) => username.toLowerCase() === wanted);
  return ok(found === undefined ? [] : [userJson(call.url, found)]);
}

function member(call: FakeCall): FakeAnswer {
  const found = accounts(call).find(({ id }) => String(id) === call.names['user_id']);
  const level = found === undefined ? 0 : (call.project.roles.get(found.username) ?? found.role);
  if (found === undefined || level === role.none) return refusal(404, '404 Not found');
  const json = { ...userJson(call.url, found), access_level: level, created_at: '2026-01-01T00:00:00.000Z' };
  return ok({ ...json, expires_at: null, membership_state: 'active' });
}

async function deleteBranch({ project, names }: FakeCall): Promise<FakeAnswer> {
  const ref = `refs/heads/${names['branch']}`;
  if ((await project.repository.commit(ref)) === undefined) return refusal(404, '404 Branch Not Found');
  if (names['branch'] === 'main') return refusal(405, 'Cannot remove HEAD branch');
  await project.repository.git('update-ref', '-d', ref);
  return { status: 204, body: undefined };
}
