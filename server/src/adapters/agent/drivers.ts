import { acpDriver } from './acp/driver.ts';
import { builtinDriver } from './builtin/driver.ts';
import type { AgentDriver, AgentOffer, AgentRunner, Installation } from './port.ts';
import { scriptDriver } from './script/driver.ts';

/** All agent drivers. API processes use their static parts; a runner is loaded only when it is created. */
const drivers = [builtinDriver, scriptDriver, acpDriver] as const;

/** Value of an agent's field `runtime`. */
export type Runtime = (typeof drivers)[number]['id'];

export const runtimes: readonly Runtime[] = drivers.map(({ id }) => id);

/** Runtime of an agent without one. */
export const defaultRuntime: Runtime = builtinDriver.id;

const byId = new Map<Runtime, AgentDriver>(drivers.map((driver) => [driver.id, driver]));

/** Returns the driver of a runtime, even if it has no runner here. */
export function agentDriver(runtime: Runtime): AgentDriver {
  const driver = byId.get(runtime);
  if (driver === undefined) throw new Error(`There is no agent driver ${JSON.stringify(runtime)}.`);
  return driver;
}

/** An entry of `GET /agents/runtimes`. */
export interface AgentRuntime extends AgentOffer {
  runtime: Runtime;
}

/** Lists the agents that this installation can run, for `GET /agents/runtimes`. */
export function agentRuntimes(installation: Installation): AgentRuntime[] {
  return drivers.flatMap((driver) => driver.list(installation).map((offer) => ({ ...offer, runtime: driver.id })));
}

/** Creates the runners of all drivers that have one in this build. */
export async function createAgentRunners(): Promise<Partial<Record<Runtime, AgentRunner>>> {
  const runners: Partial<Record<Runtime, AgentRunner>> = {};
  for (const [id, driver] of byId) {
    const runner = await driver.createRunner?.();
    if (runner !== undefined) runners[id] = runner;
  }
  return runners;
}
