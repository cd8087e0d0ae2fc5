import { Type } from 'typebox';
import type { Context } from '../../app/context.ts';
import { route, type Route } from '../../http/route.ts';
import { Id } from '../../http/schema.ts';
import { click, navigate, readContent, takeScreenshot, type } from './action-service.ts';
import {
  BrowserContent,
  BrowserNavigation,
  BrowserPage,
  BrowserScreenshot,
  BrowserSession,
  Click,
  CreateBrowserSession,
  Navigate,
  ReadContent,
  TakeScreenshot,
  TypeText,
} from './schemas.ts';
import { createBrowserSession, deleteBrowserSession, getBrowserSession } from './service.ts';
import * as examples from './examples.ts';

/** Errors that a page can cause. */
const pageErrors = [502, 504];

/** Unversioned. */
export function browserRoutes(ctx: Pick<Context, 'db' | 'clock' | 'workerCalls' | 'blobs' | 'config'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/browser/sessions',
      id: 'createBrowserSession',
      summary: 'Start a browser session',
      description: 'It ends after half an hour, or after five minutes without use. 503 if no worker has Chromium.',
      scope: 'run',
      body: CreateBrowserSession,
      examples: examples.createBrowserSession,
      status: 201,
      answer: BrowserSession,
      handle: ({ caller, body }) => createBrowserSession(ctx, caller, body),
    }),
    route({
      method: 'GET',
      path: '/browser/sessions/:id',
      id: 'getBrowserSession',
      summary: 'Get a browser session',
      description:
        'As of the last call; does not ask the browser. 404 `browser_session_not_found` if it is closed or lost.',
      scope: 'run',
      params: { id: Id },
      status: 200,
      answer: BrowserSession,
      handle: ({ caller, params }) => getBrowserSession(ctx, caller, params.id),
    }),
    route({
      method: 'DELETE',
      path: '/browser/sessions/:id',
      id: 'deleteBrowserSession',
      summary: 'Close a browser session',
      description:
        'Ends all its processes shortly after the response. Screenshots stored as artifacts stay. 404 the second ' +
        'time.',
      scope: 'run',
      params: { id: Id },
      status: 204,
      answer: Type.Null(),
      handle: ({ caller, params }) => deleteBrowserSession(ctx, caller, params.id),
    }),
    route({
      method: 'POST',
      path: '/browser/navigate',
      id: 'navigateBrowser',
      summary: 'Navigate to a URL',
      description:
        'Only http and https; 422 for other schemes. Addresses that are not public are denied (403 ' +
        '`address_not_allowed`), also for redirects and for what a page loads, unless the operator allows them.',
      scope: 'run',
      body: Navigate,
      examples: examples.navigate,
      status: 200,
      answer: BrowserNavigation,
      errors: pageErrors,
      handle: ({ caller, body }) => navigate(ctx, caller, body),
    }),
    route({
      method: 'POST',
      path: '/browser/click',
      id: 'clickInBrowser',
      summary: 'Click an element',
      description: '422 if the page has no such element.',
      scope: 'run',
      body: Click,
      examples: examples.click,
      status: 200,
      answer: BrowserPage,
      errors: pageErrors,
      handle: ({ caller, body }) => click(ctx, caller, body),
    }),
    route({
      method: 'POST',
      path: '/browser/type',
      id: 'typeInBrowser',
      summary: 'Type into an element',
      description: '422 if the page has no such field.',
      scope: 'run',
      body: TypeText,
      examples: examples.typeText,
      status: 200,
      answer: BrowserPage,
      errors: pageErrors,
      handle: ({ caller, body }) => type(ctx, caller, body),
    }),
    route({
      method: 'POST',
      path: '/browser/content',
      id: 'readBrowserContent',
      summary: "Get the page's content",
      description:
        'As text, as a person sees it, or as HTML; truncated to 1 MiB. 404 `browser_session_not_found` if the ' +
        'browser is closed or lost.',
      scope: 'run',
      body: ReadContent,
      examples: examples.readContent,
      status: 200,
      answer: BrowserContent,
      errors: pageErrors,
      handle: ({ caller, body }) => readContent(ctx, caller, body),
    }),
    route({
      method: 'POST',
      path: '/browser/screenshot',
      id: 'takeBrowserScreenshot',
      summary: 'Take a screenshot',
      description:
        "Becomes an artifact if the browser session names a session. 402 `budget_exceeded` if the organization's " +
        'storage is full.',
      scope: 'run',
      body: TakeScreenshot,
      examples: examples.takeScreenshot,
      status: 200,
      answer: BrowserScreenshot,
      errors: [402, ...pageErrors],
      handle: ({ caller, body }) => takeScreenshot(ctx, caller, body),
    }),
  ];
}
