import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { userJson } from './json.ts';
import { mergeRequestPath, versionsOf, withRequest } from './merge-requests.ts';
import { follow, isInDiff, PositionBody } from './positions.ts';
import { ok, page, pages, refusal, type FakeAnswer, type FakeCall, type FakeRoute } from './route.ts';
import { role, type FakeDiscussion, type FakeNote, type FakePosition, type FakeState } from './state.ts';

const only = { additionalProperties: false };
const text = Type.String({ minLength: 1, maxLength: 1_000_000 });
export const NoteBody = Type.Object({ body: text }, only);
const DiscussionBody = Type.Object({ body: text, position: Type.Optional(PositionBody) }, only);
const Resolve = Type.Object({ resolved: Type.Boolean() }, only);
const Award = Type.Object({ name: Type.String({ pattern: '^[a-z0-9_+-]+$' }) }, only);

const discussions = `${mergeRequestPath}/discussions`;
const note = `${mergeRequestPath}/notes/{note_id}`;

/** Comments on merge requests: notes, discussions of notes, and reactions. */
export const noteRoutes: readonly FakeRoute[] = [
  { method: 'GET', path: discussions, query: pages, role: role.guest, answer: listDiscussions },
  { method: 'POST', path: discussions, role: role.reporter, body: DiscussionBody, answer: startDiscussion },
  { method: 'PUT', path: `${discussions}/{discussion_id}`, role: role.developer, body: Resolve, answer: resolve },
  { method: 'POST', path: `${discussions}/{discussion_id}/notes`, role: role.reporter, body: NoteBody, answer: reply },
  { method: 'POST', path: `${mergeRequestPath}/notes`, role: role.reporter, body: NoteBody, answer: comment },
  { method: 'PUT', path: note, role: role.reporter, body: NoteBody, answer: rewrite },
  { method: 'POST', path: `${note}/award_emoji`, role: role.guest, body: Award, answer: award },
];

/** Adds what somebody says; without a position it is on the whole. */
export function say(
  state: FakeState,
  on: { discussions: FakeDiscussion[] },
  said: { username: string; body: string; position?: FakePosition | undefined; isIndividual?: boolean },
): FakeDiscussion {
  const first = newNote(state, said);
  const id = `${first.id}`.padStart(40, 'd');
  const discussion = { id, isIndividual: said.isIndividual ?? said.position === undefined, notes: [first] };
  on.discussions.push(discussion);
  return discussion;
}

function newNote(
  state: FakeState,
  { username, body, position }: { username: string; body: string; position?: FakePosition | undefined },
): FakeNote {
  return {
    id: state.nextId(),
    body: body.trimEnd(),
    username,
    system: false,
    at: state.now(),
    resolved: false,
    position: position === undefined ? undefined : { ...position },
    awards: new Set(),
  };
}

export function noteJson(
  { url, state, project }: FakeCall,
  said: FakeNote,
  on: { type: 'MergeRequest' | 'Issue'; iid: number; isIndividual: boolean },
) {
  const isOnLine = said.position !== undefined;
  return {
    id: said.id,
    type: isOnLine ? 'DiffNote' : on.isIndividual ? null : 'DiscussionNote',
    body: said.body,
    author: userJson(url, { id: state.accountId(said.username), username: said.username }),
    created_at: said.at.toISOString(),
    updated_at: said.at.toISOString(),
    system: said.system,
    noteable_id: on.iid,
    noteable_type: on.type,
    project_id: project.id,
    noteable_iid: on.iid,
    resolvable: isOnLine,
    ...(isOnLine
      ? { resolved: said.resolved, position: { old_line: null, new_line: null, ...said.position, line_range: null } }
      : {}),
  };
}

async function listDiscussions(call: FakeCall): Promise<FakeAnswer> {
  return withRequest(call, async (request) => {
    const [version] = await versionsOf(call, request);
    const positions = request.discussions.flatMap(({ notes }) => notes).flatMap(({ position }) => position ?? []);
    for (const position of positions) await follow(call.project, position, version?.head ?? position.head_sha);
    return page(
      call,
      request.discussions.map((one) => discussionJson(call, one, request.iid)),
    );
  });
}

function discussionJson(call: FakeCall, { id, isIndividual, notes }: FakeDiscussion, iid: number) {
  const on = { type: 'MergeRequest' as const, iid, isIndividual };
  return { id, individual_note: isIndividual, notes: notes.map((one) => noteJson(call, one, on)) };
}

async function startDiscussion(call: FakeCall): Promise<FakeAnswer> {
  return withRequest(call, async (request) => {
    const { body, position } = Value.Parse(DiscussionBody, call.body);
    if (position !== undefined && !(await isInDiff(call.project, position))) return outsideOfDiff;
    const said = { username: call.token.username, body, position, isIndividual: false };
    return { status: 201, body: discussionJson(call, say(call.state, request, said), request.iid) };
  });
}

export const outsideOfDiff = refusal(
  400,
  '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
);

function withDiscussion(
  call: FakeCall,
  answer: (discussion: FakeDiscussion, iid: number) => FakeAnswer,
): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, (request) => {
    const found = request.discussions.find(({ id }) => id === call.names['discussion_id']);
    return found === undefined ? refusal(404, '404 Discussion Not Found') : answer(found, request.iid);
  });
}

function resolve(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withDiscussion(call, (discussion, iid) => {
    if (discussion.notes[0]?.position === undefined) return refusal(403, '403 Forbidden');
    for (const said of discussion.notes) said.resolved = Value.Parse(Resolve, call.body).resolved;
    return ok(discussionJson(call, discussion, iid));
  });
}

function reply(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withDiscussion(call, (discussion, iid) => {
    const { body } = Value.Parse(NoteBody, call.body);
    const position = discussion.notes[0]?.position;
    const said = newNote(call.state, { username: call.token.username, body, position });
    discussion.notes.push(said);
    return { status: 201, body: noteJson(call, said, { type: 'MergeRequest', iid, isIndividual: false }) };
  });
}

function comment(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withRequest(call, (request) => {
    const { body } = Value.Parse(NoteBody, call.body);
    const { notes } = say(call.state, request, { username: call.token.username, body });
    const answers = notes.map((said) =>
      noteJson(call, said, { type: 'MergeRequest', iid: request.iid, isIndividual: true }),
    );
    return { status: 201, body: answers[0] };
  });
}

function withNote(call: FakeCall, answer: (said: FakeNote, iid: number) => FakeAnswer) {
  return withRequest(call, (request) => {
    const all = request.discussions.flatMap(({ notes }) => notes);
    const found = all.find(({ id }) => String(id) === call.names['note_id']);
    return found === undefined ? refusal(404, '404 Note Not Found') : answer(found, request.iid);
  });
}

function rewrite(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withNote(call, (said, iid) => {
    if (said.username !== call.token.username) return refusal(403, '403 Forbidden');
    said.body = Value.Parse(NoteBody, call.body).body;
    return ok(noteJson(call, said, { type: 'MergeRequest', iid, isIndividual: true }));
  });
}

function award(call: FakeCall): FakeAnswer | Promise<FakeAnswer> {
  return withNote(call, (said) => {
    const { name } = Value.Parse(Award, call.body);
    const key = `${call.token.username} ${name}`;
    if (said.awards.has(key)) return refusal(404, '404 Award Emoji Name has already been taken Not Found');
    said.awards.add(key);
    const at = call.state.now().toISOString();
    const user = userJson(call.url, call.token);
    const on = { awardable_id: said.id, awardable_type: 'Note', url: null };
    return { status: 201, body: { id: call.state.nextId(), name, user, created_at: at, updated_at: at, ...on } };
  });
}
