import { Agent, request, type IncomingMessage } from 'node:http';
import { Conversation, sharedNow } from './agents-conversation.ts';
import { spreadOf, type Spread } from './agents-figures.ts';
import type { Installation } from './agents-installation.ts';

const connections = new Agent({ keepAlive: true });
const warmTurns = 10;

/** One session at a time, warm, everything durable. All in milliseconds. */
export interface PromptLatency {
  turns: number;
  /** Since the message was sent. */
  firstEvent: Spread;
  reply: Spread;
  completed: Spread;
  /** The lower bound: each turn's own request to the model, repeated directly from the bench. */
  bareModel: Spread;
  /** The difference between a turn and that bound. */
  replyOverModel: Spread;
  completedOverModel: Spread;
}

export interface LatencyOptions {
  installation: Installation;
  count: number;
  signal: AbortSignal;
}

/** Measures how long a user waits for a reply of a model that takes no time. */
export async function benchPrompts({ installation, count, signal }: LatencyOptions): Promise<PromptLatency> {
  const conversation = await Conversation.open(installation, { mode: 'ask', signal });
  const turns: { firstEvent: number; reply: number; completed: number; bare: number }[] = [];
  try {
    for (let number = 1 - warmTurns; number <= count; number += 1) {
      const seen = await conversation.turn('Answer in one sentence.', [{ say: `Reply ${number}.` }]);
      const bare = await callModel(installation, signal);
      if (number < 1) continue;
      turns.push({
        firstEvent: seen.firstEventAt - seen.sentAt,
        reply: seen.repliedAt - seen.sentAt,
        completed: seen.completedAt - seen.sentAt,
        bare: bare.endedAt - bare.sentAt,
      });
    }
  } finally {
    conversation.close();
  }
  return {
    turns: turns.length,
    firstEvent: spreadOf(turns.map(({ firstEvent }) => firstEvent)),
    reply: spreadOf(turns.map(({ reply }) => reply)),
    completed: spreadOf(turns.map(({ completed }) => completed)),
    bareModel: spreadOf(turns.map(({ bare }) => bare)),
    replyOverModel: spreadOf(turns.map(({ reply, bare }) => reply - bare)),
    completedOverModel: spreadOf(turns.map(({ completed, bare }) => completed - bare)),
  };
}

/** Milliseconds from the model's sending of a word to its arrival at the client. */
export interface TokenLatency {
  tokens: number;
  throughServer: Spread;
  /** The lower bound: the same request sent directly to the model. */
  bareModel: Spread;
}

/** Measures the delay of each word of a long reply, at fifty words a second. */
export async function benchTokens({ installation, count, signal }: LatencyOptions): Promise<TokenLatency> {
  const pieces: { text: string; arrivedAt: number }[] = [];
  const onText = (text: string, arrivedAt: number): void => void pieces.push({ text, arrivedAt });
  const conversation = await Conversation.open(installation, { mode: 'ask', signal, onText });
  try {
    pieces.length = 0;
    await conversation.turn('Explain it at length.', [{ tokens: count, token_delay: 20, stamp: true }]);
    const bare = await callModel(installation, signal);
    return {
      tokens: count,
      throughServer: spreadOf(agesOf(pieces, count)),
      bareModel: spreadOf(agesOf(bare.pieces, count)),
    };
  } finally {
    conversation.close();
  }
}

/** Returns the age of each word `<n>@<nanoseconds>` when it was complete. */
function agesOf(pieces: readonly { text: string; arrivedAt: number }[], count: number): number[] {
  const ages: number[] = [];
  let rest = '';
  for (const { text, arrivedAt } of pieces) {
    rest += text;
    for (const [, stamp] of rest.matchAll(/\d+@(\d+) /g)) ages.push(arrivedAt - Number(stamp) / 1e6);
    rest = rest.slice(rest.lastIndexOf(' ') + 1);
  }
  if (ages.length !== count) throw new Error(`Of ${count} words ${ages.length} arrived.`);
  return ages;
}

/** Repeats the model's last request over an open connection. */
async function callModel({ model }: Installation, signal: AbortSignal) {
  const answer = await fetch(String(model.ready['requests_url']), { signal });
  const body = await answer.text();
  const answered = Promise.withResolvers<IncomingMessage>();
  const sentAt = sharedNow();
  request(
    `${String(model.ready['url'])}/v1/chat/completions`,
    { method: 'POST', headers: { 'content-type': 'application/json' }, agent: connections, signal },
    answered.resolve,
  )
    .on('error', answered.reject)
    .end(body);
  const response = await answered.promise;
  if (response.statusCode !== 200) throw new Error(`The model answered ${response.statusCode}.`);
  const pieces: { text: string; arrivedAt: number }[] = [];
  response.setEncoding('utf8');
  for await (const chunk of response) pieces.push({ text: String(chunk), arrivedAt: sharedNow() });
  return { sentAt, endedAt: sharedNow(), pieces };
}
