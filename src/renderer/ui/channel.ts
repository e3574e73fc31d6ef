import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

const KNOWN = ['chat', 'quick', 'import', 'mcp'] as const;

/** Name of a channel: built-in channels in the language of the window, the user's own as they wrote them. */
export function useChannelName(): (channel: string) => string {
  const { t } = useTranslation();
  return useCallback(
    (channel: string) => {
      const known = KNOWN.find((one) => one === channel);
      return known ? t(`channel.${known}`) : channel;
    },
    [t],
  );
}
