import { useEffect, useState } from 'react';
import { useApp, useAttempt, useSession } from './context.tsx';
import { remoteAddress } from './ui/remote.ts';

/** Host that messages to the chosen model go to; null if they stay on this computer. A server on this computer may forward them. */
export function useRemoteHost(): string | null {
  const attempt = useAttempt();
  const { client } = useSession().api;
  const baseUrl = useApp((state) => state.settings['chat.baseUrl']);
  const model = useApp((state) => state.settings['chat.model']);
  const connection = useApp((state) => state.connection);
  const chosen = `${baseUrl} ${model}`;
  const [told, setTold] = useState<{ chosen: string; remoteHost: string | null } | null>(null);

  useEffect(() => {
    if (baseUrl === '' || model === '' || connection !== 'open') return;
    void attempt(async () => setTold({ chosen, ...(await client.models.locate({ baseUrl, model })) }));
  }, [attempt, client, baseUrl, model, connection, chosen]);

  return told?.chosen === chosen ? told.remoteHost : (remoteAddress(baseUrl)?.hostname ?? null);
}
