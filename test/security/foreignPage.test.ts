import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalHost, startLocalHost } from '../../src/local-host/localHost.ts';
import type { AppEvent } from '../../src/shared/contract/app.ts';
import { findChromium } from '../e2e/browser.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';

const executablePath = findChromium();
if (executablePath === null) process.stdout.write('skipped: no Chromium on this machine\n');

/** What the foreign page tries. Runs in the browser; each attempt ends in a word, `refused` where nothing came back. */
async function attack(own: string): Promise<Record<string, string>> {
  const token = 'x'.repeat(43);
  const results: Record<string, string> = {};
  const element = (tag: string, attribute: string, path: string) =>
    new Promise<string>((resolve) => {
      const one = document.createElement(tag);
      one.onload = () => resolve('loaded');
      one.onerror = () => resolve('refused');
      one.setAttribute(attribute, `${own}${path}`);
      if (tag === 'link') one.setAttribute('rel', 'stylesheet');
      document.body.append(one);
    });
  const call = (init: RequestInit, path = '/') =>
    fetch(`${own}${path}`, init).then(
      (response) => `answered ${response.type}`,
      () => 'refused',
    );
  const socket = (protocols: string[]) =>
    new Promise<string>((resolve) => {
      const one = new WebSocket(`${own.replace('http', 'ws')}/rpc`, protocols);
      one.onopen = () => resolve('opened');
      one.onerror = () => resolve('refused');
    });
  results.image = await element('img', 'src', '/icon.svg');
  results.longImage = await element('img', 'src', `/${'a'.repeat(300)}.js`);
  results.script = await element('script', 'src', '/assets/a.js');
  results.style = await element('link', 'href', '/assets/a.css');
  results.media = await element('video', 'src', '/icon.svg');
  results.get = await call({});
  results.getWithoutCors = await call({ mode: 'no-cors' });
  results.head = await call({ method: 'HEAD' });
  results.put = await call({ method: 'PUT', body: 'x' });
  results.post = await call({ method: 'POST', body: new URLSearchParams({ token }) });
  results.postWithoutCors = await call({
    method: 'POST',
    mode: 'no-cors',
    body: new URLSearchParams({ token }),
  });
  results.credentials = await call({ credentials: 'include' });
  results.socket = await socket([]);
  results.socketWithToken = await socket(['souvenir', token]);
  results.events = await new Promise((resolve) => {
    const source = new EventSource(`${own}/rpc`);
    source.onopen = () => resolve('opened');
    source.onerror = () => {
      source.close();
      resolve('refused');
    };
  });
  navigator.sendBeacon(`${own}/`, new URLSearchParams({ token }));
  const frame = document.createElement('iframe');
  const framed = new Promise((resolve) => {
    frame.onload = resolve;
  });
  frame.src = `${own}/`;
  document.body.append(frame);
  await framed;
  results.frame = frame.contentDocument === null ? 'refused' : 'readable';
  return results;
}

describe.skipIf(executablePath === null)('a page of another origin', () => {
  let test: TestApp;
  let host: LocalHost;
  let foreign: Server;
  let browser: Browser;
  let page: Page;
  const events: AppEvent[] = [];

  beforeAll(async () => {
    test = createTestApp();
    test.app.services.events.listen((event) => events.push(event));
    const rendererDir = join(test.dataDir, 'window');
    mkdirSync(join(rendererDir, 'assets'), { recursive: true });
    writeFileSync(join(rendererDir, 'index.html'), '<title>ours</title>ours');
    writeFileSync(
      join(rendererDir, 'icon.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    );
    writeFileSync(join(rendererDir, 'assets', 'a.js'), 'window.ours = true;');
    writeFileSync(join(rendererDir, 'assets', 'a.css'), 'body { color: red }');
    host = await startLocalHost(test.app, { rendererDir, port: 0 });
    foreign = createServer((request, response) => {
      // Takes its origin from the page.
      if (request.url === '/form')
        response.setHeader('Content-Security-Policy', 'sandbox allow-scripts allow-forms');
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>foreign</title><body>');
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({
      ...(executablePath === null ? {} : { executablePath }),
      args: [
        '--host-resolver-rules=MAP *.example 127.0.0.1',
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    });
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => foreign.close(resolve));
    await host.close();
    await test.dispose();
  });

  const own = () => `http://127.0.0.1:${host.port}`;
  const foreignPort = () => (foreign.address() as AddressInfo).port;
  const stillServes = async () => expect((await fetch(`${own()}/`)).status).toBe(200);

  it.each(['127.0.0.1', 'attacker.example'])('gets nothing but refusals from %s', async (name) => {
    await page.goto(`http://${name}:${foreignPort()}/`);
    const results = await page.evaluate(attack, own());
    expect(Object.entries(results).filter(([, result]) => result !== 'refused')).toEqual([]);
    expect(Object.keys(results)).toHaveLength(16);
    for (const frame of page.frames().slice(1)) expect(await frame.title().catch(() => '')).not.toBe('ours');
    await stillServes();
  });

  it('opens nothing by sending a form, even from a page without an origin', async () => {
    const answered = page.waitForResponse((response) => response.url() === `${own()}/`);
    await page.goto(`http://attacker.example:${foreignPort()}/form`);
    await page.evaluate((action) => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = action;
      form.innerHTML = `<input name="token" value="${'x'.repeat(43)}">`;
      document.body.append(form);
      form.submit();
    }, `${own()}/`);
    const answer = await answered;
    expect(answer.status()).toBe(403);
    expect(answer.request().headers().origin).toBe('null');
    await stillServes();
  });

  it('reaches nothing under a name of its own that leads here (DNS rebinding)', async () => {
    // An error without a body: the browser shows a page of its own.
    await expect(page.goto(`http://rebound.example:${host.port}/`)).rejects.toThrow(
      'ERR_HTTP_RESPONSE_CODE_FAILURE',
    );
    await stillServes();
  });

  it('caused no connection and no change', async () => {
    expect(events).toEqual([]);
    expect((await test.app.client.facts.list({ all: true })).facts).toEqual([]);
  });
});
