import { script } from '@guildhall/scripted-model';
import { join, personalKey } from './members.ts';
import { createModelFixture, type ModelFixture } from './model-sessions.ts';
import type { SessionInput, TestSession } from './sessions.ts';

const organization = '/v3/organizations/default';
const token = 'terces-repus-deploy-token-1';

/** A command that prints whether the administrator's own secret is present, in a form that no filter detects. */
export const tell =
  'printf "%s\\n" "${DEPLOY_TOKEN:+has-it}" "${DEPLOY_TOKEN:-has-none}" | rev | rev; echo "$DEPLOY_TOKEN" | rev';
/** The logged form of the secret if it was revealed in that way. */
export const backwards = Array.from(token).toReversed().join('');

export interface Seen {
  session: TestSession;
  everything: string;
  /** The output of the agent's own commands. */
  output: string;
  warnings: unknown[];
}

/** Sessions of an administrator in an organization where another member, mallory, writes content too. */
export interface Colleagues {
  readonly fixture: ModelFixture;
  /** A key with every scope of a member. */
  readonly mallory: string;
  /** Creates a resource, by default as the administrator, which {@link clear} deletes; returns its id. */
  post(path: string, body: object, key?: string): Promise<string>;
  /** Changes a resource, by default as mallory. */
  patch(path: string, body: object, key?: string): Promise<void>;
  /** Creates a secret of the administrator, who owns these sessions. */
  own(more?: object): Promise<string>;
  run(input: SessionInput): Promise<Seen>;
  /** Runs a second turn of a session, which tells if it has the secret, after these commands. */
  again(id: string, ...commands: string[]): Promise<Seen>;
  look(session: TestSession): Promise<Seen>;
  clear(): Promise<void>;
}

export async function createColleagues(): Promise<Colleagues> {
  const fixture = await createModelFixture();
  const { api } = fixture;
  await fixture.worker();
  const orgId = String((await api.call('GET', organization)).json['id']);
  const mallory = await personalKey(api, orgId, await join(api, orgId, 'member', 'mallory@example.com'));
  const made: string[] = [];
  const post = async (path: string, body: object, key = api.adminKey): Promise<string> => {
    const { status, json, text } = await api.call('POST', `${organization}${path}`, { key, body });
    if (status !== 201) throw new Error(text);
    made.push(`${organization}${path}/${String(json['id'])}`);
    return String(json['id']);
  };
  const look = async (session: TestSession): Promise<Seen> => {
    const events = await fixture.events(session.id);
    const diff = await api.call('GET', `${organization}/sessions/${session.id}/diff`);
    return {
      session,
      everything: `${JSON.stringify(events)}${diff.text}`,
      output: events
        .map(({ kind, phase, data }) => (kind === 'output' && phase === 'implement' ? String(data['text']) : ''))
        .join(''),
      warnings: events.flatMap(({ kind, data }) => (kind === 'warning' ? [data['code']] : [])),
    };
  };
  return {
    fixture,
    mallory,
    post,
    async patch(path, body, key = mallory) {
      const { status, text } = await api.call('PATCH', `${organization}${path}`, { key, body });
      if (status !== 200) throw new Error(text);
    },
    own: (more = {}) => post('/secrets', { key: 'DEPLOY_TOKEN', value: token, scope: 'user', ...more }),
    run: async (input) => look(await fixture.run(input)),
    async again(id, ...commands) {
      const before = Math.max(...(await fixture.events(id)).map(({ turn }) => turn));
      const content = script([...commands.map((command) => ({ run: command })), { run: tell }, { say: 'Done again.' }]);
      await api.call('POST', `${organization}/sessions/${id}/messages`, { body: { content } });
      await fixture.event(
        id,
        ({ kind, turn, data }) => turn > before && kind === 'status' && data['status'] === 'completed',
      );
      return look(await fixture.get(id));
    },
    look,
    async clear() {
      for (const path of made.splice(0)) await api.call('DELETE', path);
    },
  };
}

/** Returns an agent of the runtime `script` that runs these commands, even if they fail. */
export function steps(...commands: string[]): { agent: object } {
  return { agent: { steps: commands.map((command) => ({ run: command, allow_failure: true })), summary: 'Done.' } };
}
