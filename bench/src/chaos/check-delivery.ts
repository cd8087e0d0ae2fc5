import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pages, unwrap, type components } from '@guildhall/client';
import { count, inParallel, type Aftermath, type Check } from './check.ts';
import { git, type Project } from './project.ts';
import type { Followed } from './session.ts';
import { effectsPath, projectFiles, promptPath } from './work.ts';

type Session = components['schemas']['Session'];
type ChangeRequest = components['schemas']['ChangeRequest'];

/** A session's branch as a user fetches it. */
export interface Delivered {
  session: Followed;
  record: Session;
  /** By path; only files whose content is not known in advance. */
  texts: ReadonlyMap<string, string>;
}

/**
 * Checks that each session opened one change request whose branch contains exactly the planned work, and that nothing
 * else was pushed.
 */
export async function checkDelivery(aftermath: Aftermath): Promise<{ checks: Check[]; delivered: Delivered[] }> {
  const { installation, projects, sessions } = aftermath;
  const requests: string[] = [];
  const contents: string[] = [];
  const delivered: Delivered[] = [];
  for (const project of projects) {
    const own = sessions.filter((session) => session.project.id === project.id);
    const clone = join(installation.directory, `clone-${project.id}`);
    await git(['clone', '-q', '--bare', project.cloneUrl, clone], {
      cwd: installation.directory,
      key: installation.key,
    });
    const found = await changeRequestsOf(aftermath, project);
    const branches = (await git(['for-each-ref', '--format=%(refname:short)', 'refs/heads'], { cwd: clone }))
      .trim()
      .split('\n');
    if (branches.length !== own.length + 1 || found.length !== own.length)
      requests.push(
        `${project.repo}: ${count(own.length, 'session')}, ${count(branches.length - 1, 'branch', 'branches')}, ${count(found.length, 'change request')}`,
      );
    const judged = await inParallel(own, (session) => judge(aftermath, session, found, clone));
    for (const one of judged) {
      requests.push(...one.requests);
      contents.push(...one.contents);
      if (one.delivered !== undefined) delivered.push(one.delivered);
    }
  }
  const checks = [
    {
      what: 'change requests missing or too many',
      figure: `${requests.length} of ${sessions.length}`,
      violations: requests,
    },
    {
      what: 'branches that do not hold exactly the work',
      figure: `${contents.length} of ${sessions.length}`,
      violations: contents,
    },
  ];
  return { checks, delivered };
}

async function changeRequestsOf({ installation }: Aftermath, { id }: Project): Promise<ChangeRequest[]> {
  const found: ChangeRequest[] = [];
  const path = '/v3/organizations/{orgId}/repositories/{id}/change-requests';
  const list = (after: string | undefined) =>
    installation.client.GET(path, { params: { path: { id }, query: { first: 200, after } } });
  for await (const request of pages(list)) found.push(request);
  return found;
}

async function judge({ installation }: Aftermath, session: Followed, all: readonly ChangeRequest[], clone: string) {
  const path = { id: session.id };
  const record = await unwrap(installation.client.GET('/v3/organizations/{orgId}/sessions/{id}', { params: { path } }));
  const branch = record.repositories[0]?.branch ?? '';
  const own = all.filter(({ head_ref: head }) => head === branch);
  const [request] = own;
  if (own.length !== 1 || record.change_requests.length !== 1 || request === undefined)
    return {
      requests: [
        `${session.id}: ${count(own.length, 'change request')} for its branch, ${record.change_requests.length} on record`,
      ],
      contents: [],
      delivered: undefined,
    };
  const head = (await git(['rev-parse', `refs/heads/${branch}`], { cwd: clone })).trim();
  const requests =
    head === request.head_sha
      ? []
      : [`${session.id}: its branch is at ${head}, its change request at ${request.head_sha}`];
  const { problems, texts } = await compare(session, clone, head);
  return {
    requests,
    contents: problems.slice(0, 5).map((problem) => `${session.id}: ${problem}`),
    delivered: { session, record, texts },
  };
}

/** Compares the tree with the plan: blob ids for known content, the text of the rest. */
async function compare({ work }: Followed, clone: string, head: string) {
  const lines = (await git(['ls-tree', '-r', '-z', head], { cwd: clone })).split('\0').filter(Boolean);
  const tree = new Map(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2] ?? '']));
  const expected = new Map([...projectFiles, ...work.files]);
  const problems: string[] = [];
  const texts = new Map<string, string>();
  for (const [path, content] of expected) {
    const id = tree.get(path);
    if (id === undefined) problems.push(`${path} is missing`);
    else if (id !== blobId(content)) problems.push(`${path} has unexpected content`);
  }
  for (const [path, id] of tree) {
    if (expected.has(path)) continue;
    if (path === effectsPath || isPrompt(path)) texts.set(path, await git(['cat-file', 'blob', id], { cwd: clone }));
    else problems.push(`${path} should not be there`);
  }
  return { problems, texts };
}

function isPrompt(path: string): boolean {
  return path === promptPath(Number(/(\d+)\.md$/.exec(path)?.[1] ?? 0));
}

function blobId(content: string): string {
  return createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex');
}
