import type { AcpPreset, AgentRuntime } from '../../lib/agent-config.ts';

/** The presets of the acp runtime: what people call them, and the npm package that speaks the protocol. */
const acpAgents: { preset: AcpPreset; name: string; package: string }[] = [
  { preset: 'claude-code', name: 'Claude Code', package: '@agentclientprotocol/claude-agent-acp' },
  { preset: 'codex', name: 'Codex', package: '@agentclientprotocol/codex-acp' },
  { preset: 'opencode', name: 'opencode', package: 'opencode-ai' },
  { preset: 'gemini', name: 'Gemini CLI', package: '@google/gemini-cli' },
  { preset: 'qwen', name: 'Qwen Code', package: '@qwen-code/qwen-code' },
];

const notInThisBuild = 'This version of Guildhall cannot run it yet';

/** What can run agents here, for `GET /agents/runtimes`. `version` is the product's, `modelProblem` why no model is within reach. */
export async function agentRuntimes(installation: { version: string; modelProblem: string }): Promise<AgentRuntime[]> {
  const { version, modelProblem: problem } = installation;
  return [
    { id: 'builtin', name: 'Built-in agent', runtime: 'builtin', installed: true, version, problem },
    { id: 'script', name: 'Script', runtime: 'script', installed: true, version, problem: '' },
    ...acpAgents.map(({ preset, name, package: packageName }) => ({
      id: preset,
      name,
      runtime: 'acp' as const,
      installed: false,
      version: '',
      problem: `${notInThisBuild}: it will need the npm package ${packageName}.`,
    })),
  ];
}
