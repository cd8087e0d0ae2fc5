import { defaults, explain } from '../../../http/schema.ts';

/** Descriptions of session fields, by component of the OpenAPI document. */
const meanings: Record<string, Record<string, string>> = {
  Session: {
    url: 'URL of this record.',
    'change_requests.state': 'The last known state: `open`, `merged` or `closed`.',
    'usage.sandbox_seconds': 'Seconds that its sandboxes ran.',
    title: 'By default the first line of the prompt.',
    prompt: 'The first prompt.',
    status:
      '`queued`, `provisioning`, `running` and `waiting` sessions continue by themselves or with a message; `suspended` ones with a message or `/resume`; `completed` and `failed` ones with a message if they have a checkpoint; `canceled` is final.',
    status_detail: 'What it is doing, what it waits for, or why it ended.',
    sandbox_state:
      "State of the agent's sandbox. While the session waits, or after it completed, `ready` means that a " +
      'message continues in the same sandbox.',
    attention:
      'What it needs from someone: `approval`, `answer` to its question or as its next message, `budget` to continue, or a look at why it `failed`. "" for nothing, and while it is archived.',
    activity: 'The last thing that it did.',
    'activity.text': 'One line: the title of a tool call, a command or a step; "" before the first.',
    'activity.at': 'When it began.',
    unread:
      'True if it stopped after the last event that you have read, and you started it or have marked it as read before. Always false for other principals than users.',
    phases: 'The phases of the current or last turn, in order.',
    model: '`<provider>/<model>`; "" before the session starts if none was chosen.',
    mode: '`build` changes the code, `plan` makes a plan, `ask` answers a question.',
    repositories: 'Its repositories: where it started from, and its branch.',
    change_requests: 'The change requests that it opened or continues.',
    'change_requests.repository_id': 'The repository.',
    origin: 'How it was created.',
    automation_id: 'The automation that started it; "" for none.',
    automation_run_id: 'The run that it is an attempt of; "" for none.',
    parent_session_id: 'The session that started it; "" for none.',
    forked_from: 'The session it was forked from; "" for none.',
    budget: 'Its limits; a missing limit is unlimited.',
    usage: 'Use so far, over all turns.',
    attempt_no: 'Number of attempts so far: one for each worker that claimed it.',
    error: 'Why it failed; null otherwise.',
    verify_command: 'Its check command; "" if another one is used or detected.',
    verification:
      'How the work was checked, "" until it was: `fixed` (the check failed on the base commit and passes now), `not_reproduced` (it passes, and did not fail before), `no_check`, `could_not_run`, `failed`. Only `fixed` proves anything; after `failed` no change request is opened.',
    deliver: 'The result to deliver: a change request, a draft of one, a pushed branch, or nothing.',
    memory_enabled: 'True if it gets the memory of its repositories, and adds to it.',
    sandbox: 'The sandbox it had last; `{}` before the first.',
    'sandbox.driver': 'The driver that made it.',
    'sandbox.isolation': 'Its isolation on that machine.',
    'sandbox.isolation.kind': '`namespaces`: own users, processes, network and files.',
    'sandbox.isolation.own_user': 'True if each sandbox runs as a host user of its own.',
    'sandbox.isolation.limits': 'What enforces the limits of memory, processes and CPU.',
    'sandbox.isolation.disk':
      'What enforces the limit of disk: a file system of that size, or a poll that stops the sandbox.',
    'sandbox.isolation.advisory': 'The limits that code in it could get around; the kernel holds the others.',
    'sandbox.limits': 'Its limits.',
    'sandbox.limits.cpu': 'Processors.',
    'sandbox.limits.memory_mb': 'Memory, in MiB.',
    'sandbox.limits.disk_mb': 'Disk, in MiB.',
    'sandbox.limits.pids': 'Processes and threads.',
    last_seq: 'Number of the newest event in its log.',
    archived: 'True if lists omit it by default.',
    started_at: 'When a worker first started it.',
    working_since:
      'When the work under way began, whose time `usage.sandbox_seconds` does not include yet; null while it does not work.',
    ended_at: 'When it ended; null while it may continue by itself.',
  },

  SessionPhase: {
    name: 'The phase.',
    status:
      '`passed`, `failed` and `skipped` mean what they say. `could_not_run`: the check did not run, so it says nothing. `not_reproduced`: it passes on the base commit. `stopped`: a user or a budget ended the turn.',
    started_at: 'When it started.',
    ended_at: 'When it ended; null while it runs.',
    summary: 'The result, in a sentence.',
    evidence: 'The commands and files that support the result.',
  },

  SessionRepository: {
    base_ref: 'The branch, tag or commit it started from.',
    base_commit: 'The commit of `base_ref`; "" until it was fetched.',
    branch: 'The branch its work is pushed to; "" until it has one.',
  },

  CreateSessionRequest: {
    prompt: 'The task.',
    repositories:
      'The repositories to work on, up to 10. `[]`, or none, is an empty workspace, from which nothing is delivered. `provider` may be omitted if only one has a repository of that name; `ref` defaults to the default branch.',
    'repositories.provider': 'The git host; may be omitted where only one has a repository of that name.',
    'repositories.ref': 'A branch, tag or commit to start from; defaults to the default branch.',
    'repositories.change_request':
      'The number of an open change request to continue, instead of `ref`: work begins on its branch, is pushed to it, and its title, description and draft state stay. Its session follows it, unless the policy of the repository is `off`. 409 `conflict` if another session does, or if the branch is in a fork or is the default branch; 409 `change_request_closed` unless it is open.',
    agent_id: "The agent; default the organization's.",
    verify_command:
      'Decides whether the task is done: exit code 0. By default it is the check that the agent declares, then that of the repository, then one that is detected.',
    deliver:
      '`change_request` by default, or `draft` if the organization says so. Without a repository it is `none`, and any other value is refused.',
    tags: "Up to 50, as the run tag policy allows; default the policy's.",
    metadata: 'Up to 20 keys of yours, returned unchanged.',
    knowledge_ids: 'Knowledge notes. null: those that match the task; `[]`: none.',
    secret_ids:
      'Secrets. null: all that apply; `[]`: none. Your own never share a sandbox with content that another member wrote last, including secrets of the organization and of repositories: 400 if a named secret cannot be given.',
    skill_ids: 'Skills. null: all that apply; `[]`: none.',
    mcp_server_ids: 'MCP servers. null: all that apply; `[]`: none.',
    session_secrets: 'Secrets for this session only; their values are never shown.',
    'session_secrets.allowed_hosts': 'Host names; `*.example.com` matches its subdomains.',
    attachment_ids: 'Attachments to place beside the repositories.',
    budget: "Its limits. An omitted limit is unlimited; the organization's limits apply as well.",
    'budget.max_tokens': 'Tokens read and written, over all turns.',
    memory_enabled: "True to give it the memory of its repositories; default the organization's setting.",
    title: 'Default: the first line of the prompt.',
  },

  UpdateSessionRequest: {
    title: 'Title for readers.',
    tags: 'Replaces all tags; `[]` removes them.',
    metadata: 'Replaces all metadata, up to 20 keys; `{}` removes it.',
    'budget.max_tokens': 'Tokens read and written, over all turns.',
    budget: "Replaces all limits: an omitted limit is unlimited, but the organization's limit of minutes applies.",
  },

  SendSessionMessageRequest: {
    content: 'The message; not blank.',
    attachment_ids: 'Attachments that are placed next to the repositories.',
    delivery:
      '`steer`: before the next model call of the current turn. `queue`: after the current turn. `interrupt`: ends the current turn, and the next one begins with the message.',
  },

  SessionMessage: {
    role: 'The sender: `user` is a person or a program.',
    content: 'The text.',
    delivery: 'When a running session gets it: see the request.',
    state:
      '`queued` until a turn takes it, then `delivered`; or `withdrawn` before that, by a person or by the permanent end of the session.',
    source: 'What the platform or a person at a git host saw that led to it; null for a message through the API.',
    'source.kind': 'A failed check, a review, a comment, a conflict with the base branch, or a push of someone else.',
    'source.head_sha': 'The head commit of the change request at that time.',
    delivered_at: 'When a turn took it; null before.',
  },

  OpenSessionChangeRequestRequest: {
    repo: "One of the session's repositories: `owner/name`. Default the first.",
    title: "Default the session's title.",
    body: 'Markdown.',
    draft: 'True for a draft; by default the setting `source_control.draft_by_default`.',
  },

  SessionUsage: {
    sandbox_seconds: 'Seconds that its sandboxes ran.',
    by_model: 'The same for each model.',
  },

  SessionContext: {
    'knowledge.name': "The note's name.",
    'knowledge.revision': 'The revision that the session got.',
    'knowledge.scope': 'Whose note it is.',
    'knowledge.score': 'Relevance to the prompt, 0 to 1.',
    memory: 'Memory files, each with one revision of a note.',
    'memory.revision': 'The revision in the file.',
    skills: 'Skills in its sandbox.',
    'skills.revision': "The revision that the session got; 0 for a repository's own skill.",
    'skills.digest': "Digest of the directory, like the skill's.",
    'skills.source': '`managed` in the organization, `imported` there, or of the `repository` itself.',
    'mcp_servers.slug': 'Its tools are named `<slug>__<tool>`.',
    'mcp_servers.tools.name': "The tool's name on the server.",
    'mcp_servers.tools.description': "The server's description of the tool.",
    mcp_servers: 'MCP servers, including unreachable ones.',
    'mcp_servers.transport': 'How it is connected: over `http` or `sse`, or as a command in the sandbox (`stdio`).',
    'mcp_servers.tools': 'Its tools; `[]` if it is unavailable.',
    browser: 'The browser for viewing pages.',
    'browser.available': 'True if the session has a browser.',
    'secrets.name': 'Its key.',
    'secrets.kind': 'What it is in the sandbox; "" when it was deleted.',
    'secrets.exposure': '`broker`: only the gateway has the value. "" when it was deleted.',
    'secrets.scope': 'Whose secret it is; `session`: it came with the session.',
    settings: 'The settings that affect it, as of its start.',
    'settings.namespace': 'The namespace.',
    'settings.value': 'The full value in effect.',
    agent: 'The agent, at the version that it runs with.',
    'agent.version': 'The version that it runs with.',
    'agent.runtime': 'What runs the agent.',
    'agent.mode': '`build` changes the code, `plan` makes a plan, `ask` answers a question.',
  },

  Approval: { request: 'What needs approval.' },

  SessionQueue: {
    size: 'Number of sessions waiting for a worker.',
    oldest_age_seconds: 'How long the oldest of them has waited; null for none.',
    workers: 'Workers that are alive.',
    free_slots: 'Number of sessions that the workers could start now.',
  },
};

const omitted: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  CreateSessionRequest: {
    repositories: [],
    mode: 'build',
    require_plan_approval: false,
    metadata: {},
    knowledge_ids: null,
    secret_ids: null,
    skill_ids: null,
    mcp_server_ids: null,
    session_secrets: [],
    'session_secrets.kind': 'env',
    'session_secrets.exposure': 'sandbox',
    'session_secrets.allowed_hosts': [],
    attachment_ids: [],
    structured_output_required: false,
  },
  OpenSessionChangeRequestRequest: { body: '' },
  SendSessionMessageRequest: { attachment_ids: [], delivery: 'steer' },
};

export function explainSessions(): void {
  for (const [name, ofFields] of Object.entries(meanings)) explain(name, ofFields);
  for (const [name, values] of Object.entries(omitted)) defaults(name, values);
}
