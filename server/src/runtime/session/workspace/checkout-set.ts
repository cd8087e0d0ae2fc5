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
  /** Access to the source control; undefined for an empty workspace. */
  readonly access: CloneAccess | undefined;
  /** Relative to the workspace; `''` for the workspace itself. */
  readonly directory: string;
  /** Path of its mirror on this host; `''` for an empty workspace. */
  readonly mirror: string;
  /** Path of the mirror's generation that the attempt uses; `''` before the first fetch, and for an empty workspace. */
  mirrorPath: string;
  /** Bare repository with the attempt's commits, which borrows objects from the mirror. */
  readonly checkpointsPath: string;
  readonly setupCommand: string;
  readonly verifyCommand: string;
  readonly defaultBranch: string;
  readonly branch: string;
  /** `''` for an empty workspace. */
  baseCommit: string;
  /** The upstream branch of the base commit; `''` for a tag or a commit. */
  baseBranch: string;
  /** The head of the change request that the session begins to continue; `''` for none, and once that is recorded. */
  continuedHead: string;
  project(): Promise<Project>;
}

/** MCP servers that the gateway exposes below `/mcp/`. */
export class McpRoutes {
  #current: readonly McpServer[] = [];

  /** Replaced by a new array on each change. */
  get current(): readonly McpServer[] {
    return this.#current;
  }

  replace(servers: readonly McpServer[]): void {
    this.#current = [...servers];
  }
}

/** An attempt's repositories on this host, and the gateway endpoints of its sandboxes. */
export interface CheckoutSet {
  /** The MCP servers that both endpoints lead to. */
  readonly mcpServers: McpRoutes;
  /** Endpoint of the agent's sandbox and of the worker. */
  readonly endpoint: GatewayEndpoint;
  /** Endpoint of sandboxes that run a setup or a check. */
  readonly checkEndpoint: GatewayEndpoint;
  readonly checkouts: readonly Checkout[];
  /** The base layer that its sandboxes start from. */
  layer: string | undefined;
}

/** True if every mirror exists, so that a sandbox can start before they are updated. */
export function hasAllMirrors({ checkouts }: CheckoutSet): boolean {
  return checkouts.every(({ mirror, mirrorPath }) => mirror === '' || mirrorPath !== '');
}
