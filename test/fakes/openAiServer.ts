import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPrompt {
  model: string;
  messages: { role: string; content: string }[];
}

/** How the server behaves for the next requests. */
export type Behaviour =
  | { kind: 'reply'; text: string | ((prompt: ReceivedPrompt) => string) }
  /** The same, with silence before the first word. */
  | { kind: 'slow'; text: string; afterMs: number }
  | { kind: 'status'; status: number }
  /** HTTP 200 and some text, then the connection is cut. */
  | { kind: 'cut'; text: string }
  /** HTTP 200 and some text, then a clean end without the protocol's. */
  | { kind: 'no-end'; text: string }
  | { kind: 'garbage' }
  /** Sends a word and then waits until the client leaves. */
  | { kind: 'hang'; text: string };

export interface OpenAiServer {
  baseUrl: string;
  /** Every chat prompt that came, in order. */
  prompts: ReceivedPrompt[];
  behave(next: Behaviour): void;
  /** Connections that the client left before the end. */
  left(): number;
  close(): Promise<void>;
}

/** A real HTTP server that speaks as much of OpenAI's protocol as local servers do, and records what it is sent. With `key` it wants that. */
export async function startOpenAiServer(contextTokens = 8_192, key?: string): Promise<OpenAiServer> {
  let behaviour: Behaviour = { kind: 'reply', text: 'Understood.' };
  let left = 0;
  const prompts: ReceivedPrompt[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const json = (body: unknown) =>
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return response.writeHead(401).end('{"error":{"message":"wrong key"}}');
    if (request.url === '/v1/models')
      return json({ object: 'list', data: [{ id: 'small' }, { id: 'large' }] });
    if (request.url?.startsWith('/props'))
      return json({ default_generation_settings: { n_ctx: contextTokens } });
    if (request.url !== '/v1/chat/completions') return response.writeHead(404).end('{}');
    let body = '';
    for await (const part of request) body += String(part);
    const prompt = JSON.parse(body) as ReceivedPrompt;
    prompts.push(prompt);
    if (prompt.model === 'nobody')
      return response.writeHead(404).end('{"error":{"message":"model not found"}}');
    return stream(prompt, response);
  };

  const stream = async (prompt: ReceivedPrompt, response: ServerResponse) => {
    const send = (data: string) => response.write(`data: ${data}\n\n`);
    const word = (content: string, finish: string | null = null) =>
      send(JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] }));
    if (behaviour.kind === 'status') return response.writeHead(behaviour.status).end('{"error":{}}');
    if (behaviour.kind === 'garbage') return response.writeHead(200).end('<html>Not a model</html>');
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.on('close', () => {
      if (!response.writableEnded) left += 1;
    });
    const now = behaviour;
    const { kind } = now;
    if (now.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, now.afterMs));
    const text = typeof now.text === 'function' ? now.text(prompt) : now.text;
    for (const part of text.match(/\S+\s*/g) ?? []) word(part);
    if (kind === 'hang') return undefined;
    if (kind === 'cut') return setTimeout(() => response.destroy(), 20);
    if (kind === 'no-end') return response.end();
    word('', 'stop');
    send(JSON.stringify({ choices: [], usage: { prompt_tokens: 42, completion_tokens: 7 } }));
    return response.end('data: [DONE]\n\n');
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    prompts,
    behave: (next) => {
      behaviour = next;
    },
    left: () => left,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
