import type { HostConnection } from '../connection.ts';

/** A request to GitLab's REST API, version 4. */
export interface GitlabRequest {
  readonly method?: 'POST' | 'PUT';
  /** Behind `/api/v4/`, or for `inProject` behind the project; its parts are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** True if 401 also means that the account lacks a role. */
  readonly isRoleChecked?: boolean;
}

/** The answer to a request that GitLab accepted or refused; any other became an error. */
export interface GitlabAnswer {
  readonly status: number;
  /** Parsed JSON; undefined if there was none. */
  readonly body: unknown;
  readonly connection: HostConnection;
}
