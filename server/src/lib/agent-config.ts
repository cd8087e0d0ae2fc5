import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { schemaProblems, type SchemaProblem } from './schema-problems.ts';

/** The runtimes of an agent's turns. */
export const runtimes = ['builtin', 'script', 'acp'] as const;
export type Runtime = (typeof runtimes)[number];

/** The tools of the built-in agent, in the order in which models see them. */
export const builtinTools = ['shell', 'read', 'write', 'edit', 'search', 'plan', 'ask', 'set_check'] as const;

/** An agent runtime of this installation, as `GET /agents/runtimes` lists it. */
export interface AgentRuntime {
  id: string;
  name: string;
  runtime: Runtime;
  installed: boolean;
  /** `''` when it is not installed. */
  version: string;
  /** Why a session with it would fail to start, and the remedy; `''` when it would start. */
  problem: string;
}

const closed = { additionalProperties: false };

/** A path below the workspace: relative, no `.` or `..`, nothing below `.git`. */
const CheckPath = Type.String({
  maxLength: 500,
  pattern: String.raw`^(?!/)(?!\.git(?:/|$))(?!(?:.*/)?\.{1,2}(?:/|$))[^\u0000-\u001f\\]+$`,
});

/** The agent's check: a command that fails before the work and passes after it, and its new files. */
export const AgentCheck = Type.Object(
  {
    command: Type.String({ minLength: 1, maxLength: 10_000 }),
    files: Type.Optional(
      Type.Array(Type.Object({ path: CheckPath, content: Type.String({ maxLength: 1_000_000 }) }, closed), {
        maxItems: 100,
      }),
    ),
  },
  closed,
);
export type AgentCheck = Static<typeof AgentCheck>;

/** `runtime_config` of the script runtime. */
export const ScriptConfig = Type.Object(
  {
    steps: Type.Array(
      Type.Object(
        {
          run: Type.String({ minLength: 1, maxLength: 100_000 }),
          allow_failure: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      { minItems: 1, maxItems: 100 },
    ),
    summary: Type.String({ maxLength: 10_000 }),
    check: Type.Optional(AgentCheck),
  },
  closed,
);
export type ScriptConfig = Static<typeof ScriptConfig>;

export const acpPresets = ['claude-code', 'codex', 'opencode', 'gemini', 'qwen', 'custom'] as const;
export type AcpPreset = (typeof acpPresets)[number];

/** `runtime_config` of the acp runtime; `command` and `args` replace the preset's, and `custom` has none of its own. */
const AcpConfig = Type.Object(
  {
    preset: Type.Unsafe<AcpPreset>({ type: 'string', enum: acpPresets }),
    command: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    args: Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100 })),
  },
  closed,
);
export type AcpConfig = Static<typeof AcpConfig>;

/** The rule for a path of a check. */
const pathRule = 'must be a path below the workspace, without ".." and not below ".git"';

/** Returns the problems of an agent's `runtime_config`; `builtin` has no settings, so its config is not checked. */
export function problemsOfConfig(runtime: Runtime, config: unknown): SchemaProblem[] {
  if (runtime === 'builtin') {
    return [];
  }
  if (runtime === 'script') {
    return schemaProblems(ScriptConfig, config, pathRule);
  }
  if (Value.Check(AcpConfig, config) && config.preset === 'custom' && config.command === undefined) {
    return [{ path: '/command', message: 'is required with the preset "custom"' }];
  }
  return schemaProblems(AcpConfig, config, pathRule);
}

/** Returns the problems of a check that an agent declares. */
export function problemsOfCheck(check: unknown): SchemaProblem[] {
  return schemaProblems(AgentCheck, check, pathRule);
}
