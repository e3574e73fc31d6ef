import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

const KNOWN = ['chat', 'quick', 'import', 'mcp'] as const;

/** The name of a channel: the app's own in the window's language, the user's as they wrote it. */
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
