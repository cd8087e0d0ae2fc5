import type { HostConnection } from '../connection.ts';

/** A request to GitLab's REST API, version 4. */
export interface GitlabRequest {
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  /** Behind `/api/v4/`, or for `inProject` behind the project; its parts are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** True if 401 also means that the account lacks a role. */
  readonly isRoleChecked?: boolean;
  /** Takes the end of a text, at most this many bytes, instead of JSON. */
  readonly tailBytes?: number;
}

/** The answer to a request that GitLab accepted or refused; any other became an error. */
export interface GitlabAnswer {
  readonly status: number;
  /** Parsed JSON; undefined if there was none. A text with `tailBytes`. */
  readonly body: unknown;
  /** The number of a list's pages; undefined if GitLab did not say. */
  readonly pages: number | undefined;
  readonly connection: HostConnection;
}
