import type { Page } from '@playwright/test';

/** Records what must not happen: warnings and errors of the console, page errors, requests to anything but the host. */
export function watchPage(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(request.url()))
      problems.push(`request to ${request.url()}`);
  });
  return problems;
}

/** Takes out what follows from a host that a test ended. */
export function forgiveLostConnection(problems: string[]): void {
  problems.splice(0, problems.length, ...problems.filter((problem) => !/WebSocket connection/.test(problem)));
}
