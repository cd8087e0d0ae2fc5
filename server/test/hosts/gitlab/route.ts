import type { TSchema } from 'typebox';
import type { FakeProject, FakeState, FakeToken } from './state.ts';

/** A request whose token, project and parameters were checked. */
export interface FakeCall {
  readonly state: FakeState;
  readonly url: string;
  readonly token: FakeToken;
  /** The project of a path with `{id}`. */
  readonly project: FakeProject;
  readonly number: number;
  /** The other parts of the path by their names, for example `note_id`. */
  readonly names: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface FakeAnswer {
  readonly status: number;
  /** Sent as JSON; a text with `isText` as it is. */
  readonly body: unknown;
  readonly isText?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As in GitLab's OpenAPI document, behind `/api/v4`. */
  readonly path: string;
  /** Accepted query parameters with their values. GitLab ignores others; the fake refuses them, because they are mistakes. */
  readonly query?: Readonly<Record<string, RegExp>>;
  /** The body; the fake refuses other fields. */
  readonly body?: TSchema;
  /** The lowest role in the project. */
  readonly role?: number;
  answer(call: FakeCall): FakeAnswer | Promise<FakeAnswer>;
}

export const pages = { per_page: /^(?:[1-9]\d?|100)$/, page: /^\d+$/ };
export const flag = /^(?:true|false)$/;

/** The role of a token's account in a project; a public one can be read by anybody. */
export function roleIn(project: FakeProject, token: FakeToken): number {
  return project.roles.get(token.username) ?? token.role;
}

export function ok(body: unknown): FakeAnswer {
  return { status: 200, body };
}

/** Answers a page of a list, with the number of pages. */
export function page({ query }: FakeCall, items: readonly unknown[]): FakeAnswer {
  const [size, number] = [Number(query['per_page'] ?? 20), Number(query['page'] ?? 1)];
  const last = Math.max(Math.ceil(items.length / size), 1);
  return { ...ok(items.slice((number - 1) * size, number * size)), headers: { 'x-total-pages': String(last) } };
}

export function refusal(status: number, message: unknown): FakeAnswer {
  return { status, body: { message } };
}
