import type { IncomingMessage, ServerResponse } from 'node:http';
import type { World } from './route.ts';

/** Answers a request to a page for people; returns false for any other. */
export type AppPages = (url: URL, request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** The pages of GitHub that create an App of a manifest and install it, each with its one button. */
export function createAppPages({ codes, grants, nextId }: World): AppPages {
  let setupUrl = '';
  return async (url, request, response) => {
    const answer = (status: number, html: string) =>
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(`<title>GitHub</title>${html}`);
    if (/^(?:\/organizations\/[\w-]+)?\/settings\/apps\/new$/.test(url.pathname) && request.method === 'POST') {
      const manifest = manifestIn(await textOf(request));
      if (manifest === undefined) {
        answer(422, '<h1>Invalid GitHub App configuration</h1>');
        return true;
      }
      setupUrl = manifest.setupUrl;
      const code = `code${nextId()}`;
      codes.add(code);
      const fields = hidden('code', code) + hidden('state', url.searchParams.get('state') ?? '');
      const button = `<button>Create GitHub App for ${escape(manifest.name)}</button>`;
      answer(200, `<form action="${escape(manifest.redirectUrl)}">${fields}${button}</form>`);
      return true;
    }
    if (url.pathname === `/github-apps/${grants.app.slug}/installations/new`) {
      const to = new URL(setupUrl);
      to.searchParams.set('installation_id', grants.app.installationId);
      to.searchParams.set('setup_action', 'install');
      answer(200, `<a href="${escape(to.href)}">Install</a>`);
      return true;
    }
    return false;
  };
}

/** Reads what GitHub requires of a manifest; undefined if it lacks something. */
function manifestIn(form: string) {
  const manifest = Object(JSON.parse(new URLSearchParams(form).get('manifest') ?? '{}'));
  const { name, url, hook_attributes: hook, redirect_url: redirectUrl, setup_url: setupUrl } = manifest;
  const texts = [name, url, Object(hook).url, redirectUrl, setupUrl];
  if (texts.some((text) => typeof text !== 'string' || text === '') || String(name).length > 34) return undefined;
  return { name: String(name), redirectUrl: String(redirectUrl), setupUrl: String(setupUrl) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escape(value)}">`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
