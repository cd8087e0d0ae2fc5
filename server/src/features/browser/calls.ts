import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** The calls from an API process to the worker that runs a browser; each is a kind of `ctx.workerCalls`. */
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
/** The element was not found; the caller can name another one. */
export const ProblemAnswer = Type.Object({
  problem: Type.Literal('element_not_found'),
});

/** Parses a message of another process, which may have another version. Throws if it has an unexpected shape. */
export function readAs<T extends TSchema>(schema: T, value: unknown): Static<T> {
  if (!Value.Check(schema, value)) throw new Error('Another process sent an unexpected response.');
  return value;
}
