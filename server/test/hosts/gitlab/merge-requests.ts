import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { isDraft, mergeRequestJson } from './json.ts';
import { ok, page, pages, refusal, roleIn, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role, type FakeMergeRequest, type FakeProject, type FakeVersion } from './state.ts';

const only = { additionalProperties: false };
const Create = Type.Object(
  {
    source_branch: Type.String(),
    target_branch: Type.String(),
    title: Type.String({ minLength: 1, maxLength: 255 }),
    description: Type.Optional(Type.String({ maxLength: 1_048_576 })),
  },
  only,
);
const Update = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    description: Type.Optional(Type.String({ maxLength: 1_048_576 })),
    state_event: Type.Optional(Type.Enum(['close', 'reopen'])),
  },
  only,
);
const Merge = Type.Object(
  {
    sha: Type.Optional(Type.String()),
    squash: Type.Optional(Type.Boolean()),
    merge_commit_message: Type.Optional(Type.String()),
    squash_commit_message: Type.Optional(Type.String()),
    should_remove_source_branch: Type.Optional(Type.Boolean()),
    auto_merge: Type.Optional(Type.Boolean()),
    merge_when_pipeline_succeeds: Type.Optional(Type.Boolean()),
  },
  only,
);
export const mergeRequestPath = '/projects/{id}/merge_requests/{merge_request_iid}';

export const mergeRequestRoutes: readonly FakeRoute[] = [
  {
    method: 'GET',
    path: '/projects/{id}/merge_requests',
    query: {
      ...pages,
      source_branch: /^.+$/,
      state: /^(?:opened|closed|locked|merged|all)$/,
      order_by: /^(?:created_at|updated_at|title)$/,
      updated_after: /^\d{4}-.+Z$/,
      sort: /^(?:asc|desc)$/,
    },
    role: role.reporter,
    answer: list,
  },
  { method: 'POST', path: '/projects/{id}/merge_requests', role: role.developer, body: Create, answer: create },
  {
    method: 'GET',
    path: mergeRequestPath,
    role: role.reporter,
    answer: (call) => withRequest(call, (found) => showWhole(call, found)),
  },
  { method: 'PUT', path: mergeRequestPath, role: role.developer, body: Update, answer: update },
  { method: 'PUT', path: `${mergeRequestPath}/merge`, role: role.reporter, body: Merge, answer: merge },
  {
    method: 'POST',
    path: `${mergeRequestPath}/cancel_merge_when_pipeline_succeeds`,
    role: role.developer,
    answer: (call) => withRequest(call, (found) => cancelAutoMerge(call, found)),
  },
];

async function list(call: FakeCall): Promise<FakeAnswer> {
  const { project, query } = call;
  const { state = 'all', updated_after: after = '', sort = 'desc', order_by: order } = query;
  const timeOf = (request: FakeMergeRequest) => (order === 'updated_at' ? request.updatedAt : request.createdAt);
  const found = project.mergeRequests
    .filter((request) => state === 'all' || request.state === state)
    .filter(({ source }) => query['source_branch'] === undefined || source === query['source_branch'])
    .filter(({ updatedAt }) => updatedAt.toISOString() >= after)
    .toSorted((a, b) => (timeOf(a).getTime() - timeOf(b).getTime()) * (sort === 'asc' ? 1 : -1));
  const answers = await Promise.all(found.map((request) => show(call, request)));
  return page(
    call,
    answers.map(({ body }) => body),
  );
}

async function create(call: FakeCall): Promise<FakeAnswer> {
  const { project, state } = call;
  const { source_branch: source, target_branch: target, title, description = '' } = Value.Parse(Create, call.body);
  if (source === target) return refusal(422, ["You can't use same project/branch for source and target"]);
  const open = project.mergeRequests.find((each) => isOpen(each) && each.source === source && each.target === target);
  if (open !== undefined)
    return refusal(409, [`Another open merge request already exists for this source branch: !${open.iid}`]);
  const now = state.now();
  const request: FakeMergeRequest = {
    iid: project.mergeRequests.length + 1,
    title,
    description,
    state: 'opened',
    source,
    target,
    endSha: '',
    createdAt: now,
    updatedAt: now,
    mergedAt: undefined,
    mergeCommit: '',
    squashCommit: '',
    checking: '',
    checked: '',
    conflicts: false,
    waitsFor: '',
    discussions: [],
    drafts: [],
    labels: [],
    approvals: [],
    reviewers: [],
    autoMerge: false,
    versions: [],
  };
  project.mergeRequests.push(request);
  return { ...(await showWhole(call, request)), status: 201 };
}

function update(call: FakeCall): Promise<FakeAnswer> | FakeAnswer {
  return withRequest(call, async (request) => {
    const { title, description, state_event: event } = Value.Parse(Update, call.body);
    request.title = title ?? request.title;
    request.description = description ?? request.description;
    if (event === 'close' && request.state === 'opened') {
      request.endSha = (await tips(call.project, request)).head ?? '';
      request.state = 'closed';
    }
    request.updatedAt = call.state.now();
    return showWhole(call, request);
  });
}

function merge(call: FakeCall): Promise<FakeAnswer> | FakeAnswer {
  return withRequest(call, async (request) => {
    const input = Value.Parse(Merge, call.body);
    const { base, head } = await tips(call.project, request);
    if (roleIn(call.project, call.token) < role.developer) return refusal(401, '401 Unauthorized');
    const isLater = input.auto_merge === true || input.merge_when_pipeline_succeeds === true;
    if (isLater && request.state === 'opened' && request.waitsFor.startsWith('ci_')) {
      request.autoMerge = true;
      request.updatedAt = call.state.now();
      return showWhole(call, request);
    }
    const isStopped = request.state !== 'opened' || isDraft(request.title) || request.waitsFor !== '';
    if (isStopped || base === undefined || head === undefined) return refusal(405, '405 Method Not Allowed');
    await check(call.project, request, `${base} ${head}`);
    if (request.conflicts) return refusal(422, 'Branch cannot be merged');
    if (input.sha !== undefined && input.sha !== head)
      return refusal(409, `SHA does not match HEAD of source branch: ${head}`);
    await mergeNow(call, request, head, input);
    return showWhole(call, request);
  });
}

async function cancelAutoMerge(call: FakeCall, request: FakeMergeRequest): Promise<FakeAnswer> {
  if (request.state !== 'opened') return refusal(405, '405 Method Not Allowed');
  if (!request.autoMerge) return refusal(406, '406 Not Acceptable');
  request.autoMerge = false;
  request.updatedAt = call.state.now();
  return { ...(await showWhole(call, request)), status: 201 };
}

async function mergeNow(
  { project, state }: FakeCall,
  request: FakeMergeRequest,
  head: string,
  input: Static<typeof Merge>,
): Promise<void> {
  const method = input.squash === true ? (project.mergeMethod === 'ff' ? 'squash' : 'squash-and-merge') : 'merge';
  const message = input.squash_commit_message ?? input.merge_commit_message ?? `Merge branch '${request.source}'`;
  const merged = await project.repository.merge({ branch: request.target, head, message, method });
  Object.assign(request, {
    state: 'merged',
    endSha: head,
    mergedAt: state.now(),
    updatedAt: state.now(),
    mergeCommit: method === 'squash' ? '' : merged.commit,
    squashCommit: merged.squashed,
  });
}

export function withRequest(
  { project, number }: FakeCall,
  answer: (request: FakeMergeRequest) => FakeAnswer | Promise<FakeAnswer>,
): FakeAnswer | Promise<FakeAnswer> {
  const request = project.mergeRequests.find(({ iid }) => iid === number);
  return request === undefined ? refusal(404, '404 Not found') : answer(request);
}

/** GitLab checks for conflicts after somebody asked; the next answer has the result. */
async function show({ url, project }: FakeCall, request: FakeMergeRequest): Promise<FakeAnswer> {
  if (!isOpen(request))
    return ok(mergeRequestJson(url, project, request, { sha: request.endSha || null, status: 'not_open' }));
  const { base, head } = await tips(project, request);
  const both = `${base} ${head}`;
  if (request.checked !== both && request.checking === both) await check(project, request, both);
  request.checking = both;
  const ready = request.conflicts ? 'conflict' : request.waitsFor || 'mergeable';
  const status = request.checked !== both ? 'checking' : isDraft(request.title) ? 'draft_status' : ready;
  return ok(mergeRequestJson(url, project, request, { sha: head ?? null, status }));
}

/** A single merge request also says which commits were compared. */
async function showWhole(call: FakeCall, request: FakeMergeRequest): Promise<FakeAnswer> {
  const { status, body } = await show(call, request);
  const [version] = await versionsOf(call, request);
  const refs = { base_sha: version?.base ?? null, head_sha: version?.head ?? null, start_sha: version?.start ?? null };
  return { status, body: { ...Object(body), diff_refs: refs } };
}

/** Returns the commits compared for each head, the newest first. GitLab compares when a commit arrives. */
export async function versionsOf({ project, state }: FakeCall, request: FakeMergeRequest): Promise<FakeVersion[]> {
  const { base: start, head } = await tips(project, request);
  if (!isOpen(request) || start === undefined || head === undefined || request.versions[0]?.head === head)
    return request.versions;
  const base = await project.repository.git('merge-base', start, head);
  request.versions.unshift({ id: state.nextId(), base, start, head });
  return request.versions;
}

async function check({ repository }: FakeProject, request: FakeMergeRequest, both: string): Promise<void> {
  const [base = '', head = ''] = both.split(' ');
  const isComplete = base !== 'undefined' && head !== 'undefined';
  request.conflicts = !isComplete || (await repository.conflicts(base, head)).length > 0;
  request.checked = both;
}

async function tips({ repository }: FakeProject, { source, target }: FakeMergeRequest) {
  const [base, head] = await Promise.all([target, source].map((name) => repository.commit(`refs/heads/${name}`)));
  return { base, head };
}

function isOpen({ state }: FakeMergeRequest): boolean {
  return state === 'opened' || state === 'locked';
}
