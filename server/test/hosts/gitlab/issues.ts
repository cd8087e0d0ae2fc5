import { Value } from 'typebox/value';
import { userJson } from './json.ts';
import { NoteBody, noteJson, say } from './notes.ts';
import { ok, page, pages, refusal, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role, type FakeIssue, type FakeProject, type FakeState } from './state.ts';

const issue = '/projects/{id}/issues/{issue_iid}';

export const issueRoutes: readonly FakeRoute[] = [
  {
    method: 'GET',
    path: '/projects/{id}/issues',
    query: {
      ...pages,
      updated_after: /^\d{4}-.+Z$/,
      order_by: /^(?:created_at|updated_at)$/,
      sort: /^(?:asc|desc)$/,
      state: /^(?:opened|closed|all)$/,
    },
    role: role.guest,
    answer: list,
  },
  {
    method: 'GET',
    path: issue,
    role: role.guest,
    answer: (call) => withIssue(call, (found) => ok(issueJson(call, found))),
  },
  {
    method: 'GET',
    path: `${issue}/notes`,
    query: {
      ...pages,
      order_by: /^(?:created_at|updated_at)$/,
      sort: /^(?:asc|desc)$/,
      activity_filter: /^(?:all_notes|only_comments|only_activity)$/,
    },
    role: role.guest,
    answer: notes,
  },
  { method: 'POST', path: `${issue}/notes`, role: role.guest, body: NoteBody, answer: comment },
];

/** Opens an issue as an account; returns it. */
export function openIssue(
  state: FakeState,
  project: FakeProject,
  { username, title, description }: { username: string; title: string; description: string },
): FakeIssue {
  const now = state.now();
  const opened: FakeIssue = {
    iid: project.issues.length + 1,
    title,
    description,
    state: 'opened',
    username,
    labels: [],
    createdAt: now,
    updatedAt: now,
    discussions: [],
  };
  project.issues.push(opened);
  return opened;
}

function issueJson({ url, state, project }: FakeCall, said: FakeIssue) {
  return {
    id: project.id * 1_000 + said.iid,
    iid: said.iid,
    project_id: project.id,
    title: said.title,
    description: said.description || null,
    state: said.state,
    created_at: said.createdAt.toISOString(),
    updated_at: said.updatedAt.toISOString(),
    labels: said.labels,
    author: userJson(url, { id: state.accountId(said.username), username: said.username }),
    user_notes_count: said.discussions.length,
    confidential: false,
    issue_type: 'issue',
    web_url: `${url}/${project.path}/-/issues/${said.iid}`,
  };
}

function list(call: FakeCall): FakeAnswer {
  const { updated_after: after = '', sort = 'desc' } = call.query;
  const found = call.project.issues
    .filter(({ updatedAt }) => updatedAt.toISOString() >= after)
    .toSorted((a, b) => (a.updatedAt.getTime() - b.updatedAt.getTime()) * (sort === 'asc' ? 1 : -1));
  return page(
    call,
    found.map((one) => issueJson(call, one)),
  );
}

function notes(call: FakeCall): FakeAnswer {
  return withIssue(call, (found) => {
    const all = found.discussions.flatMap((discussion) => discussion.notes);
    const sorted = call.query['sort'] === 'asc' ? all : all.toReversed();
    return page(
      call,
      sorted.map((one) => noteJson(call, one, { type: 'Issue', iid: found.iid, isIndividual: true })),
    );
  });
}

function comment(call: FakeCall): FakeAnswer {
  return withIssue(call, (found) => {
    const { body } = Value.Parse(NoteBody, call.body);
    const said = say(call.state, found, { username: call.token.username, body });
    found.updatedAt = call.state.now();
    const on = { type: 'Issue' as const, iid: found.iid, isIndividual: true };
    return { status: 201, body: said.notes.map((one) => noteJson(call, one, on))[0] };
  });
}

function withIssue({ project, names }: FakeCall, answer: (found: FakeIssue) => FakeAnswer): FakeAnswer {
  const found = project.issues.find(({ iid }) => String(iid) === names['issue_iid']);
  return found === undefined ? refusal(404, '404 Not found') : answer(found);
}
