import { Type, type Static } from 'typebox';

/** The fields of Pagure's answers that are used; there are more. */
const Text = Type.String();
const OptionalText = Type.Optional(Type.Union([Text, Type.Null()]));
/** A time in seconds since 1970, with decimals in newer versions. */
const Seconds = Type.Optional(Type.Union([Text, Type.Number(), Type.Null()]));

export const Problem = Type.Object({
  error: Type.Optional(Text),
  error_code: Type.Optional(Text),
  /** Texts, or texts by field. */
  errors: Type.Optional(Type.Unknown()),
});

export const Whoami = Type.Object({ username: Type.String({ pattern: '^[^\\s:]{1,255}$' }) });

export const Branches = Type.Object({ default: Type.Optional(Type.Unknown()) });

export const PullRequest = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  title: Text,
  initial_comment: OptionalText,
  status: Type.Enum(['Open', 'Merged', 'Closed']),
  /** The branch that it is merged into. */
  branch: Text,
  branch_from: Text,
  commit_stop: OptionalText,
  cached_merge_status: Type.Optional(Text),
  date_created: Seconds,
  updated_on: Seconds,
  last_updated: Seconds,
  closed_at: Seconds,
  project: Type.Object({ fullname: Text }),
  /** Null for one from another server, or from a fork that was deleted. */
  repo_from: Type.Optional(Type.Union([Type.Object({ fullname: Text }), Type.Null()])),
});
export type PullRequest = Static<typeof PullRequest>;

export const NewPullRequest = Type.Pick(PullRequest, ['id']);

const Pagination = Type.Optional(Type.Object({ pages: Type.Optional(Type.Integer()) }));

export const PullRequestPage = Type.Object({
  requests: Type.Array(
    Type.Pick(PullRequest, [
      'id',
      'status',
      'branch_from',
      'repo_from',
      'project',
      'date_created',
      'updated_on',
      'last_updated',
      'closed_at',
    ]),
  ),
  pagination: Pagination,
});

export const Projects = Type.Object({
  projects: Type.Array(Type.Object({ fullname: Text, private: Type.Optional(Type.Boolean()) })),
  pagination: Pagination,
});

export const WebhookToken = Type.Object({ webhook: Type.Object({ token: Type.String({ minLength: 1 }) }) });

/** A merge that Pagure will make. */
export const Queued = Type.Object({ taskid: Type.String({ pattern: '^[\\w-]{1,100}$' }) });
export const TaskStatus = Type.Object({ ready: Type.Boolean() });

/** An answer of which nothing is used. */
export const Done = Type.Object({});
