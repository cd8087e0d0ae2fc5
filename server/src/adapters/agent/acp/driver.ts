import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { pathRule } from '../../../lib/agent-config.ts';
import { schemaProblems } from '../../../lib/schema-problems.ts';
import type { AgentDriver } from '../port.ts';

const closed = { additionalProperties: false };

export const acpPresets = ['claude-code', 'codex', 'opencode', 'gemini', 'qwen', 'custom'] as const;
type AcpPreset = (typeof acpPresets)[number];

/** `runtime_config` of the acp runtime; `command` and `args` replace the preset's, and `custom` has none of its own. */
const AcpConfig = Type.Object(
  {
    preset: Type.Unsafe<AcpPreset>({ type: 'string', enum: acpPresets }),
    command: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    args: Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 100 })),
  },
  closed,
);

/** The presets of the acp runtime: display names, and the npm packages that speak the protocol. */
const acpAgents: { preset: AcpPreset; name: string; package: string }[] = [
  { preset: 'claude-code', name: 'Claude Code', package: '@agentclientprotocol/claude-agent-acp' },
  { preset: 'codex', name: 'Codex', package: '@agentclientprotocol/codex-acp' },
  { preset: 'opencode', name: 'opencode', package: 'opencode-ai' },
  { preset: 'gemini', name: 'Gemini CLI', package: '@google/gemini-cli' },
  { preset: 'qwen', name: 'Qwen Code', package: '@qwen-code/qwen-code' },
];

const notInThisBuild = 'This version of Guildhall cannot run this agent yet';

const Preset = Type.Object({ preset: Type.String() });

/** Third-party agents that speak the Agent Client Protocol. This version cannot run them. */
export const acpDriver = {
  id: 'acp',
  capabilities: {
    conversational: true,
    modes: ['build', 'plan', 'ask'],
    models: 'sandbox',
    takesTools: false,
    readsSkillDirectories: true,
    declaresWork: false,
    summaryIsMemory: false,
  },
  problemsOfConfig(config) {
    if (Value.Check(AcpConfig, config) && config.preset === 'custom' && config.command === undefined)
      return [{ path: '/command', message: 'is required with the preset "custom"' }];
    return schemaProblems(AcpConfig, config, pathRule);
  },
  startedAgents: (config) => (Value.Check(Preset, config) ? [config.preset] : []),
  tools: (config) => [{ name: 'acp', config }],
  list: () =>
    acpAgents.map(({ preset, name, package: packageName }) => ({
      id: preset,
      name,
      installed: false,
      version: '',
      problem: `${notInThisBuild}: it needs the npm package ${packageName}.`,
    })),
} as const satisfies AgentDriver;
