import { acpDriver } from './acp/driver.ts';
import { builtinDriver } from './builtin/driver.ts';
import type { AgentDriver, AgentOffer, AgentRunner, Installation } from './port.ts';
import { scriptDriver } from './script/driver.ts';

/** Everything that runs agents. What is static of a driver is known to API processes too; its runner loads when it is made. */
const drivers = [builtinDriver, scriptDriver, acpDriver] as const;

/** What an agent's field `runtime` names. */
export type Runtime = (typeof drivers)[number]['id'];

export const runtimes: readonly Runtime[] = drivers.map(({ id }) => id);

/** Of an agent that names none. */
export const defaultRuntime: Runtime = builtinDriver.id;

const byId = new Map<Runtime, AgentDriver>(drivers.map((driver) => [driver.id, driver]));

/** The driver of a runtime, also of one that has no runner here. */
export function agentDriver(runtime: Runtime): AgentDriver {
  const driver = byId.get(runtime);
  if (driver === undefined) throw new Error(`There is no agent driver ${JSON.stringify(runtime)}.`);
  return driver;
}

/** One thing that can run agents here, as `GET /agents/runtimes` lists it. */
export interface AgentRuntime extends AgentOffer {
  runtime: Runtime;
}

/** What can run agents here, for `GET /agents/runtimes`. */
export function agentRuntimes(installation: Installation): AgentRuntime[] {
  return drivers.flatMap((driver) => driver.list(installation).map((offer) => ({ ...offer, runtime: driver.id })));
}

/** The runners of all drivers that have one in this build. */
export async function createAgentRunners(): Promise<Partial<Record<Runtime, AgentRunner>>> {
  const runners: Partial<Record<Runtime, AgentRunner>> = {};
  for (const [id, driver] of byId) {
    const runner = await driver.createRunner?.();
    if (runner !== undefined) runners[id] = runner;
  }
  return runners;
}
