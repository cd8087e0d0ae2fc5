import type { AgentCheck } from '../../lib/agent-config.ts';
import type { AgentSandbox } from './sandbox.ts';
import type { ModelKind, ModelName } from '../../lib/models.ts';
import type { SchemaProblem } from '../../lib/schema-problems.ts';

/**
 * What runs an agent: one implementation per runtime (`builtin`, `acp`, `script`), any number of agents each. An agent
 * works in one sandbox that it never owns; it is started once per attempt of a session and prompted once per turn.
 */
export interface AgentRunner {
  /** Its driver's. */
  readonly capabilities: AgentCapabilities;
  /**
   * Starts an agent, or with a `state` resumes one where it was. Throws `ProviderError`: not retryable when the
   * configuration cannot work (the message says why), retryable when the sandbox or a service failed.
   */
  start(options: AgentOptions): Promise<Agent>;
}

/** What the platform may expect of the agents of a driver; it asks this and never for a driver's name. */
export interface AgentCapabilities {
  /** It can be told something: a message, or that its work did not pass. Otherwise a turn does the same every time. */
  readonly conversational: boolean;
  /** The modes that a session may ask for. */
  readonly modes: readonly Exclude<AgentMode, 'propose'>[];
  /**
   * Where its models are called from: by the runner in the worker, which is given {@link AgentOptions.model} and its
   * records; by a program in the sandbox; or it calls none.
   */
  readonly models: 'worker' | 'sandbox' | 'none';
  /** Offers {@link AgentOptions.tools} to its model. Otherwise what it has to hand in goes through files. */
  readonly takesTools: boolean;
  /** Looks for skills in the home directory, beside what its briefing says. */
  readonly readsSkillDirectories: boolean;
  /** Its configuration says all that it will do ({@link AgentDriver.declaredWork}). */
  readonly declaresWork: boolean;
  /** It keeps no memory of its own, so the summaries of its turns are kept for later sessions. */
  readonly summaryIsMemory: boolean;
}

/** What an agent's configuration says that it will do. */
export interface DeclaredWork {
  readonly steps: readonly { readonly run: string; readonly allow_failure?: boolean }[];
  readonly check?: AgentCheck;
}

/** What an installation knows of itself. */
export interface Installation {
  /** The product's. */
  readonly version: string;
  /** Why no model is within reach; `''` while one is. */
  readonly modelProblem: string;
}

/** One thing that a driver can run. */
export interface AgentOffer {
  id: string;
  name: string;
  installed: boolean;
  /** `''` when it is not installed. */
  version: string;
  /** Why a session with it would not start and what to do, `''` when it would. */
  problem: string;
}

/** A kind of agents: what is known of them without running one, and how to get their runner. */
export interface AgentDriver {
  /** As an agent's field `runtime` names it. */
  readonly id: string;
  readonly capabilities: AgentCapabilities;
  /** What is wrong with an agent's `runtime_config`. */
  problemsOfConfig(config: unknown): SchemaProblem[];
  /** What a configuration declares; undefined for one that is not valid. With `declaresWork` only. */
  declaredWork?(config: unknown): DeclaredWork | undefined;
  /** The agents of others, by their preset, that one with this configuration may start. */
  startedAgents(config: unknown): 'any' | readonly string[];
  /** The tools of an agent, as a blueprint's manifest names them. */
  tools(config: unknown): { name: string; config: unknown }[];
  /** What it can run here. */
  list(installation: Installation): AgentOffer[];
  /** Absent where this build has none. */
  createRunner?(): Promise<AgentRunner>;
}

/** One running agent. */
export interface Agent {
  /**
   * Runs one turn; one at a time. Rejects only when the sandbox is lost, or with what the worker rejected a call of its
   * own with (`record`, `onStep`, `takeMessages`); whatever else goes wrong is a result. After a resume, a prompt for the
   * turn in which the state was taken goes on with it and repeats no finished step.
   */
  prompt(input: AgentPrompt): Promise<AgentResult>;
  /** Ends the running turn, whose prompt resolves with `canceled`; nothing happens between turns. Never fails. */
  interrupt(): Promise<void>;
  /** Interrupts and ends what the agent started in the sandbox. Never fails; nothing is emitted after it. */
  close(): Promise<void>;
}

/** An agent's position as JSON: a transcript, a counter. Checkpoints keep it; only its own runner reads it. */
export type AgentState = Readonly<Record<string, unknown>>;

/** One entry of what an agent remembers, as JSON; only the runner that made it reads it. */
export type AgentRecord = Readonly<Record<string, unknown>>;

export interface AgentOptions {
  sessionId: string;
  sandbox: AgentSandbox;
  settings: AgentSettings;
  /** From {@link AgentOptions.onStep}: the one of the checkpoint that the work tree was restored from. */
  state?: AgentState;
  /** Everything that {@link AgentOptions.record} kept in earlier attempts, oldest first; it may be ahead of `state`. */
  records?: readonly AgentRecord[];
  /**
   * Why the turn in which the records end was cut short, as the beginning of a sentence, e.g. "Your person suspended the
   * session at 2026-11-22 08:15 UTC"; without it the machine was lost.
   */
  interruption?: string;
  /** The way to the model that `settings.model` names, for a runtime that calls models itself. */
  model?: AgentModel;
  /** Tools beside the runner's own, for a runtime that offers tools to a model itself. */
  tools?: readonly AgentTool[];
  /** Takes what must not be shown out of a text: of files, for one, before a model is told. What commands print is masked. */
  mask?: (text: string) => string;
  /** The same for a text that may be long: meanwhile others have their turns. */
  maskLong?: (text: string) => Promise<string>;
  /** Called with each event in order; must not throw. */
  onEvent: (event: AgentEvent) => void;
  /**
   * Called when a step (a model step, a script's step) is finished and a checkpoint would lose nothing. The agent waits
   * for it where it can, so that the work tree is the one that the state belongs to; must not throw.
   */
  onStep: (state: AgentState) => Promise<void>;
  /**
   * Keeps entries for whoever goes on after a loss, and emits events with them: both or neither is on record. Resolves
   * when they are; rejects when the session is another worker's, and then the turn is over. Costs a few milliseconds.
   */
  record: (records: readonly AgentRecord[], events: readonly AgentEvent[]) => Promise<void>;
  /** Keeps all of the output of a command as an artifact and answers its id: when it has ended, before its end is told. */
  keepOutput: (commandId: string) => Promise<string>;
  /** Aborts the start only. */
  signal?: AbortSignal;
}

/**
 * `build` changes the work tree; the others only look at it. `propose` ends with a plan that somebody has to approve before
 * another agent, in the mode `build`, carries it out.
 */
export type AgentMode = 'build' | 'plan' | 'propose' | 'ask';

/** A model within reach: through the gateway, which adds the key, meters the calls and holds the budget. */
export interface AgentModel extends ModelName {
  /** The API of its provider. */
  kind: ModelKind;
  /** Followed by the provider's own path with its version, e.g. `/v1/messages`. */
  url: string;
  /** Identifies the session to the gateway; sent with every call. */
  headers: Record<string, string>;
  /** Tokens that fit into its context window, input and output together. */
  contextTokens: number;
}

/** The settings of the session and its version of the agent. */
export interface AgentSettings {
  mode: AgentMode;
  systemPrompt: string;
  /** The context of the session, in Markdown with headings of the first level: the same in all turns. */
  briefing: string;
  /** `<provider>/<model>`; `''` when none is configured. */
  model: string;
  maxTokens: number | null;
  /** `null` is the model's own default. */
  temperature: number | null;
  /** As stored; the runner checks it. */
  runtimeConfig: unknown;
}

/** A tool that the worker brings: of a tool server, of the browser, of what a session was given to know. */
export interface AgentTool {
  /** `[a-zA-Z0-9_-]{1,64}`; one that the runner's own tools have already is left out. */
  name: string;
  description: string;
  /** JSON Schema of the input, which is an object. */
  input: Readonly<Record<string, unknown>>;
  /** True if it changes nothing inside or outside the work tree: modes other than `build` have only such tools. */
  readOnly: boolean;
  /** A few words for a person who reads along; `input` is whatever the model sent. */
  title(input: unknown): string;
  /** Rejects with the signal's reason, or when the sandbox is lost; whatever else goes wrong is a result. */
  run(input: unknown, options: { signal: AbortSignal }): Promise<AgentToolResult>;
}

export interface AgentToolResult {
  ok: boolean;
  /** For the model. */
  output: string;
  /** For a model that sees; `data` is base64. */
  images?: readonly { mediaType: string; data: string }[];
  /** The artifact with the complete content. */
  artifactId?: string;
}

export interface AgentPrompt {
  /** The session's turn, from 1. */
  turn: number;
  text: string;
  /** Files that lie in the sandbox already. */
  attachments?: AgentAttachment[];
  /**
   * The messages that came since the last call; an agent that can be steered asks before each model step. What it does
   * not take becomes the next turn.
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
  /** `awaiting_user`: the agent asked its person something, and the next turn begins with the answer. */
  stopReason: 'end_turn' | 'awaiting_user' | 'canceled' | 'refused' | 'error';
  /** A summary of the work, for the change request; `''` when the agent gives none. */
  summary: string;
  /** With `awaiting_user` in the mode `propose`: the plan that was handed in. The next turn begins with what is decided. */
  plan?: string;
  /** With `error` only. The code becomes the session's. The message is for the session's owner. */
  error?: { code: 'agent_error' | 'model_error'; message: string };
}

export type AgentEvent =
  /** A text is the deltas of its id in order; the last has `done` and may be empty. */
  | { kind: 'message' | 'thought'; messageId: string; role: 'agent'; delta: string; done: boolean }
  /** A message to the agent from its runner or the worker, not from its person. */
  | { kind: 'told'; text: string }
  /** `readOnly`: it cannot change the work tree, so there is no need to look at it afterwards. */
  | { kind: 'tool_call'; callId: string; name: string; title: string; input: unknown; readOnly?: boolean }
  /** `files`: what the call changed, below the work tree; absent where it may have been anything. */
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
   * Twice: at the start, with the tool call that it is of, and at the end with exit code and duration. Whether all of its
   * output is to be kept is said between the two.
   */
  | { kind: 'command'; commandId: string; callId?: string; command: string; exitCode?: number; durationMs?: number }
  | { kind: 'output'; commandId: string; stream: 'stdout' | 'stderr'; text: string }
  /** The agent's own report of its usage since the last one; billing uses the gateway's count. */
  | { kind: 'usage'; model: string; inputTokens: number; outputTokens: number; cachedInputTokens: number }
  /** The check that the agent declares; the last one of a session counts. */
  | ({ kind: 'check' } & Required<AgentCheck>)
  /** Something the session's person should know: a call that is tried again, a conversation that was shortened. */
  | { kind: 'warning'; code: string; message: string };

export interface AgentPlanEntry {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}
