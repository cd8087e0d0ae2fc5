import { Agent, request, type IncomingMessage } from 'node:http';
import { script, type Step } from '@guildhall/scripted-model';
import { repository, type Installation } from './agents-installation.ts';

const connections = new Agent({ keepAlive: true });
const sessions = '/v3/organizations/default/sessions';
const usualTurnWithinMs = 120_000;

/** Milliseconds of the clock that all processes of a machine share; the scripted model stamps its words with it. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The client's view of one turn. Times are of {@link sharedNow}. */
export interface SeenTurn {
  sentAt: number;
  /** The first event after the message was sent. */
  firstEventAt: number;
  /** The last event of the agent's last text. */
  repliedAt: number;
  completedAt: number;
  /** The agent's text. */
  text: string;
  /** Commits of the turn's checkpoints. */
  commits: string[];
}

export interface ConversationOptions {
  mode: 'ask' | 'build';
  signal: AbortSignal;
  /** A turn that takes longer has failed; two minutes if absent. */
  turnWithinMs?: number;
  /** Called with each piece of the agent's text as it arrives. */
  onText?: (delta: string, arrivedAt: number) => void;
}

/** A session and its client: messages over the API, events from the stream. */
export class Conversation {
  readonly #installation: Installation;
  readonly #path: string;
  readonly #options: ConversationOptions;
  #stream: IncomingMessage | undefined;
  #rest = '';
  #turn: { seen: SeenTurn; done: PromiseWithResolvers<SeenTurn> } | undefined;
  #trouble = '';

  private constructor(installation: Installation, id: string, options: ConversationOptions) {
    this.#installation = installation;
    this.#path = `${sessions}/${id}`;
    this.#options = options;
  }

  /** Creates a session and plays its first turn, so that sandbox and agent are ready for the next one. */
  static async open(installation: Installation, options: ConversationOptions): Promise<Conversation> {
    const { conversation, seen } = await Conversation.begin(installation, {
      ...options,
      words: 'Say that you are ready.',
      steps: [{ say: 'Ready.' }],
      work: options.mode === 'build' ? { repositories: [{ repo: repository }], deliver: 'none' } : {},
    });
    if (seen.text !== 'Ready.') throw new Error(`The first turn said ${JSON.stringify(seen.text)}.`);
    return conversation;
  }

  /** Creates a session whose first turn plays these steps; resolves when that turn has completed. */
  static async begin(
    installation: Installation,
    { words, steps, work, ...options }: ConversationOptions & { words: string; steps: Step[]; work: object },
  ): Promise<{ conversation: Conversation; seen: SeenTurn }> {
    const sentAt = sharedNow();
    const created = await installation.call('POST', sessions, {
      prompt: `${words}\n\n${script(steps)}`,
      mode: options.mode,
      ...work,
    });
    const conversation = new Conversation(installation, String(created['id']), options);
    const first = conversation.#expect(sentAt);
    await Promise.race([first, conversation.#listen()]);
    return { conversation, seen: await first };
  }

  /** Sends a message for which the model plays these steps; resolves when the turn has completed. */
  async turn(words: string, steps: Step[]): Promise<SeenTurn> {
    const body = JSON.stringify({ content: `${words}\n\n${script(steps)}` });
    const turn = this.#expect();
    await Promise.race([turn, this.#post(body)]);
    return turn;
  }

  close(): void {
    this.#stream?.destroy();
  }

  #expect(sentAt = sharedNow()): Promise<SeenTurn> {
    const done = Promise.withResolvers<SeenTurn>();
    const seen = { sentAt, firstEventAt: 0, repliedAt: 0, completedAt: 0, text: '', commits: [] };
    this.#turn = { seen, done };
    const { turnWithinMs = usualTurnWithinMs } = this.#options;
    const late = setTimeout(() => this.#fail(`A turn took longer than ${turnWithinMs} ms.`), turnWithinMs);
    return done.promise.finally(() => clearTimeout(late));
  }

  #fail(message: string): void {
    this.#turn?.done.reject(new Error(message));
    this.#turn = undefined;
  }

  async #post(body: string): Promise<void> {
    const response = await this.#ask('POST', '/messages', 202, { agent: connections, body });
    response.resume();
  }

  async #listen(): Promise<void> {
    const stream = await this.#ask('GET', '/events/stream', 200, { agent: false });
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => this.#read(chunk, sharedNow()));
    stream.on('error', (error) => this.#fail(`The stream broke: ${error.message}`));
    stream.on('close', () => this.#fail('The stream ended.'));
    this.#stream = stream;
  }

  /** Resolves with the start of the response; failures also end the turn. */
  async #ask(
    method: string,
    path: string,
    status: number,
    { agent, body = '' }: { agent: Agent | false; body?: string },
  ): Promise<IncomingMessage> {
    const { url, key } = this.#installation;
    const headers = { authorization: `Bearer ${key}`, ...(body === '' ? {} : { 'content-type': 'application/json' }) };
    const answered = Promise.withResolvers<IncomingMessage>();
    const { signal } = this.#options;
    request(`${url}${this.#path}${path}`, { method, headers, agent, signal }, answered.resolve)
      .on('error', (error) => {
        answered.reject(error);
        this.#fail(`${method} ${path} failed: ${error.message}`);
      })
      .end(body);
    const response = await answered.promise;
    if (response.statusCode === status) return response;
    const message = `${method} ${path} returned ${response.statusCode}.`;
    this.#fail(message);
    throw new Error(message);
  }

  #read(chunk: string, arrivedAt: number): void {
    const frames = (this.#rest + chunk).split('\n\n');
    this.#rest = frames.pop() ?? '';
    for (const frame of frames) {
      // Without an id, it is the current status or a heartbeat.
      const [, kind = '', data = ''] = /^id: \d+\nevent: (\w+)\ndata: (.*)$/s.exec(frame) ?? [];
      if (data !== '') this.#see(kind, data, arrivedAt);
    }
  }

  #see(kind: string, json: string, arrivedAt: number): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    const { seen } = turn;
    if (seen.firstEventAt === 0) seen.firstEventAt = arrivedAt;
    if (!['message', 'checkpoint', 'status', 'warning', 'error'].includes(kind)) return;
    const data = dataOf(json);
    if (kind === 'message' && data['role'] === 'agent') {
      seen.text += String(data['delta']);
      if (data['done'] === true) seen.repliedAt = arrivedAt;
      this.#options.onText?.(String(data['delta']), arrivedAt);
    }
    if (kind === 'checkpoint') seen.commits.push(String(data['commit']));
    if (kind === 'warning' || kind === 'error') this.#trouble = String(data['message']);
    if (kind !== 'status') return;
    const status = String(data['status']);
    if (status === 'completed') {
      seen.completedAt = arrivedAt;
      this.#turn = undefined;
      turn.done.resolve(seen);
    } else if (!['queued', 'provisioning', 'running'].includes(status)) {
      this.#fail(`The session is ${status} (${String(data['status_detail'])}). ${this.#trouble}`);
    }
  }
}

function dataOf(json: string): Record<string, unknown> {
  const event: unknown = JSON.parse(json);
  if (typeof event !== 'object' || event === null || !('data' in event)) throw new Error(`no event: ${json}`);
  const { data } = event;
  if (typeof data !== 'object' || data === null) throw new Error(`an event without data: ${json}`);
  return { ...data };
}
