import { script } from '@guildhall/scripted-model';
import { createModelFixture, type ModelFixture } from './model-sessions.ts';
import type { SessionInput, TestSession } from './sessions.ts';
import { openTerminal, type TestTerminal } from './terminals.ts';
import type { TestWorkerOptions } from './worker.ts';

export const organization = '/v3/organizations/default';

/** Sessions whose sandboxes stay, and people who use them. */
export interface LiveFixture extends ModelFixture {
  /** Runs a session whose sandbox then stays warm; `commands` ran in it. */
  live(input?: SessionInput, ...commands: string[]): Promise<TestSession>;
  url(id: string, rest: string): string;
  /** Opens a terminal, by default as the administrator. */
  terminal(
    id: string,
    options?: { key?: string; query?: string; headers?: Record<string, string> },
  ): Promise<TestTerminal>;
  /** Signs the administrator in; returns the cookie's header. */
  signIn(): Promise<string>;
  /** The audited actions on a session. */
  audited(id: string): Promise<string[]>;
}

export async function createLiveFixture(everyWorker: TestWorkerOptions = {}): Promise<LiveFixture> {
  const fixture = await createModelFixture({}, everyWorker);
  const { api } = fixture;
  const url = (id: string, rest: string): string => `${api.url}${organization}/sessions/${id}${rest}`;
  return {
    ...fixture,
    url,
    async live(input = {}, ...commands) {
      const prompt = script([...commands.map((run) => ({ run })), { say: 'Done.' }]);
      const session = await fixture.run({ prompt, ...input });
      if (session.sandbox_state !== 'ready') throw new Error(`the sandbox is ${session.sandbox_state}`);
      return session;
    },
    async terminal(id, { key = api.adminKey, query = '', headers = {} } = {}) {
      const authorization: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` };
      return openTerminal(`${url(id, '/terminal')}${query}`, { ...authorization, ...headers });
    },
    async signIn() {
      const answer = await api.call('POST', '/v3/auth/sign-in', { key: '', body: { key: api.adminKey } });
      const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
      if (answer.status !== 200 || cookie === '') throw new Error(answer.text);
      return cookie;
    },
    async audited(id) {
      const { rows } = await api.ctx.db.pool.query<{ action: string }>(
        'select action from audit_entries where resource_id = $1 order by id',
        [id],
      );
      return rows.map(({ action }) => action);
    },
  };
}
