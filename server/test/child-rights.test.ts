import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretsForSession } from '../src/features/secrets/public.ts';
import { recordContext } from '../src/features/sessions/api/context-service.ts';
import type { Run } from '../src/features/sessions/run/run-service.ts';
import { issueSessionKey } from '../src/features/sessions/run/session-key-service.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { start } from './support/session-states.ts';

const org = '/v3/organizations/default';
const modes = ['ask', 'plan', 'build'] as const;
const deliveries = ['none', 'branch', 'draft', 'change_request'] as const;
const models = ['anthropic/small', 'anthropic/large'] as const;
const repositories = ['acme/one', 'acme/two'] as const;
const kinds = ['knowledge_ids', 'skill_ids', 'mcp_server_ids', 'secret_ids'] as const;
type Kind = (typeof kinds)[number];

let api: TestApi;
const made: Record<Kind, string[]> = { knowledge_ids: [], skill_ids: [], mcp_server_ids: [], secret_ids: [] };
beforeAll(async () => {
  api = await startTestApi({ ANTHROPIC_API_KEY: 'k' });
  const make = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await api.call('POST', `${org}${path}`, { body });
    if (status !== 201) throw new Error(text);
    return String(json['note_id'] ?? json['id']);
  };
  for (const repo of repositories) await make('/repositories', { provider: 'local', repo });
  for (const name of ['alpha', 'beta', 'gamma']) {
    const content = `---\nname: ${name}\ndescription: Says ${name}.\n---\n\nSay it.\n`;
    made.knowledge_ids.push(await make('/knowledge/notes', { name, trigger: 'Always', body: name }));
    made.skill_ids.push(await make('/skills', { files: [{ path: 'SKILL.md', content }] }));
    made.mcp_server_ids.push(await make('/mcp-servers', { name, url: `https://${name}.example/mcp` }));
    made.secret_ids.push(await make('/secrets', { key: name.toUpperCase(), value: `the value of ${name}` }));
  }
});
afterAll(() => api.close());

/** The requested options of a session; lists contain indices in {@link made}, undefined for all that apply. */
interface Wish {
  mode: (typeof modes)[number] | undefined;
  deliver: (typeof deliveries)[number] | undefined;
  repositories: string[];
  memory_enabled: boolean | undefined;
  model: string | undefined;
  max_turns: number | undefined;
  lists: Record<Kind, number[] | undefined>;
}

/** Usually undefined: of several violations only the first one would be tested. */
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const places = fc.subarray([0, 1, 2]);
const anyWish: fc.Arbitrary<Wish> = fc.record({
  mode: maybe(fc.constantFrom(...modes)),
  deliver: maybe(fc.constantFrom(...deliveries)),
  repositories: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray<string>([...repositories]) },
  ),
  memory_enabled: maybe(fc.boolean()),
  model: maybe(fc.constantFrom(...models)),
  max_turns: maybe(fc.constantFrom(2, 3, 4)),
  lists: fc.record({
    knowledge_ids: maybe(places),
    skill_ids: maybe(places),
    mcp_server_ids: maybe(places),
    secret_ids: maybe(places),
  }),
});

/** Without a repository nothing can be delivered, and asking for it is refused. */
const wish = anyWish.map((one) => (one.repositories.length === 0 ? { ...one, deliver: undefined } : one));

/** The rights of a session. */
interface Rights {
  mode: number;
  deliver: number;
  repositories: Set<string>;
  memory: boolean;
  model: string;
  turns: number;
  lists: Record<Kind, Set<string>>;
}

interface Living extends Rights {
  run: Run;
  key: string;
}

function bodyOf({ lists, max_turns, ...plain }: Wish): object {
  const named = kinds.map((kind) => [kind, lists[kind]?.map((at) => made[kind][at])]);
  return {
    prompt: 'Say alpha, beta and gamma.',
    ...plain,
    repositories: plain.repositories.map((repo) => ({ repo })),
    budget: { max_turns },
    ...Object.fromEntries(named),
  };
}

function idsIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

/**
 * Moves a session to the state in which its agent runs: with the context in its row, and `given` for the undecided
 * lists.
 */
async function live(id: string, given: Record<Kind, number[]>): Promise<Living> {
  const run = await start(api, id);
  const { rows } = await api.ctx.db.pool.query('select * from sessions where id = $1', [id]);
  const row = Object(rows[0]);
  const listOf = (kind: Kind, bound: unknown): string[] =>
    idsIn(row.options[kind]) ?? idsIn(bound) ?? given[kind].map((at) => made[kind][at] ?? '');
  const reason = '';
  const knowledge = listOf('knowledge_ids', undefined);
  const skills = listOf('skill_ids', row.options.skills_within);
  const servers = listOf('mcp_server_ids', undefined);
  await recordContext(api.ctx, run, {
    knowledge: knowledge.map((note_id) => ({
      note_id,
      name: '',
      revision: 1,
      scope: 'organization',
      score: 1,
      reason,
    })),
    skills: skills.map((skill) => {
      const about = { name: '', description: '', source: 'managed', revision: 1, digest: '', path: '' };
      return { ...about, id: skill, reason };
    }),
    mcp_servers: servers.map((server) => {
      const about = { slug: '', name: '', transport: 'http', tools: [], problem: '' };
      return { ...about, id: server, reason };
    }),
  });
  const secrets = (await secretsForSession(api.ctx, run)).map((secret) => secret.id);
  return {
    run,
    key: (await issueSessionKey(api.ctx, run)).key,
    mode: modes.indexOf(row.mode),
    deliver: deliveries.indexOf(row.deliver),
    repositories: new Set(row.repositories.map(({ repo }: { repo: string }) => repo)),
    memory: row.memory_enabled,
    model: row.model,
    turns: row.budget.max_turns ?? Infinity,
    lists: {
      knowledge_ids: new Set(knowledge),
      skill_ids: new Set(skills),
      mcp_server_ids: new Set(servers),
      secret_ids: new Set(secrets),
    },
  };
}

function isIn(part: Iterable<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((one) => whole.has(one));
}

/** Compares rights independently of the product's code: by the result, not by its origin. */
function within(one: Rights, other: Rights): boolean {
  return (
    one.mode <= other.mode &&
    one.deliver <= other.deliver &&
    isIn(one.repositories, other.repositories) &&
    (!one.memory || other.memory) &&
    one.model === other.model &&
    one.turns <= other.turns &&
    kinds.every((kind) => isIn(one.lists[kind], other.lists[kind]))
  );
}

/** Returns the rights if every request was granted; the parent's own where nothing is requested. */
function granted(parent: Rights, asked: Wish): Rights {
  const listOf = (kind: Kind): Set<string> =>
    new Set(asked.lists[kind]?.map((at) => made[kind][at] ?? '') ?? parent.lists[kind]);
  return {
    mode: asked.mode === undefined ? parent.mode : modes.indexOf(asked.mode),
    deliver: asked.deliver === undefined ? parent.deliver : deliveries.indexOf(asked.deliver),
    repositories: new Set(asked.repositories),
    memory: asked.memory_enabled ?? parent.memory,
    model: asked.model ?? parent.model,
    turns: asked.max_turns ?? parent.turns,
    lists: {
      knowledge_ids: listOf('knowledge_ids'),
      skill_ids: listOf('skill_ids'),
      mcp_server_ids: listOf('mcp_server_ids'),
      secret_ids: listOf('secret_ids'),
    },
  };
}

test(
  'a session has no more than its parent, nor any below it; and all within that is given',
  { timeout: 300_000 },
  async () => {
    const given = fc.record({ knowledge_ids: places, skill_ids: places, mcp_server_ids: places, secret_ids: places });
    await fc.assert(
      fc.asyncProperty(wish, given, fc.array(wish, { minLength: 2, maxLength: 8 }), async (first, equipped, wishes) => {
        const root = await api.call('POST', `${org}/sessions`, { body: bodyOf(first) });
        expect([root.status, root.text]).toEqual([201, root.text]);
        let parent = await live(String(root.json['id']), equipped);
        const line: Rights[] = [parent];
        for (const asked of wishes) {
          if (line.length > 3) break;
          const { status, json, text } = await api.call('POST', `${org}/sessions`, {
            key: parent.key,
            body: bodyOf(asked),
          });
          const mayBe = within(granted(parent, asked), parent);
          expect([status === 201, status === 201 || [402, 403, 404].includes(status), text]).toEqual([
            mayBe,
            true,
            text,
          ]);
          if (!mayBe) continue;
          // Everything that applies by default, besides the parent's.
          const all = {
            knowledge_ids: [0, 1, 2],
            skill_ids: [0, 1, 2],
            mcp_server_ids: [0, 1, 2],
            secret_ids: [0, 1, 2],
          };
          parent = await live(String(json['id']), all);
          for (const above of line) expect(within(parent, above)).toBe(true);
          line.push(parent);
        }
      }),
      { numRuns: 50 },
    );
  },
);
