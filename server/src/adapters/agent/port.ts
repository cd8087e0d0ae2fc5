import type { AgentCheck } from '../../lib/agent-config.ts';
import type { AgentSandbox } from './sandbox.ts';
import type { ModelKind, ModelName } from '../../lib/models.ts';
import type { SchemaProblem } from '../../lib/schema-problems.ts';

/**
 * Runs agents: one implementation per runtime (`builtin`, `acp`, `script`), with any number of agents each. An agent works in
 * one sandbox, which it does not own; it is started once per attempt of a session and prompted once per turn.
 */
export interface AgentRunner {
  /** The driver's capabilities. */
  readonly capabilities: AgentCapabilities;
  /**
   * Starts an agent; with `state` it resumes one. Throws `ProviderError`: not retryable for an invalid configuration (with
   * the reason in the message), retryable when the sandbox or a service failed.
   */
  start(options: AgentOptions): Promise<Agent>;
}

/** Capabilities of a driver's agents. The platform decides by these, never by a driver's name. */
export interface AgentCapabilities {
  /** It accepts messages and feedback. Otherwise every turn does the same. */
  readonly conversational: boolean;
  /** Modes that a session may request. */
  readonly modes: readonly Exclude<AgentMode, 'propose'>[];
  /**
   * Caller of its models: the runner in the worker, which gets {@link AgentOptions.model} and the records; a program in the
   * sandbox; or none.
   */
  readonly models: 'worker' | 'sandbox' | 'none';
  /** Offers {@link AgentOptions.tools} to its model. Otherwise it submits outputs through files. */
  readonly takesTools: boolean;
  /** Reads skills from the home directory itself, in addition to its briefing. */
  readonly readsSkillDirectories: boolean;
  /** Its configuration lists all its work ({@link AgentDriver.declaredWork}). */
  readonly declaresWork: boolean;
  /** It has no memory of its own, so its summaries are stored for later sessions. */
  readonly summaryIsMemory: boolean;
}

/** Work listed in an agent's configuration. */
export interface DeclaredWork {
  readonly steps: readonly { readonly run: string; readonly allow_failure?: boolean }[];
  readonly check?: AgentCheck;
}

/** Facts about an installation. */
export interface Installation {
  /** Version of Guildhall. */
  readonly version: string;
  /** The reason why no model is available; `''` if one is. */
  readonly modelProblem: string;
}

/** An agent that a driver can run. */
export interface AgentOffer {
  id: string;
  name: string;
  installed: boolean;
  /** `''` if it is not installed. */
  version: string;
  /** The reason why a session with it would not start, and the remedy; `''` if it would. */
  problem: string;
}

/** A kind of agents: static information about them, and a way to create their runner. */
export interface AgentDriver {
  /** Value of an agent's field `runtime`. */
  readonly id: string;
  readonly capabilities: AgentCapabilities;
  /** Validates an agent's `runtime_config`. */
  problemsOfConfig(config: unknown): SchemaProblem[];
  /** Returns the work that a configuration lists; undefined for an invalid one. With `declaresWork` only. */
  declaredWork?(config: unknown): DeclaredWork | undefined;
  /** Third-party agents, by preset, that an agent with this configuration may start. */
  startedAgents(config: unknown): 'any' | readonly string[];
  /** Tools of an agent, in the form of a blueprint's manifest. */
  tools(config: unknown): { name: string; config: unknown }[];
  /** Lists the agents that it can run here. */
  list(installation: Installation): AgentOffer[];
  /** Absent if this build has no runner. */
  createRunner?(): Promise<AgentRunner>;
}

/** One running agent. */
export interface Agent {
  /**
   * Runs one turn at a time. Rejects only for a lost sandbox, or when a callback of the worker rejects (`record`, `onStep`,
   * `takeMessages`); any other failure is a result. After a resume, a prompt for the turn of the state continues that turn
   * and repeats no finished step.
   */
  prompt(input: AgentPrompt): Promise<AgentResult>;
  /** Ends the running turn, whose prompt resolves with `canceled`. No effect between turns. Never rejects. */
  interrupt(): Promise<void>;
  /** Interrupts the agent and ends its processes in the sandbox. Never rejects. No event follows it. */
  close(): Promise<void>;
}

/** An agent's state as JSON, e.g. a transcript or a counter. Checkpoints store it; only its own runner reads it. */
export type AgentState = Readonly<Record<string, unknown>>;

/** One entry of an agent's memory, as JSON; only its own runner reads it. */
export type AgentRecord = Readonly<Record<string, unknown>>;

export interface AgentOptions {
  sessionId: string;
  sandbox: AgentSandbox;
  settings: AgentSettings;
  /** State from {@link AgentOptions.onStep}, stored with the checkpoint from which the work tree was restored. */
  state?: AgentState;
  /** All records of earlier attempts ({@link AgentOptions.record}), oldest first; may be newer than `state`. */
  records?: readonly AgentRecord[];
  /**
   * The reason why the last recorded turn was interrupted, as the beginning of a sentence, e.g. "The user suspended the session
   * at 2026-11-22 08:15 UTC"; without it the machine was lost.
   */
  interruption?: string;
  /** Access to `settings.model`, for a runtime that calls models itself. */
  model?: AgentModel;
  /** Additional tools, for a runtime that offers tools to a model itself. */
  tools?: readonly AgentTool[];
  /** Masks secrets in a text, e.g. of a file, before a model sees it. The output of commands is masked already. */
  mask?: (text: string) => string;
  /** Like `mask`, for a long text: yields in between. */
  maskLong?: (text: string) => Promise<string>;
  /** Called with each event in order; must not throw. */
  onEvent: (event: AgentEvent) => void;
  /**
   * Called after each step (a model's or a script's), when a checkpoint would lose nothing. The agent waits for it where it
   * can, so that work tree and state match. Must not throw.
   */
  onStep: (state: AgentState) => Promise<void>;
  /**
   * Records entries, from which another worker can resume, together with their events, in one transaction. Resolves when it
   * is committed; rejects when another worker has the session, which ends the turn. Takes a few milliseconds.
   */
  record: (records: readonly AgentRecord[], events: readonly AgentEvent[]) => Promise<void>;
  /** Stores a command's full output as an artifact and returns its id. Call it after the command's end, before its end event. */
  keepOutput: (commandId: string) => Promise<string>;
  /**
   * Returns the reason why the agent may not run a command for `bash -c`; undefined if it may. A runner calls it before each
   * command of the agent, and runs none that is refused. `isFatal` if the turn then fails.
   */
  permit?: (command: string, options?: { isFatal?: boolean }) => Promise<string | undefined>;
  /** The same for writing a file, given by its absolute path; called by a runner that writes files itself. */
  permitFile?: (path: string) => Promise<string | undefined>;
  /** Aborts the start only. */
  signal?: AbortSignal;
}

/**
 * `build` changes the work tree; the others are read-only. `propose` ends with a plan that needs approval before an agent in
 * the mode `build` carries it out.
 */
export type AgentMode = 'build' | 'plan' | 'propose' | 'ask';

/** A model behind the gateway, which adds the key, meters the calls and enforces the budget. */
export interface AgentModel extends ModelName {
  /** The provider's API. */
  kind: ModelKind;
  /** Base URL for the provider's own paths, e.g. `/v1/messages`. */
  url: string;
  /** Identifies the session to the gateway; sent with every call. */
  headers: Record<string, string>;
  /** Size of its context window in tokens, input and output together. */
  contextTokens: number;
}

/** The settings of the session and its version of the agent. */
export interface AgentSettings {
  mode: AgentMode;
  systemPrompt: string;
  /** The session's context, in Markdown with level 1 headings; the same in all turns. */
  briefing: string;
  /** `<provider>/<model>`; `''` if none is configured. */
  model: string;
  maxTokens: number | null;
  /** `null` for the model's default. */
  temperature: number | null;
  /** As stored; the runner validates it. */
  runtimeConfig: unknown;
}

/** A tool that the worker provides: of an MCP server, the browser, or the session's context. */
export interface AgentTool {
  /** `[a-zA-Z0-9_-]{1,64}`; ignored if the runner has a tool of this name. */
  name: string;
  description: string;
  /** JSON Schema of the input, which is an object. */
  input: Readonly<Record<string, unknown>>;
  /** True if it changes nothing, inside or outside the work tree: other modes than `build` have only such tools. */
  readOnly: boolean;
  /** A short title for the log; `input` is unvalidated. */
  title(input: unknown): string;
  /** Rejects with the signal's reason, or when the sandbox is lost; any other failure is a result. */
  run(input: unknown, options: { signal: AbortSignal }): Promise<AgentToolResult>;
}

export interface AgentToolResult {
  ok: boolean;
  /** For the model. */
  output: string;
  /** For a model that accepts images; `data` is base64. */
  images?: readonly { mediaType: string; data: string }[];
  /** The artifact with the complete content. */
  artifactId?: string;
}

export interface AgentPrompt {
  /** The session's turn, from 1. */
  turn: number;
  text: string;
  /** Files that are in the sandbox already. */
  attachments?: AgentAttachment[];
  /**
   * Returns messages since the last call; an agent that can be steered calls it before each model step. Messages that it does
   * not take start the next turn.
   */
  takeMessages?: () => Promise<AgentMessage[]>;
  /** Aborting it is the same as {@link Agent.interrupt}. */
  signal?: AbortSignal;
}

export interface AgentMessage {
  text: string;
  attachments?: AgentAttachment[];
}

export interface AgentAttachment {
  /** A path inside the sandbox. */
  path: string;
  contentType: string;
}

export interface AgentResult {
  /** `awaiting_user`: the agent asked the user something, and the next turn starts with the answer. */
  stopReason: 'end_turn' | 'awaiting_user' | 'canceled' | 'refused' | 'error';
  /** A summary of the work, for the change request; `''` when the agent gives none. */
  summary: string;
  /** With `awaiting_user` in the mode `propose`: the submitted plan. The next turn starts with the decision. */
  plan?: string;
  /** With `error` only. The code becomes the session's. The message is for the session's owner. */
  error?: { code: 'agent_error' | 'model_error' | 'guardrail'; message: string };
}

export type AgentEvent =
  /** A text consists of the deltas of its id in order; the last has `done` and may be empty. */
  | { kind: 'message' | 'thought'; messageId: string; role: 'agent'; delta: string; done: boolean }
  /** A message to the agent from its runner or the worker, not from the user. */
  | { kind: 'told'; text: string }
  /** `readOnly`: it cannot change the work tree, so no checkpoint is needed afterwards. */
  | { kind: 'tool_call'; callId: string; name: string; title: string; input: unknown; readOnly?: boolean }
  /** `files`: the changed files, relative to the work tree; absent if unknown. */
  | {
      kind: 'tool_result';
      callId: string;
      ok: boolean;
      output: unknown;
      artifactId?: string;
      files?: readonly string[];
    }
  /** The whole plan, each time it changes. */
  | { kind: 'plan'; entries: AgentPlanEntry[] }
  /**
   * Emitted twice: at the start with its tool call, and at the end with exit code and duration. `keepOutput` may be called in
   * between.
   */
  | { kind: 'command'; commandId: string; callId?: string; command: string; exitCode?: number; durationMs?: number }
  | { kind: 'output'; commandId: string; stream: 'stdout' | 'stderr'; text: string }
  /** The agent's own report of its usage since the last one; billing uses the gateway's count. */
  | { kind: 'usage'; model: string; inputTokens: number; outputTokens: number; cachedInputTokens: number }
  /** The check that the agent declares; the last one of a session counts. */
  | ({ kind: 'check' } & Required<AgentCheck>)
  /** A warning to the user, e.g. about a retried call or a shortened conversation. */
  | { kind: 'warning'; code: string; message: string };

export interface AgentPlanEntry {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}
