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
import type { SessionSandbox } from '../workspace/sandboxes.ts';
import type { Workspace } from './workspace.ts';

/** The agent of the workspace; started, or resumed with what it remembered, when it does not run. */
export async function startAgent(attempt: Attempt, workspace: Workspace, runner: AgentRunner): Promise<Agent> {
  if (workspace.agent !== undefined) return workspace.agent;
  const { ctx, run, session, agent, control } = attempt;
  const { models, takesTools } = attempt.driver.capabilities;
  const { log, checkpoints, output } = workspace;
  const { memory } = checkpoints;
  const model = models === 'worker' ? modelOf(attempt, workspace.checkoutSet) : undefined;
  const records = model === undefined ? [] : await recordsOf(ctx, run);
  const { briefing, tools } = await workspace.context.ready;
  const seated = await start();
  attempt.resources.onClose(() => seated.close());
  workspace.agent = seated;
  return seated;

  async function start(): Promise<Agent> {
    try {
      return await runner.start({
        sessionId: session.id,
        interruption: attempt.progress.takeInterruption(),
        sandbox: narrowed(attempt, workspace.sessionSandbox),
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
          // A step that is not taken again leaves its output behind; what cannot be read now is read at the turn's end.
          await output.collect(workspace.sessionSandbox).catch((error: unknown) => {
            ctx.log.warn({ session: session.id, reason: messageOf(error) }, 'an output was not collected');
          });
          await log.told();
          await checkpoints.take(remember(attempt, workspace, state)).catch((error: unknown) => {
            // It is tried again before anything is delivered; until then an earlier checkpoint holds.
            log.active = true;
            ctx.log.warn({ session: session.id, reason: messageOf(error) }, 'a step has no checkpoint');
          });
        },
        record: (entries, events) => log.record(events, entries),
        keepOutput: (commandId) => log.keepOutput(commandId),
        signal: control.signal,
      });
    } catch (error) {
      if (error instanceof ProviderError && !error.retryable) throw new RunFailed('agent_error', error.message);
      throw error;
    }
  }
}

/** What a checkpoint is to keep of the agent. */
function remember(attempt: Pick<Attempt, 'progress'>, workspace: Workspace, state: AgentState): AgentSnapshot {
  const { check } = workspace.log;
  return { turn: attempt.progress.round, state, ...(check === undefined ? {} : { check }) };
}

/** The model that the session names, or its agent, or the default. */
function wantedModel({ session, agent, models }: Pick<Attempt, 'session' | 'agent' | 'models'>): string {
  return session.model || agent.model || models.default;
}

/** The model that the session uses. One that is not configured ends the session. */
export function requireModel(attempt: Pick<Attempt, 'session' | 'agent' | 'models'>): Model {
  const { ok, problem } = resolveModel(attempt.models, wantedModel(attempt));
  if (ok === undefined) throw new RunFailed('model_error', problem);
  return ok;
}

/** The way to the session's model through its door. */
function modelOf(attempt: Pick<Attempt, 'session' | 'agent' | 'models'>, { door }: CheckoutSet): AgentModel {
  const model = requireModel(attempt);
  const { name: provider, kind } = model.provider;
  return { provider, kind, name: model.name, ...door.hostModel(provider), ...describeModel(model) };
}

/**
 * What an agent may do with its sandbox, with the sandbox's variables in the environment of all it starts. What commands print
 * is masked, so that no model is told a secret; files are as they are, so that they can be edited.
 */
function narrowed({ secrets }: Pick<Attempt, 'secrets'>, sessionSandbox: SessionSandbox): AgentSandbox {
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
