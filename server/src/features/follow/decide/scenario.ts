import { check, finishTurn, look, newWorld, settle, type World } from './simulation.ts';

/** A course of events of a change request, and the result. */
export interface Scenario {
  name: string;
  run: () => World;
  actions: string[];
  state: string;
  reason?: string;
}

export function scenario(name: string, run: () => World, actions: string[], state: string, reason?: string): Scenario {
  return { name, run, actions, state, ...(reason === undefined ? {} : { reason }) };
}

export function red(world: World, error = 'boom'): World {
  check(world, 'test', 'failure', { error });
  settle(world);
  return world;
}

/** One round for each error, with a commit. */
export function fixing(world: World, ...errors: string[]): World {
  for (const error of errors) {
    red(world, error);
    finishTurn(world, true);
    look(world, 2);
  }
  return world;
}

export function build(make: (world: World) => void, ...args: Parameters<typeof newWorld>): () => World {
  return () => {
    const world = newWorld(...args);
    make(world);
    return world;
  };
}
