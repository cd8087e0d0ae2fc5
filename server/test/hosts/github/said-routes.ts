import { headOf, instant, refresh } from './pulls.ts';
import { pageOf, type RepositoryRoute, type RouteRequest } from './route.ts';
import { accountOf, isInDiff, say, touch } from './said.ts';
import { type Account, type Comment, type Issue, type Thread } from './said-state.ts';
import { Answer, invalid, refusal, type Pull, type Repository } from './state.ts';

type InRepository = RouteRequest & { repository: Repository };

/** Routes of reviews, comments, reactions, checks, statuses and issues. */
export const saidRoutes: readonly RepositoryRoute[] = [
  { method: 'POST', pattern: /^\/issues\/(\d+)\/comments$/, needs: ['issues', 'write'], handle: createComment },
  { method: 'PATCH', pattern: /^\/issues\/comments\/(\d+)$/, needs: ['issues', 'write'], handle: updateComment },
  { method: 'POST', pattern: /^\/issues\/comments\/(\d+)\/reactions$/, needs: ['issues', 'write'], handle: react },
  { method: 'GET', pattern: /^\/issues\/(\d+)$/, needs: ['issues', 'read'], handle: readIssue },
  { method: 'GET', pattern: /^\/issues$/, needs: ['issues', 'read'], handle: listIssues },
  { method: 'POST', pattern: /^\/pulls\/(\d+)\/reviews$/, needs: ['pull_requests', 'write'], handle: createReview },
  { method: 'PUT', pattern: /^\/pulls\/\d+\/reviews\/(\d+)$/, needs: ['pull_requests', 'write'], handle: updateReview },
  {
    method: 'GET',
    pattern: /^\/pulls\/\d+\/reviews\/(\d+)\/comments$/,
    needs: ['pull_requests', 'read'],
    handle: listReviewComments,
  },
  {
    method: 'POST',
    pattern: /^\/pulls\/(\d+)\/comments$/,
    needs: ['pull_requests', 'write'],
    handle: createLineComment,
  },
  {
    method: 'POST',
    pattern: /^\/pulls\/(\d+)\/comments\/(\d+)\/replies$/,
    needs: ['pull_requests', 'write'],
    handle: reply,
  },
  {
    method: 'POST',
    pattern: /^\/pulls\/comments\/(\d+)\/reactions$/,
    needs: ['pull_requests', 'write'],
    handle: react,
  },
  {
    method: 'GET',
    pattern: /^\/collaborators\/([\w-]+)\/permission$/,
    needs: ['metadata', 'read'],
    handle: permission,
  },
  { method: 'GET', pattern: /^\/git\/ref\/heads\/(.+)$/, needs: ['contents', 'read'], handle: readRef },
  { method: 'DELETE', pattern: /^\/git\/refs\/heads\/(.+)$/, needs: ['contents', 'write'], handle: deleteRef },
];

async function pullOf({ world, repository }: InRepository, number: unknown): Promise<Pull> {
  const pull = repository.pulls.find((one) => one.number === Number(number));
  if (pull === undefined) throw refusal(404, 'Not Found');
  await refresh(repository, pull, world.now());
  return pull;
}

function describeComment({ world, repository }: InRepository, comment: Comment): Record<string, unknown> {
  const { id, body, number, createdAt } = comment;
  const example = world.judge.example('post /repos/{owner}/{repo}/issues/{issue_number}/comments', 201);
  const url = `${world.url}/${repository.name}/pull/${number}#issuecomment-${id}`;
  return { ...example, id, body, html_url: url, created_at: createdAt };
}

function createComment(request: InRepository): Answer {
  const { world, repository, body, grant, parts } = request;
  const comment = say(world, repository, Number(parts[0]), accountOf(world, grant), String(body['body']));
  return new Answer(201, describeComment(request, comment));
}

function updateComment(request: InRepository): Answer {
  const { repository, parts, body } = request;
  const comment = repository.comments.find(({ id }) => id === Number(parts[0]));
  if (comment === undefined) throw refusal(404, 'Not Found');
  comment.body = String(body['body']);
  return new Answer(200, describeComment(request, comment));
}

function react({ world, repository, parts, body }: InRepository): Answer {
  const all = [...repository.comments, ...repository.threads.flatMap(({ comments }) => comments)];
  const comment = all.find(({ id }) => id === Number(parts[0]));
  if (comment === undefined) throw refusal(404, 'Not Found');
  const content = String(body['content']);
  const isNew = !comment.reactions.includes(content);
  if (isNew) comment.reactions.push(content);
  const operation = 'post /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
  return new Answer(isNew ? 201 : 200, { ...world.judge.example(operation, 201), content });
}

function describeIssue({ world, repository }: InRepository, issue: Issue): Record<string, unknown> {
  const { id, number, title, body, author, createdAt, updatedAt } = issue;
  const example = world.judge.example('get /repos/{owner}/{repo}/issues', 200);
  return {
    ...example,
    id,
    number,
    title,
    body,
    pull_request: undefined,
    user: { ...Object(example['user']), login: author.login },
    state: 'open',
    html_url: `${world.url}/${repository.name}/issues/${number}`,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

function readIssue(request: InRepository): Answer {
  const issue = request.repository.issues.find(({ number }) => number === Number(request.parts[0]));
  if (issue === undefined) throw refusal(404, 'Not Found');
  return new Answer(200, describeIssue(request, issue));
}

function listIssues(request: InRepository): Answer {
  const { world, repository, query } = request;
  const since = Date.parse(query.get('since') ?? '1970-01-01');
  const found = repository.issues
    .filter(({ updatedAt }) => Date.parse(updatedAt) >= since)
    .toSorted((one, other) => Date.parse(one.updatedAt) - Date.parse(other.updatedAt));
  const { page, headers } = pageOf(found, query, `${world.url}/api/v3/repositories/${repository.id}/issues`);
  return new Answer(
    200,
    page.map((issue) => describeIssue(request, issue)),
    headers,
  );
}

/** Adds a thread with its first comment. Throws 422 for a line that the change does not have. */
async function addThread(
  { world, repository }: InRepository,
  pull: Pull,
  said: Record<string, unknown>,
  by: { author: Account; reviewId: number; commit: string },
  refused: () => Answer,
): Promise<Thread> {
  const [path, line] = [String(said['path']), Number(said['line'])];
  const side = said['side'] === 'LEFT' ? 'LEFT' : 'RIGHT';
  if (!(await isInDiff(repository, pull, { path, line, side }))) throw refused();
  const createdAt = instant(world.now());
  const id = world.nextId();
  const comment = { id, number: pull.number, body: String(said['body']), author: by.author, createdAt, reactions: [] };
  const place = { number: pull.number, path, line, side, commit: by.commit, reviewId: by.reviewId } as const;
  return { id: `PRRT_${id}`, ...place, isResolved: false, comments: [comment] };
}

/** Reviews are refused with plain texts. */
function invalidReview(reason: string): Answer {
  const documentation_url = 'https://docs.github.com/rest/pulls/reviews';
  return new Answer(422, { message: 'Unprocessable Entity', errors: [reason], documentation_url });
}

async function createReview(request: InRepository): Promise<Answer> {
  const { world, repository, body, grant, parts } = request;
  const pull = await pullOf(request, parts[0]);
  const author = accountOf(world, grant);
  if (body['event'] === 'REQUEST_CHANGES' && pull.author === author.login)
    throw invalidReview('Can not request changes on your own pull request');
  const id = world.nextId();
  const commit = String(body['commit_id']);
  const comments = Array.isArray(body['comments']) ? body['comments'] : [];
  const threads: Thread[] = [];
  const by = { author, reviewId: id, commit };
  const refused = (): Answer => invalidReview('Pull request review thread line must be part of the diff');
  for (const said of comments) threads.push(await addThread(request, pull, Object(said), by, refused));
  repository.threads.push(...threads);
  const state = body['event'] === 'REQUEST_CHANGES' ? 'CHANGES_REQUESTED' : 'COMMENTED';
  const createdAt = instant(world.now());
  const text = String(body['body']);
  repository.reviews.push({ id, number: pull.number, body: text, author, createdAt, reactions: [], state, commit });
  touch(world, repository, pull.number);
  return describeReview(request, pull.number, id);
}

function describeReview({ world, repository }: InRepository, number: number, id: number): Answer {
  const review = repository.reviews.find((one) => one.id === id);
  if (review === undefined) throw refusal(404, 'Not Found');
  const example = world.judge.example('post /repos/{owner}/{repo}/pulls/{pull_number}/reviews', 200);
  const url = `${world.url}/${repository.name}/pull/${number}#pullrequestreview-${id}`;
  return new Answer(200, { ...example, id, body: review.body, state: review.state, html_url: url });
}

function updateReview(request: InRepository): Answer {
  const review = request.repository.reviews.find(({ id }) => id === Number(request.parts[0]));
  if (review === undefined) throw refusal(404, 'Not Found');
  review.body = String(request.body['body']);
  return describeReview(request, review.number, review.id);
}

function describeLine({ world, repository }: InRepository, thread: Thread, comment: Comment): Record<string, unknown> {
  const example = world.judge.example('get /repos/{owner}/{repo}/pulls/comments/{comment_id}', 200);
  const { id, body, number } = comment;
  const url = `${world.url}/${repository.name}/pull/${number}#discussion_r${id}`;
  return { ...example, id, body, path: thread.path, line: thread.line, html_url: url };
}

function listReviewComments(request: InRepository): Answer {
  const { repository, parts, query, world } = request;
  const threads = repository.threads.filter(({ reviewId }) => reviewId === Number(parts[0]));
  const { page, headers } = pageOf(threads, query, `${world.url}/api/v3/repositories/${repository.id}/reviews`);
  // GitHub gives no line here.
  const described = page.flatMap((thread) =>
    thread.comments.slice(0, 1).map((comment) => ({ ...describeLine(request, thread, comment), line: undefined })),
  );
  return new Answer(200, described, headers);
}

async function createLineComment(request: InRepository): Promise<Answer> {
  const { world, repository, grant, body, parts } = request;
  const pull = await pullOf(request, parts[0]);
  const by = { author: accountOf(world, grant), reviewId: world.nextId(), commit: String(body['commit_id']) };
  const thread = await addThread(request, pull, body, by, () =>
    invalid({ resource: 'PullRequestReviewComment', field: 'line', code: 'invalid' }),
  );
  repository.threads.push(thread);
  touch(world, repository, pull.number);
  return new Answer(201, thread.comments.map((comment) => describeLine(request, thread, comment))[0]);
}

async function reply(request: InRepository): Promise<Answer> {
  const { world, repository, grant, body, parts } = request;
  const pull = await pullOf(request, parts[0]);
  const thread = repository.threads.find(({ comments }) => comments[0]?.id === Number(parts[1]));
  if (thread === undefined) throw refusal(404, 'Not Found');
  const author = accountOf(world, grant);
  const createdAt = instant(world.now());
  const comment = {
    id: world.nextId(),
    number: pull.number,
    body: String(body['body']),
    author,
    createdAt,
    reactions: [],
  };
  thread.comments.push(comment);
  touch(world, repository, pull.number);
  return new Answer(201, describeLine(request, thread, comment));
}

function permission({ world, repository, parts: [login = ''] }: InRepository): Answer {
  const granted = repository.collaborators.get(login);
  if (granted === undefined) throw refusal(404, `${login} is not a user`);
  const example = world.judge.example('get /repos/{owner}/{repo}/collaborators/{username}/permission', 200);
  return new Answer(200, { ...example, permission: granted, role_name: granted, user: null });
}

async function deleteRef({ repository, parts: [branch = ''] }: InRepository): Promise<Answer> {
  const name = decodeURIComponent(branch);
  if ((await headOf(repository.bare, name)) === undefined) throw new Answer(422, undefined);
  await repository.bare.git('update-ref', '-d', `refs/heads/${name}`);
  return new Answer(204, undefined);
}

async function readRef({ world, repository, parts: [branch = ''] }: InRepository): Promise<Answer> {
  const sha = await headOf(repository.bare, decodeURIComponent(branch));
  if (sha === undefined) throw refusal(404, 'Not Found');
  const example = world.judge.example('get /repos/{owner}/{repo}/git/ref/{ref}', 200);
  return new Answer(200, { ...example, ref: `refs/heads/${branch}`, object: { ...Object(example['object']), sha } });
}
