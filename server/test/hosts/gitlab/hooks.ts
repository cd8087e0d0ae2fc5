import { Type } from 'typebox';
import { ok, pages, refusal, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role, type FakeHook } from './state.ts';

const flag = Type.Optional(Type.Boolean());
const Hook = Type.Object(
  {
    url: Type.String({ pattern: '^https?://' }),
    token: Type.Optional(Type.String()),
    enable_ssl_verification: flag,
    push_events: flag,
    tag_push_events: flag,
    merge_requests_events: flag,
    note_events: flag,
    issues_events: flag,
    pipeline_events: flag,
    job_events: flag,
  },
  { additionalProperties: false },
);
const all = '/projects/{id}/hooks';
const one = `${all}/{hook_id}`;

/** Webhooks of projects. */
export const hookRoutes: readonly FakeRoute[] = [
  {
    method: 'GET',
    path: all,
    query: pages,
    role: role.maintainer,
    answer: ({ project }) => ok(project.hooks.map(hookJson)),
  },
  { method: 'POST', path: all, role: role.maintainer, body: Hook, answer: create },
  { method: 'PUT', path: one, role: role.maintainer, body: Hook, answer: (call) => withHook(call, update) },
  {
    method: 'POST',
    path: `${one}/test/push_events`,
    role: role.maintainer,
    answer: (call) => withHook(call, enable),
  },
];

function create({ state, project, body }: FakeCall): FakeAnswer {
  const { url, token = '' } = Object(body);
  const hook: FakeHook = { id: state.nextId(), url, token, alertStatus: 'executable' };
  project.hooks.push(hook);
  return { status: 201, body: hookJson(hook) };
}

function update({ body }: FakeCall, hook: FakeHook): FakeAnswer {
  const { url, token } = Object(body);
  Object.assign(hook, { url, token });
  return ok(hookJson(hook));
}

function enable(_: FakeCall, hook: FakeHook): FakeAnswer {
  hook.alertStatus = 'executable';
  return { status: 201, body: { message: '201 Created' } };
}

function withHook(call: FakeCall, then: (call: FakeCall, hook: FakeHook) => FakeAnswer): FakeAnswer {
  const hook = call.project.hooks.find(({ id }) => id === call.number);
  return hook === undefined ? refusal(404, '404 Not found') : then(call, hook);
}

/** GitLab never tells the token. */
function hookJson({ id, url, alertStatus }: FakeHook) {
  return { id, url, alert_status: alertStatus, push_events: true, enable_ssl_verification: true };
}
