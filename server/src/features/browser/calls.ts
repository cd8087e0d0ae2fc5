import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** What an API process asks the worker in which a browser lives; each is a kind of `ctx.workerCalls`. */
const Id = Type.String();
export const OpenCall = Type.Object({
  id: Id,
  network: Type.Union([Type.Literal('open'), Type.Literal('allowlist')]),
  allowedHosts: Type.Array(Type.String()),
});
export const NavigateCall = Type.Object({ id: Id, url: Type.String() });
export const ClickCall = Type.Object({ id: Id, selector: Type.String() });
export const TypeCall = Type.Object({ id: Id, selector: Type.String(), text: Type.String(), submit: Type.Boolean() });
export const ContentCall = Type.Object({ id: Id, format: Type.Union([Type.Literal('text'), Type.Literal('html')]) });
export const ScreenshotCall = Type.Object({ id: Id, fullPage: Type.Boolean() });

const page = { url: Type.String(), title: Type.String() };
export const PageAnswer = Type.Object(page);
export const NavigateAnswer = Type.Object({ ...page, status: Type.Integer() });
export const ContentAnswer = Type.Object({ ...page, content: Type.String() });
export const ScreenshotAnswer = Type.Object({ ...page, contentType: Type.String(), data: Type.String() });
/** What the page has to do with, and nothing else: the caller can name another one. */
export const ProblemAnswer = Type.Object({
  problem: Type.Literal('element_not_found'),
});

/** Reads what came from the other side, which may be another version of this program. Throws when it is something else. */
export function readAs<T extends TSchema>(schema: T, value: unknown): Static<T> {
  if (!Value.Check(schema, value)) throw new Error('Another process sent an unexpected response.');
  return value;
}
