import { Type, type Static, type TSchema } from 'typebox';

/** The used fields of GitHub's responses about what is said of pull requests, issues and commits. */
const Text = Type.String();
const NullableText = Type.Union([Text, Type.Null()]);
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?Z$' });
const NullableTime = Type.Union([Time, Type.Null()]);
const Id = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Number32 = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });

/** An id that may have 64 bits. */
const LongId = Type.Union([Type.String({ pattern: '^\\d{1,19}$' }), Type.Null()]);

const Author = Type.Union([Type.Object({ __typename: Text, login: Text }), Type.Null()]);

const Page = <Node extends TSchema>(node: Node) =>
  Type.Object({
    nodes: Type.Array(node, { maxItems: 100 }),
    pageInfo: Type.Object({ hasPreviousPage: Type.Boolean(), startCursor: NullableText }),
  });

export const SaidComment = Type.Object({
  fullDatabaseId: LongId,
  author: Author,
  body: Text,
  url: Text,
  createdAt: Time,
});
export type SaidComment = Static<typeof SaidComment>;

export const SaidReview = Type.Object({
  ...SaidComment.properties,
  state: Text,
  commit: Type.Union([Type.Object({ oid: Text }), Type.Null()]),
});

const LineComment = Type.Object({
  ...SaidComment.properties,
  pullRequestReview: Type.Union([Type.Object({ fullDatabaseId: LongId }), Type.Null()]),
});

export const SaidThread = Type.Object({
  id: Text,
  path: Text,
  line: Type.Union([Type.Integer(), Type.Null()]),
  diffSide: Text,
  isResolved: Type.Boolean(),
  isOutdated: Type.Boolean(),
  first: Type.Object({ nodes: Type.Array(LineComment, { maxItems: 1 }) }),
  last: Type.Object({ nodes: Type.Array(LineComment, { maxItems: 100 }) }),
});

/** The response with one page of a list of a pull request or an issue. */
export const SaidPage = <Node extends TSchema>(node: Node) =>
  Type.Object({
    data: Type.Object({
      repository: Type.Object({ subject: Type.Union([Type.Object({ list: Page(node) }), Type.Null()]) }),
    }),
  });

export const Label = Type.Object({ name: Text });

const CheckRun = Type.Object({
  __typename: Type.Literal('CheckRun'),
  databaseId: Type.Union([Id, Type.Null()]),
  name: Text,
  status: Text,
  conclusion: NullableText,
  title: NullableText,
  detailsUrl: NullableText,
  completedAt: NullableTime,
  isRequired: Type.Optional(Type.Boolean()),
});
const StatusContext = Type.Object({
  __typename: Type.Literal('StatusContext'),
  context: Text,
  state: Text,
  description: NullableText,
  targetUrl: NullableText,
  createdAt: Time,
  isRequired: Type.Optional(Type.Boolean()),
});
export const RollupContext = Type.Union([CheckRun, StatusContext]);
export type RollupContext = Static<typeof RollupContext>;

export const Rollup = Type.Object({
  data: Type.Object({
    repository: Type.Object({
      object: Type.Union([
        Type.Object({
          statusCheckRollup: Type.Union([
            Type.Object({
              contexts: Type.Object({
                nodes: Type.Array(RollupContext, { maxItems: 100 }),
                pageInfo: Type.Object({ hasNextPage: Type.Boolean(), endCursor: NullableText }),
              }),
            }),
            Type.Null(),
          ]),
        }),
        Type.Null(),
      ]),
    }),
  }),
});

export const CombinedStatus = Type.Object({
  statuses: Type.Array(
    Type.Object({
      context: Text,
      state: Text,
      description: NullableText,
      target_url: NullableText,
      updated_at: Time,
    }),
    { maxItems: 100 },
  ),
});

export const CommitPulls = Type.Array(Type.Object({ number: Number32, state: Text }), { maxItems: 100 });
export const Job = Type.Object({ run_id: Id });
export const CheckOutput = Type.Object({
  output: Type.Object({ title: NullableText, summary: NullableText, text: NullableText }),
});

export const CreatedReview = Type.Object({ id: Id, html_url: Text });
export const CreatedComment = Type.Object({ id: Id, html_url: Text });
export const ReviewComments = Type.Array(
  Type.Object({ id: Id, path: Text, body: Text, line: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) }),
  { maxItems: 100 },
);
export const CollaboratorPermission = Type.Object({ permission: Text });

const Account = Type.Union([Type.Object({ login: Text, type: Text }), Type.Null()]);
export const Issue = Type.Object({
  number: Number32,
  state: Text,
  title: Text,
  body: Type.Optional(NullableText),
  user: Account,
  labels: Type.Array(Type.Union([Text, Type.Object({ name: Type.Optional(Text) })])),
  html_url: Text,
  created_at: Time,
  updated_at: Time,
  pull_request: Type.Optional(Type.Unknown()),
});
export type Issue = Static<typeof Issue>;
export const Issues = Type.Array(Issue, { maxItems: 100 });
export const ChangedPulls = Type.Array(Type.Object({ number: Number32, created_at: Time, updated_at: Time }), {
  maxItems: 100,
});

export const AutoMergeState = Type.Object({
  data: Type.Object({
    repository: Type.Object({
      pullRequest: Type.Object({
        id: Text,
        state: Text,
        headRefOid: Text,
        isInMergeQueue: Type.Boolean(),
        isMergeQueueEnabled: Type.Boolean(),
        autoMergeRequest: Type.Union([Type.Object({ enabledAt: NullableTime }), Type.Null()]),
      }),
    }),
  }),
});
