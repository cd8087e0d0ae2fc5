import { Type, type Static } from 'typebox';
import {
  AnyObject,
  Body,
  Command,
  defaults,
  explain,
  Id,
  named,
  NullableTimestamp,
  OneOf,
  Text,
  record,
} from '../../http/schema.ts';
import { providers, repositoryName } from '../../lib/providers.ts';
import { templateNames } from './templates.ts';

const fields = {
  id: Id,
  provider: OneOf(providers),
  repo: Type.String({ description: 'owner/name' }),
  default_branch: Type.String(),
  connection_id: Id,
  index: Type.Object({
    state: OneOf(['none', 'queued', 'indexing', 'ready', 'stale', 'failed']),
    commit: Type.String(),
    indexed_at: NullableTimestamp,
    error: Type.String(),
  }),
  wiki: Type.Object({
    state: OneOf(['none', 'queued', 'generating', 'ready', 'failed']),
    generated_at: NullableTimestamp,
  }),
  environment: Type.Object({ setup_command: Type.String(), verify_command: Type.String(), image: Type.String() }),
  clone_url: Type.String({
    description:
      'URL to clone from and push to. For `local`, with an API key as the password and any user name: `repos:read` to fetch, `repos:write` to push. "" while it is deleted, or has no connection.',
  }),
  last_session_at: NullableTimestamp,
  deleted_at: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description:
      'When it was deleted; only `GET /repositories?deleted=true` lists such repositories. Purged 30 days later.',
  }),
};
export const Repository = record('Repository', Type.Object(fields));

/** A repository that a connection can reach, and its record if it is connected. */
export const ConnectionRepository = named(
  'ConnectionRepository',
  Type.Object({
    ...Type.Partial(Type.Object(fields)).properties,
    repo: Type.String({ description: 'owner/name' }),
    default_branch: Type.String(),
    private: Type.Boolean(),
    url: Type.String(),
    repository_id: Type.String(),
  }),
);

/** `owner/name`; at GitLab and Pagure the owner may contain slashes, so the last one separates. */
const repoName = Text(200, {
  pattern: `^${repositoryName}$`,
  'x-form': 'owner/name: letters, digits, . _ and -, no part beginning with -',
  description: '`owner/name`, without `.git` at its end.',
});
const branch = Text(240, { minLength: 1 });

const environment = Type.Object(
  {
    setup_command: Type.Optional(Command(10_000)),
    verify_command: Type.Optional(Command(10_000)),
    image: Type.Optional(Text(500)),
  },
  { additionalProperties: false },
);

export const CreateRepository = Body({
  provider: OneOf(providers),
  repo: repoName,
  connection_id: Type.Optional(Id),
  default_branch: Type.Optional(branch),
  import_url: Type.Optional(Text(2_000)),
  template: Type.Optional(OneOf(templateNames)),
  environment: Type.Optional(environment),
});
export const UpdateRepository = Body({
  connection_id: Type.Optional(Id),
  default_branch: Type.Optional(branch),
  environment: Type.Optional(environment),
});

const RepositoryTemplate = named(
  'RepositoryTemplate',
  Type.Object({
    name: OneOf(templateNames),
    description: Type.String(),
    repo: Type.String(),
    first_session: Type.Object({
      prompt: Type.String(),
      agent: Type.Object({ name: Type.String(), runtime: OneOf(['script']), runtime_config: AnyObject }),
    }),
  }),
);
export const RepositoryTemplates = named('RepositoryTemplates', Type.Object({ items: Type.Array(RepositoryTemplate) }));

export type CreateRepository = Static<typeof CreateRepository>;
export type UpdateRepository = Static<typeof UpdateRepository>;

explain(['Repository', 'ConnectionRepository'], {
  connection_id: 'Its git connection.',
  index: 'Index of its default branch.',
  'index.state': '`none` while there is no index.',
  'index.commit': 'The indexed commit; "" before the first.',
  'index.indexed_at': 'When it was indexed; null before the first time.',
  'index.error': 'Why it failed; "" otherwise.',
  wiki: 'The wiki generated from it.',
  'wiki.state': '`none` while there is no wiki.',
  'wiki.generated_at': 'When it was generated; null before the first time.',
  environment: 'How sessions set it up and check it; an unset part is "".',
  last_session_at: 'When a session on it last started; null before the first.',
});
explain('ConnectionRepository', {
  default_branch: 'Its default branch; "" for an empty one.',
  private: 'True unless everybody can read it at the host.',
  url: 'URL of its web page; "" at the built-in git host.',
  repository_id: 'The repository here; "" unless it is connected. Only then, the fields of `Repository` are present.',
});
explain('CreateRepositoryRequest', {
  provider:
    '`local` creates a repository on the built-in git host. Any other one connects an existing repository, for which the organization needs a git connection.',
  connection_id: 'The git connection; by default the only one to the provider, and required if there are several.',
  default_branch:
    "The branch that sessions start from; by default `main`, the default branch of the imported repository, or the one that the connected repository's host names.",
  import_url: 'A git repository to copy, by http or https; by default the new one is empty.',
  template:
    'A bundled project for its first commit, instead of `import_url`; by default there is none. `GET …/repositories/templates` lists them.',
});
explain('RepositoryTemplates', { items: 'All templates.' });
explain('RepositoryTemplate', {
  name: 'The `template` of a new repository.',
  description: 'What the project is.',
  repo: 'A name for a repository with it, `owner/name`.',
  first_session: 'What a first session on it can be; it needs no model.',
  'first_session.prompt': 'The `prompt` of the session.',
  'first_session.agent': 'The body of `POST /agents` for an agent that does the work.',
  'first_session.agent.name': 'Its name.',
  'first_session.agent.runtime': 'A runtime that needs no model.',
  'first_session.agent.runtime_config': 'Its steps, and what it says at the end.',
});
explain('CreateRepositoryRequest', {
  environment: 'How sessions on it are set up and checked; each part may be omitted.',
});
explain('UpdateRepositoryRequest', {
  connection_id: 'Another git connection to the same provider that can reach the repository.',
  environment:
    "How sessions set it up and check it; omitted parts stay unchanged. If a member wrote a command last, other members' own secrets do not enter sessions on the repository until an administrator sends the commands again.",
});
defaults('CreateRepositoryRequest', {
  'environment.setup_command': '',
  'environment.verify_command': '',
  'environment.image': '',
});
