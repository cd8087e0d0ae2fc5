import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { userJson } from './json.ts';
import { mergeRequestPath, versionsOf, withRequest } from './merge-requests.ts';
import { outsideOfDiff, say } from './notes.ts';
import { isInDiff, PositionBody } from './positions.ts';
import { ok, page, pages, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role, type FakeDraft } from './state.ts';

const Draft = Type.Object(
  { note: Type.String({ minLength: 1, maxLength: 1_000_000 }), position: Type.Optional(PositionBody) },
  { additionalProperties: false },
);
const drafts = `${mergeRequestPath}/draft_notes`;

/** Reviews: draft notes, approvals, reviewers, and the commits that they are about. */
export const reviewRoutes: readonly FakeRoute[] = [
  { method: 'GET', path: drafts, query: pages, role: role.reporter, answer: listDrafts },
  { method: 'POST', path: drafts, role: role.reporter, body: Draft, answer: draft },
  { method: 'POST', path: `${drafts}/bulk_publish`, role: role.reporter, answer: publish },
  { method: 'GET', path: `${mergeRequestPath}/approvals`, role: role.guest, answer: approvals },
  { method: 'GET', path: `${mergeRequestPath}/reviewers`, query: pages, role: role.guest, answer: reviewers },
  { method: 'GET', path: `${mergeRequestPath}/versions`, query: pages, role: role.reporter, answer: versions },
];

function draftJson({ state }: FakeCall, { id, username, note, position }: FakeDraft, iid: number) {
  return {
    id,
    author_id: state.accountId(username),
    merge_request_id: iid,
    resolve_discussion: false,
    discussion_id: null,
    note,
    commit_id: null,
    line_code: null,
    // A draft on the whole has a position of nulls.
    position: { new_path: null, old_path: null, new_line: null, old_line: null, head_sha: null, ...position },
  };
}

function listDrafts(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, (request) => {
    const own = request.drafts.filter(({ username }) => username === call.token.username);
    return page(
      call,
      own.map((one) => draftJson(call, one, request.iid)),
    );
  });
}

function draft(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, async (request) => {
    const { note, position } = Value.Parse(Draft, call.body);
    if (position !== undefined && !(await isInDiff(call.project, position))) return outsideOfDiff;
    const created = { id: call.state.nextId(), username: call.token.username, note, position };
    request.drafts.push(created);
    return { status: 201, body: draftJson(call, created, request.iid) };
  });
}

function publish(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, (request) => {
    const { username } = call.token;
    const own = request.drafts.filter((one) => one.username === username);
    for (const { note, position } of own)
      say(call.state, request, { username, body: note, position, isIndividual: false });
    request.drafts.splice(0, request.drafts.length, ...request.drafts.filter((one) => one.username !== username));
    return { status: 204, body: undefined };
  });
}

function approvals(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, (request) =>
    ok({
      user_has_approved: false,
      user_can_approve: true,
      approved: request.approvals.length > 0,
      approved_by: request.approvals.map(({ username, at }) => ({
        user: userJson(call.url, { id: call.state.accountId(username), username }),
        approved_at: at.toISOString(),
      })),
    }),
  );
}

function reviewers(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, (request) =>
    page(
      call,
      request.reviewers.map(({ username, state }) => ({
        user: userJson(call.url, { id: call.state.accountId(username), username }),
        state,
        created_at: request.createdAt.toISOString(),
      })),
    ),
  );
}

function versions(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, async (request) => {
    const found = await versionsOf(call, request);
    const json = found.map(({ id, base, start, head }) => ({
      id,
      head_commit_sha: head,
      base_commit_sha: base,
      start_commit_sha: start,
      created_at: request.createdAt.toISOString(),
      merge_request_id: request.iid,
      state: 'collected',
      real_size: '1',
      patch_id_sha: null,
    }));
    return page(call, json);
  });
}
