import type { CloneAccess } from '../../../adapters/source-control/port.ts';
import type { StoredRepository } from '../../../features/sessions/schemas/session-schemas.ts';
import type { GatewayEndpoint } from '../../../gateway/gateway.ts';
import type { McpServer } from '../../../gateway/session.ts';
import type { Project } from './project.ts';

/** One repository of the session, or its empty workspace, on this host. */
export interface Checkout {
  readonly index: number;
  /** `''` for an empty workspace. */
  readonly repositoryId: string;
  readonly provider: StoredRepository['provider'];
  readonly repo: string;
  /** The way to it; undefined for an empty workspace. */
  readonly access: CloneAccess | undefined;
  /** Below the workspace; `''` is the workspace itself. */
  readonly directory: string;
  /** Where its mirror is on this host; `''` for an empty workspace. */
  readonly mirror: string;
  /** The generation of the mirror that the attempt holds; `''` before there is one, and for an empty workspace. */
  mirrorPath: string;
  /** The bare repository that holds what this attempt made, and borrows from the mirror. */
  readonly checkpointsPath: string;
  readonly setupCommand: string;
  readonly verifyCommand: string;
  readonly defaultBranch: string;
  readonly branch: string;
  /** `''` in an empty workspace. */
  baseCommit: string;
  /** The upstream branch it began at; `''` when that was a tag or a commit. */
  baseBranch: string;
  project(): Promise<Project>;
}

/** What the gateway leads to below `/mcp/`. */
export class ToolServerRoutes {
  #current: readonly McpServer[] = [];

  /** A new array whenever it changes. */
  get current(): readonly McpServer[] {
    return this.#current;
  }

  replace(servers: readonly McpServer[]): void {
    this.#current = [...servers];
  }
}

/** Where an attempt works: its repositories on this host, and the way out of its sandboxes. */
export interface CheckoutSet {
  /** The tool servers that both doors lead to. */
  readonly toolServers: ToolServerRoutes;
  /** The agent's and the worker's own. */
  readonly door: GatewayEndpoint;
  /** That of sandboxes which run a setup or a check. */
  readonly checkDoor: GatewayEndpoint;
  readonly checkouts: readonly Checkout[];
  /** The base layer that its sandboxes start from. */
  layer: string | undefined;
}

/** Whether every mirror exists already, so that a sandbox that sees them can be started before they are up to date. */
export function hasAllMirrors({ checkouts }: CheckoutSet): boolean {
  return checkouts.every(({ mirror, mirrorPath }) => mirror === '' || mirrorPath !== '');
}
