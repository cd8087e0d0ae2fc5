import type { Resource } from './names.ts';

/** Every error code of the API, with its HTTP status. `<resource>_not_found` codes come from {@link notFound}. */
export const errorStatus = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_cursor: 400,
  prompt_required: 400,
  content_required: 400,
  content_too_large: 400,
  title_too_long: 400,
  unknown_namespace: 400,
  invalid_schedule: 400,
  tag_not_allowed: 400,
  unauthorized: 401,
  key_expired: 401,
  key_revoked: 401,
  invalid_credentials: 401,
  budget_exceeded: 402,
  forbidden: 403,
  ip_not_allowed: 403,
  guardrail_blocked: 403,
  memory_read_only: 403,
  address_not_allowed: 403,
  not_found: 404,
  conflict: 409,
  already_decided: 409,
  already_revoked: 409,
  branch_conflict: 409,
  change_request_closed: 409,
  connection_in_use: 409,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  invalid_transition: 409,
  last_admin: 409,
  merge_conflict: 409,
  organization_busy: 409,
  organization_deleting: 409,
  repository_exists: 409,
  repository_in_use: 409,
  not_supported: 409,
  run_terminal: 409,
  sandbox_not_running: 409,
  secret_exists: 409,
  session_active: 409,
  session_terminal: 409,
  slug_taken: 409,
  stale_fencing_token: 409,
  unknown_fencing_token: 409,
  would_lock_out: 409,
  stream_expired: 410,
  revision_conflict: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  upgrade_required: 426,
  rate_limited: 429,
  internal_error: 500,
  navigation_failed: 502,
  upstream_error: 502,
  capacity_unavailable: 503,
  navigation_timeout: 504,
} as const;

export type ErrorCode = keyof typeof errorStatus | `${Resource}_not_found`;

/** Returns the HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return isFixedCode(code) ? errorStatus[code] : 404;
}

function isFixedCode(code: string): code is keyof typeof errorStatus {
  return Object.hasOwn(errorStatus, code);
}

/** Returns true if a text read back from storage is an error code of the API. */
export function isErrorCode(code: string): code is ErrorCode {
  return isFixedCode(code) || /^[a-z]+(?:_[a-z]+)*_not_found$/.test(code);
}

/** An expected failure. The message is for the caller and never holds a secret. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Machine-readable additions, e.g. `{allowed: ['a']}`. */
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details?: Record<string, unknown>) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

/** The 404 of a resource: the same whether the id is unknown or belongs to another organization. */
export function notFound(resource: Resource, id: string): AppError {
  return new AppError(
    `${resource}_not_found`,
    `No ${resource.replaceAll('_', ' ').replace(/^(?:mcp|ip) /, (name) => name.toUpperCase())} ${JSON.stringify(id)} exists here.`,
  );
}

/** Creates the operator's error for an e-mail that no member of the chosen organization has. */
export function noMember(email: string, organization: string): AppError {
  return new AppError(
    'user_not_found',
    `No user ${JSON.stringify(email)} exists in the organization ${JSON.stringify(organization)}. Choose another one with --org.`,
  );
}

/** A failure of an external system: a git host, a model, a blob store, a sandbox. */
export class ProviderError extends Error {
  /** True when the same call may succeed later. */
  readonly retryable: boolean;

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    this.retryable = options.retryable;
  }
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the `code` of an error of the system or of a library; `''` for none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
