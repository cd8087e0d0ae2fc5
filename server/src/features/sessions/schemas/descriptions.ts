import { explain } from '../../../http/schema.ts';

/** What the fields of sessions mean, by component of the OpenAPI document. */
const meanings: Record<string, Record<string, string>> = {
  Session: {
    url: 'Address of this record.',
    'change_requests.state': 'As it was told last: `open`, `merged` or `closed`.',
    'usage.sandbox_seconds': 'Seconds that its sandboxes ran.',
    title: 'The first line of the prompt unless it was given one.',
    prompt: 'What it was asked first.',
    status:
      '`queued`, `provisioning`, `running` and `waiting` go on by themselves or by a message; `suspended` by a message or `/resume`; `completed` and `failed` by a message while there is a checkpoint; `canceled` is final.',
    status_detail: 'What it is doing, waits for, or why it ended.',
    sandbox_state:
      'Of the sandbox that the agent works in. While the session waits, or after it completed, it is `ready` as long as a message finds the sandbox as it was.',
    phases: 'The phases of the current or last turn, in their order.',
    model: '`<provider>/<model>`; "" while the session has not begun and none was chosen.',
    mode: '`build` changes the code, `plan` makes a plan, `ask` answers a question.',
    repositories: 'What it works on: where it started from, and its branch.',
    change_requests: 'Those it opened.',
    origin: 'Through which door it was created.',
    automation_id: 'The automation that began it; "" for none.',
    parent_session_id: 'The session that began it; "" for none.',
    forked_from: 'The session it is a fork of; "" for none.',
    budget: 'What it may use; a limit that is not there is none.',
    usage: 'What it used so far, over all turns.',
    attempt_no: 'Counts the workers that took it up.',
    error: 'Why it failed; null otherwise.',
    verify_command: 'The check that it was given; "" when another one is used or detected.',
    verification:
      'How the work was checked, "" until it was: `fixed` (the check failed on the base commit and passes now), `not_reproduced` (it passes, and did not fail before), `no_check`, `could_not_run`, `failed`. Only `fixed` proves anything; after `failed` no change request is opened.',
    deliver: 'What becomes of the work: a change request, a draft of one, a pushed branch, or nothing.',
    memory_enabled: 'Whether it is given the memory of its repositories, and adds to it.',
    sandbox:
      'The driver, isolation and limits it had; `isolation.advisory` names the limits that code in it could get around.',
    last_seq: 'Number of the newest event in its log.',
    archived: 'Whether lists leave it out unless asked.',
    started_at: 'When a worker first took it up.',
    ended_at: 'When it ended; null while it may go on by itself.',
  },

  SessionPhase: {
    name: 'Which phase.',
    status:
      '`passed`, `failed` and `skipped` speak for themselves. `could_not_run`: the check did not run, so it says nothing. `not_reproduced`: it passes on the base commit. `stopped`: a person or a budget ended the turn.',
    started_at: 'When it began.',
    ended_at: 'When it ended; null while it runs.',
    summary: 'What came of it, in a sentence.',
    evidence: 'The commands that were run and the files that were used for it.',
  },

  SessionRepository: {
    base_ref: 'The branch, tag or commit it started from.',
    base_commit: 'The commit that this was; "" until it was fetched.',
    branch: 'Where its work is pushed; "" until it has one.',
  },

  CreateSessionRequest: {
    prompt: 'What to do.',
    repositories:
      'What to work on, up to 10. `[]`, or none, is an empty workspace from which nothing is delivered. `provider` may be left out where only one has a repository of that name; `ref` is the default branch unless given.',
    'repositories.ref': 'A branch, tag or commit to start from; the default branch unless given.',
    'repositories.change_request': 'Refused with 400 in this version: give its branch as `ref`.',
    agent_id: "The agent; the organization's default unless given.",
    verify_command:
      'Decides whether the task is done: exit code 0. Without one it is the check that the agent declares, then that of the repository, then one that is detected.',
    deliver:
      '`change_request` unless given, or `draft` where the organization says so; always `none` without a repository.',
    tags: "Up to 50, as the run tag policy allows; the policy's default unless given.",
    metadata: 'Up to 20 keys of yours, passed through; `{}` unless given.',
    knowledge_ids: 'Knowledge notes. null or absent: those that go with the task; `[]`: none.',
    secret_ids:
      'Secrets. null or absent: all that apply; `[]`: none. Your own are never beside what another member wrote last, secrets of the organization and of repositories too: 400 where one that is named could not be given.',
    skill_ids: 'Skills. null or absent: all that apply; `[]`: none.',
    mcp_server_ids: 'Tool servers. null or absent: all that apply; `[]`: none.',
    session_secrets: 'Secrets for this session alone; their values show nowhere.',
    attachment_ids: 'Files of the organization that lie beside the repositories; none unless given.',
    budget: "What it may use; a limit left out is none, and the organization's hold beside it.",
    'budget.max_tokens': 'Tokens read and written, over all turns.',
    memory_enabled: "Whether the memory of its repositories is given to it; the organization's default unless given.",
    title: 'The first line of the prompt unless given.',
  },

  UpdateSessionRequest: {
    title: 'For people.',
    tags: 'All of them; `[]` takes them away.',
    metadata: 'All of it, up to 20 keys; `{}` takes it away.',
    'budget.max_tokens': 'Tokens read and written, over all turns.',
    budget: "All of it: a limit left out is none, but the organization's limit of minutes holds.",
  },

  SendSessionMessageRequest: {
    content: 'What to say; not blank.',
    delivery:
      '`steer` unless given: before the next model call of the turn under way. `queue`: when that turn has ended. `interrupt`: the turn under way ends, and the next begins with it.',
  },

  SessionMessage: {
    role: 'Who speaks: `user` is a person or a program outside.',
    content: 'What was said.',
    delivery: 'When a session at work is given it: see the request.',
    state: '`queued` until a turn takes it, then `delivered`; or `withdrawn` before that.',
    delivered_at: 'When a turn took it; null before.',
  },

  OpenSessionChangeRequestRequest: {
    repo: "Which of the session's repositories: `owner/name`. The first one unless given.",
    title: "The session's title unless given.",
    body: 'Markdown; "" unless given.',
    draft: 'Whether it is a draft; as settings `source_control.draft_by_default` say unless given.',
  },

  SessionUsage: {
    sandbox_seconds: 'Seconds that its sandboxes ran.',
    by_model: 'The same for each model that was called.',
  },

  SessionContext: {
    'knowledge.name': "The note's.",
    'knowledge.revision': 'The revision that it was given.',
    'knowledge.scope': 'Whose note it is.',
    'knowledge.score': 'How well it fits the prompt, 0 to 1.',
    memory: 'Files of memory, each made of one revision of a note.',
    'memory.revision': 'The revision that is in the file.',
    skills: 'Skills that lie in its sandbox.',
    'skills.revision': 'The revision that it was given; 0 for one of the repository itself.',
    'skills.digest': "Of the directory, as the skill's.",
    'skills.source': '`managed` in the organization, `imported` there, or of the `repository` itself.',
    'mcp_servers.slug': 'Its tools are called `<slug>__<tool>`.',
    'mcp_servers.tools.name': 'As the server calls it.',
    'mcp_servers.tools.description': 'What the server says of it.',
    mcp_servers: 'Tool servers, also those that could not be reached.',
    'mcp_servers.transport': 'How it is spoken to: over `http` or `sse`, or as a command in the sandbox (`stdio`).',
    'mcp_servers.tools': 'What it offers; `[]` where it is not there.',
    browser: 'Whether it has a browser to look at pages with.',
    'browser.available': 'Whether there is one.',
    'secrets.name': 'Its key.',
    'secrets.kind': 'What it is in the sandbox; "" when it was deleted.',
    'secrets.exposure': '`broker`: only the gateway has the value. "" when it was deleted.',
    'secrets.scope': 'Whose secret it is; `session`: it came with the session.',
    settings: 'Those that bear on it, as they were when it began.',
    'settings.namespace': 'Which settings.',
    'settings.value': 'The whole value that was in effect.',
    agent: 'The agent, at the version that it runs with.',
    'agent.version': 'The version that it runs with.',
    'agent.runtime': 'What runs the agent.',
    'agent.mode': '`build` changes the code, `plan` makes a plan, `ask` answers a question.',
  },

  Approval: { request: 'What is to be approved.' },

  SessionQueue: {
    size: 'Sessions that wait for a worker.',
    oldest_age_seconds: 'How long the oldest of them waits; null when none does.',
    workers: 'Workers that are alive.',
    free_slots: 'Sessions that they could take at once.',
  },
};

export function explainSessions(): void {
  for (const [name, ofFields] of Object.entries(meanings)) explain(name, ofFields);
}
