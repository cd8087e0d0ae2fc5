import type { Mask } from '../lib/mask/mask.ts';
import type { ModelConfig, PriceSource } from '../lib/models.ts';
import type { EgressPurpose, NetworkMode, RefusalReason } from './net/egress.ts';

/** A repository as its provider names it, e.g. `{provider: 'local', repo: 'owner/name'}`; owners may contain slashes. */
export interface RepositoryName {
  readonly provider: string;
  readonly repo: string;
}

/** The ref a session may push: this branch and, if given, only to this commit (40 hexadecimal characters). */
export interface PushRight {
  readonly branch: string;
  readonly commit?: string;
}

export interface GatewayRepository extends RepositoryName {
  /** The clone URL, `http:` or `https:`. A user and password in it never reach the sandbox. */
  readonly remoteUrl: string;
  /**
   * Returns the `Authorization` header for the remote (`Basic …`, `Bearer …`), or undefined for none. Called before every
   * request.
   */
  authorization(): Promise<string | undefined>;
  /** Required to push to the repository. */
  readonly push?: PushRight;
  /** True for the operator's own endpoint (the built-in git host); egress rules do not apply to its address. */
  readonly exempt?: boolean;
}

/** A model call that is about to be made. */
export interface ModelCall {
  /** `<provider>/<name>`. */
  readonly model: string;
  /** Estimated from the request's size, on the high side. */
  readonly inputTokens: number;
  /** The request's output limit, if it has one. */
  readonly maxOutputTokens: number | undefined;
  /** In US dollars per token; undefined when unknown. */
  readonly price: { readonly input: number; readonly output: number } | undefined;
}

/** The usage of a model call as its stream reported it; `inputTokens` include cached ones. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  /** Written to a cache; among the input's. */
  readonly cacheWriteTokens: number;
  /** 0 when there is no price. */
  readonly costUsd: number;
  readonly priceSource: PriceSource;
}

export type ModelPermit =
  | {
      readonly allowed: true;
      /** Lowers the request's own limit to this; `Infinity` keeps it. */
      readonly maxOutputTokens: number;
      /** Releases the reservation. Called exactly once, also for a failed or aborted call. Never rejects. */
      settle(usage: ModelUsage): Promise<void>;
    }
  | { readonly allowed: false; readonly reason: 'lease' | 'budget'; readonly message: string };

/** The models that a session's endpoint offers. */
export interface SessionModels extends Pick<ModelConfig, 'providers' | 'prices'> {
  /** Returns why the session may not use a model named `<provider>/<name>`; `''` when it may. */
  refusal?(model: string): Promise<string>;
}

/** A credential that stays outside of the sandbox: the gateway adds it to requests to its hosts. */
export interface BrokerCredential {
  /** The variable in which programs look for it. It holds a placeholder. */
  readonly name: string;
  /** The variable with the URL of its first host through the gateway; `''` for none. */
  readonly urlVariable: string;
  /** Hosts, `*.suffix`, either with `:port`. */
  readonly allowedHosts: readonly string[];
  /** `git`: for git over HTTP, to fetch; `http`: for any request. */
  readonly use: 'http' | 'git';
  readonly header: { readonly name: string; readonly value: string };
  /** The secrets to mask in responses. */
  readonly values: readonly string[];
}

/** An MCP server of the organization that is reached by URL. Its headers stay outside of the sandbox. */
export interface McpServer {
  readonly slug: string;
  /** `http:` or `https:`, without credentials. */
  readonly url: string;
  /** Sent with every request; secrets are filled in. */
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets to mask in responses. */
  readonly values: readonly string[];
}

export interface GatewaySession {
  readonly id: string;
  /** Returns true while this run holds its lease. Called before every git request, and again before a push completes. */
  holds(): Promise<boolean>;
  readonly repositories: readonly GatewayRepository[];
  /** Undefined for a session without models. */
  readonly models?: SessionModels;
  /** Checks the lease and budget before a model call and reserves its cost. Without it, models are not available. */
  permitModel?(call: ModelCall): Promise<ModelPermit>;
  /** Returns the current mask of texts that model providers must not see; applied to every text of a request. */
  mask?(): Mask;
  /** True when programs in the sandbox may call models (an agent that runs there); otherwise only the worker may. */
  readonly modelsInside?: boolean;
  /** Returns the credentials that stay outside; the same array while they are unchanged. */
  broker?(): readonly BrokerCredential[];
  /** Returns the reachable MCP servers, independent of the network mode; the same array while they are unchanged. */
  mcpServers?(): readonly McpServer[];
  /** The platform's API: its base URL, and the `Authorization` header of the session's key, requested before every call. */
  readonly api?: { readonly url: string; authorization(): Promise<string> };
  /** The purpose of the proxy's connections; default `http`. If set, the endpoint serves nothing but the proxy. */
  readonly purpose?: EgressPurpose;
  readonly network: NetworkMode;
  /** Hosts, `*.suffix`, either with `:port`; used in the mode `allowlist`. */
  readonly allowedHosts: readonly string[];
  /** Receives every push, and each different refusal once, up to 200. Must not throw. */
  onEvent?(event: GatewayEvent): void;
}

/** The way from a worker's sandboxes to its gateway: over sockets on the same machine, or at an address of this machine on their network. */
export type GatewayReach = { readonly by: 'socket' } | { readonly by: 'network'; readonly host: string };

/** One session's way in: a unix socket, or a port where a connection begins with the token and a line feed. */
export type EndpointAddress =
  | { readonly socket: string }
  | { readonly host: string; readonly port: number; readonly token: string };

export interface PushedRef extends RepositoryName {
  readonly ref: string;
  /** The commit that the ref points to now. */
  readonly commit: string;
}

export type GatewayEvent =
  | ({ readonly kind: 'git_push' } & PushedRef)
  | {
      readonly kind: 'refused';
      readonly reason:
        | RefusalReason
        | 'git_policy'
        | 'git_lease'
        | 'git_repository'
        | 'registry'
        | 'model'
        | 'tool_server';
      /** `host:port`, a repository or a path; never a credential. */
      readonly target: string;
      readonly message: string;
    };
