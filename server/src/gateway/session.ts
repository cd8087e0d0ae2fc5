import type { Mask } from '../lib/mask/mask.ts';
import type { ModelConfig, PriceSource } from '../lib/models.ts';
import type { EgressPurpose, NetworkMode, RefusalReason } from './net/egress.ts';

/** A repository as its provider names it, e.g. `{provider: 'local', repo: 'owner/name'}`; owners may contain slashes. */
export interface RepositoryName {
  readonly provider: string;
  readonly repo: string;
}

/** The one thing a session may push: this branch and, when given, only to this commit (40 hexadecimal characters). */
export interface PushRight {
  readonly branch: string;
  readonly commit?: string;
}

export interface GatewayRepository extends RepositoryName {
  /** The clone URL, `http:` or `https:`. A user and password in it never reach the sandbox. */
  readonly remoteUrl: string;
  /** The `Authorization` header for the remote (`Basic …`, `Bearer …`), asked before every call; undefined: none. */
  authorization(): Promise<string | undefined>;
  /** Without it the repository cannot be pushed to. */
  readonly push?: PushRight;
  /** The operator's own endpoint (the built-in git host), whose address is not judged by the egress rules. */
  readonly exempt?: boolean;
}

/** A model call as the gateway read it, before it is made. */
export interface ModelCall {
  /** `<provider>/<name>`. */
  readonly model: string;
  /** Estimated from the request's size, rather too many than too few. */
  readonly inputTokens: number;
  /** The most it may answer, when the request says so. */
  readonly maxOutputTokens: number | undefined;
  /** In US dollars per token, as far as they are known. */
  readonly price: { readonly input: number; readonly output: number } | undefined;
}

/** What a model call used, as its stream told; `inputTokens` include the cached ones. */
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
      /** The gateway lowers the request's own limit to this; `Infinity` leaves it as it is. */
      readonly maxOutputTokens: number;
      /** Called exactly once, also for a call that failed or was cut: what was reserved is given back. Never rejects. */
      settle(usage: ModelUsage): Promise<void>;
    }
  | { readonly allowed: false; readonly reason: 'lease' | 'budget'; readonly message: string };

/** What a session's door leads to. */
export interface SessionModels extends Pick<ModelConfig, 'providers' | 'prices'> {
  /** Why the session may not use a model, named `<provider>/<name>`, of one of them; `''` when it may. */
  refusal?(model: string): Promise<string>;
}

/** A credential that stays outside of the sandbox: the gateway adds it to requests for its hosts. */
export interface BrokerCredential {
  /** The variable that programs look for it in; they find a placeholder there. */
  readonly name: string;
  /** The variable that leads to its first host through the gateway; `''` for none. */
  readonly urlVariable: string;
  /** Hosts, `*.suffix`, either with `:port`. */
  readonly allowedHosts: readonly string[];
  /** `git`: for git over HTTP, to fetch; `http`: for any request. */
  readonly use: 'http' | 'git';
  readonly header: { readonly name: string; readonly value: string };
  /** What no answer may show. */
  readonly values: readonly string[];
}

/** A tool server of the organization that is reached by URL. What it is sent beside the client's words stays outside. */
export interface ToolServer {
  readonly slug: string;
  /** `http:` or `https:`, without credentials. */
  readonly url: string;
  /** With secrets in place; they go with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** What no answer may show. */
  readonly values: readonly string[];
}

export interface GatewaySession {
  readonly id: string;
  /** Whether this run still holds its lease; asked before every git call, and again before a push is completed. */
  holds(): Promise<boolean>;
  readonly repositories: readonly GatewayRepository[];
  /** Without it there is none. */
  readonly models?: SessionModels;
  /** Asked before every model call: the lease, the budget, and a reservation. Without it no model is within reach. */
  permitModel?(call: ModelCall): Promise<ModelPermit>;
  /** What no provider of models may be told, as it is now: taken out of every text of a request. */
  mask?(): Mask;
  /** Whether programs in the sandbox may call models (an agent that lives there), or the worker alone. */
  readonly modelsInside?: boolean;
  /** The credentials that stay outside, as they are now; the same array as long as they stay the same. */
  broker?(): readonly BrokerCredential[];
  /** The tool servers within reach, whatever the network mode is, as they are now; the same array while they stay the same. */
  toolServers?(): readonly ToolServer[];
  /** The platform's own API, at its base URL, with the `Authorization` header of the session's key; asked before every call. */
  readonly api?: { readonly url: string; authorization(): Promise<string> };
  /** What its proxy dials for, `http` unless told. With one the door is a proxy and nothing else. */
  readonly purpose?: EgressPurpose;
  readonly network: NetworkMode;
  /** Hosts, `*.suffix`, either with `:port`; used in the mode `allowlist`. */
  readonly allowedHosts: readonly string[];
  /** Told of every push, and of a refusal once, for at most 200 different ones. Must not throw. */
  onEvent?(event: GatewayEvent): void;
}

/** How the sandboxes of a worker reach its gateway: by sockets on the same machine, or at an address of this machine on their network. */
export type GatewayReach = { readonly by: 'socket' } | { readonly by: 'network'; readonly host: string };

/** One session's way in: a unix socket, or a port where a connection begins with the token and a line feed. */
export type DoorAddress =
  | { readonly socket: string }
  | { readonly host: string; readonly port: number; readonly token: string };

export interface PushedRef extends RepositoryName {
  readonly ref: string;
  /** The commit the ref is at now. */
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
