import type { Agent, AgentModel, AgentRunner, AgentState } from '../../../adapters/agent/port.ts';
import type { AgentSandbox } from '../../../adapters/agent/sandbox.ts';
import { recordsOf } from '../../../features/sessions/run/takeover-service.ts';
import { describeModel } from '../../../gateway/model/prices.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { resolveModel, type Model } from '../../../lib/models.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { RunFailed } from '../attempt/control.ts';
import type { AgentSnapshot } from '../checkpoints/agent-snapshot.ts';
import { execMasked } from '../log/masked-exec.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';
import { SandboxDiskFailed, type SessionSandbox } from '../workspace/sandboxes.ts';
import { permitCommand, permitFile } from './tool-guard.ts';
import type { Workspace } from './workspace.ts';

/** Returns the workspace's agent. Starts it if it does not run, with its state from the last checkpoint. */
export async function startAgent(attempt: Attempt, workspace: Workspace, runner: AgentRunner): Promise<Agent> {
  if (workspace.agent !== undefined) return workspace.agent;
  const { ctx, run, session, agent, control } = attempt;
  const { models, takesTools } = attempt.driver.capabilities;
  const { log, checkpoints, output } = workspace;
  const { memory } = checkpoints;
  const model = models === 'worker' ? agentModel(attempt, workspace.checkoutSet) : undefined;
  const records = model === undefined ? [] : await recordsOf(ctx, run);
  const { briefing, tools } = await workspace.context.ready;
  const { checkouts } = workspace.checkoutSet;
  const places = { workspace: workspace.sessionSandbox.sandbox.workspace, checkouts };
  const started = await start();
  attempt.resources.onClose(() => started.close());
  workspace.agent = started;
  return started;

  async function start(): Promise<Agent> {
    try {
      return await runner.start({
        sessionId: session.id,
        interruption: attempt.progress.takeInterruption(),
        sandbox: agentSandbox(attempt, workspace.sessionSandbox),
        mask: (text) => attempt.secrets.mask.text(text),
        maskLong: (text) => attempt.secrets.mask.longText(text),
        settings: {
          mode: attempt.mode,
          systemPrompt: attempt.secrets.mask.text(agent.system_prompt),
          briefing,
          model: wantedModel(attempt),
          maxTokens: agent.max_tokens,
          temperature: agent.temperature,
          runtimeConfig: agent.runtime_config,
        },
        ...(memory === undefined ? {} : { state: memory.state }),
        ...(model === undefined ? {} : { model, records }),
        ...(takesTools ? { tools: [...output.tools, ...tools] } : {}),
        onEvent: (event) => log.write(event),
        onStep: async (state) => {
          log.active = false;
          // A resumed attempt does not repeat this step, so its output is recorded now. A failed read is repeated at the turn's end.
          await output.collect(workspace.sessionSandbox).catch((error: unknown) => {
            ctx.log.warn({ session: session.id, reason: messageOf(error) }, 'failed to collect the output of a step');
          });
          await log.commandsWritten();
          await checkpoints.take(createSnapshot(attempt, workspace, state)).catch((error: unknown) => {
            // Nothing that follows could be saved.
            if (error instanceof SandboxDiskFailed) throw error;
            // It is retried before delivery; until then the earlier checkpoint remains.
            log.active = true;
            ctx.log.warn({ session: session.id, reason: messageOf(error) }, 'failed to take a checkpoint of a step');
          });
        },
        record: (entries, events) => log.record(events, entries),
        keepOutput: (commandId) => log.keepOutput(commandId),
        permit: (command, options) => permitCommand(attempt, command, options),
        permitFile: (path) => permitFile(attempt, places, path),
        signal: control.signal,
      });
    } catch (error) {
      if (error instanceof ProviderError && !error.retryable) throw new RunFailed('agent_error', error.message);
      throw error;
    }
  }
}

/** The agent's part of a checkpoint. */
function createSnapshot(attempt: Pick<Attempt, 'progress'>, workspace: Workspace, state: AgentState): AgentSnapshot {
  const { check } = workspace.log;
  return { turn: attempt.progress.round, state, ...(check === undefined ? {} : { check }) };
}

/** The model of the session, of its agent, or the organization's default, in this order. */
function wantedModel({ session, agent, models }: Pick<Attempt, 'session' | 'agent' | 'models'>): string {
  return session.model || agent.model || models.default;
}

/** Returns the session's model. Throws RunFailed if it is not configured. */
export function requireModel(attempt: Pick<Attempt, 'session' | 'agent' | 'models'>): Model {
  const { ok, problem } = resolveModel(attempt.models, wantedModel(attempt));
  if (ok === undefined) throw new RunFailed('model_error', problem);
  return ok;
}

/** The session's model, reached through the gateway endpoint. */
function agentModel(attempt: Pick<Attempt, 'session' | 'agent' | 'models'>, { endpoint }: CheckoutSet): AgentModel {
  const model = requireModel(attempt);
  const { name: provider, kind } = model.provider;
  return { provider, kind, name: model.name, ...endpoint.hostModel(provider), ...describeModel(model) };
}

/**
 * The agent's interface to its sandbox. Adds the sandbox's variables to each command, and masks what commands print, so that
 * no model sees a secret. Files are not masked, so that they can be edited.
 */
function agentSandbox({ secrets }: Pick<Attempt, 'secrets'>, sessionSandbox: SessionSandbox): AgentSandbox {
  const { sandbox } = sessionSandbox;
  return {
    gatewayUrl: sandbox.gatewayUrl,
    workspace: sandbox.workspace,
    home: sandbox.home,
    exec: (options) =>
      execMasked(sandbox, secrets.mask, { ...options, env: { ...sessionSandbox.env, ...options.env } }),
    spawn: (options) => sandbox.spawn({ ...options, env: { ...sessionSandbox.env, ...options.env } }),
    readFile: (path, options) => sandbox.readFile(path, options),
    writeFile: (path, content, options) => sandbox.writeFile(path, content, options),
  };
}
