import { useEffect, useMemo, useState } from 'react';
import { useApp, useAttempt, useSession } from './context.tsx';
import { remoteAddress } from './ui/remote.ts';

/** Model name of the built-in Passages, which sends nothing. */
const PASSAGES = 'passages';

/**
 * Host that messages to a model of the chosen server go to; null if they stay on this computer. A server on this computer may forward
 * them.
 * @param model the one of the settings, if left out
 */
export function useRemoteHost(model?: string): string | null {
  const general = useApp((state) => state.settings['chat.model']);
  const baseUrl = useApp((state) => state.settings['chat.baseUrl']);
  const [host = null] = useRemoteHosts(useMemo(() => [model ?? general], [model, general]));
  // Before a model is chosen, its server is.
  return host ?? (model === undefined && general === '' ? (remoteAddress(baseUrl)?.hostname ?? null) : null);
}

/** Hosts that messages go to from any conversation, whatever model it has. */
export function useAllRemoteHosts(): string[] {
  const attempt = useAttempt();
  const { client } = useSession().api;
  const settings = useApp((state) => state.settings);
  const revision = useApp((state) => state.conversationsRevision);
  const connection = useApp((state) => state.connection);
  const [models, setModels] = useState<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other settings, and conversations that changed, name other models.
  useEffect(() => {
    if (connection === 'open') void attempt(async () => setModels((await client.models.chosen()).models));
  }, [attempt, client, connection, settings, revision]);
  const general = useRemoteHost();
  const hosts = useRemoteHosts(models);
  return [...new Set([...(general === null ? [] : [general]), ...hosts])];
}

/** Until the server has told, a model is where its server is. */
function useRemoteHosts(models: readonly string[]): string[] {
  const attempt = useAttempt();
  const { client } = useSession().api;
  const baseUrl = useApp((state) => state.settings['chat.baseUrl']);
  const connection = useApp((state) => state.connection);
  const asked = useMemo(
    () => (baseUrl === '' ? [] : models.filter((model) => model !== '' && model !== PASSAGES)),
    [baseUrl, models],
  );
  const [told, setTold] = useState<{ baseUrl: string; hosts: ReadonlyMap<string, string | null> } | null>(
    null,
  );

  useEffect(() => {
    if (asked.length === 0 || connection !== 'open') return;
    void attempt(async () => {
      const located = asked.map(async (model) => {
        const { remoteHost } = await client.models.locate({ baseUrl, model });
        return [model, remoteHost] as const;
      });
      setTold({ baseUrl, hosts: new Map(await Promise.all(located)) });
    });
  }, [attempt, client, connection, baseUrl, asked]);

  const near = remoteAddress(baseUrl)?.hostname ?? null;
  const known = told?.baseUrl === baseUrl ? told.hosts : new Map<string, string | null>();
  return asked.flatMap((model) => (known.has(model) ? known.get(model) : near) ?? []);
}
