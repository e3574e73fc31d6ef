import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** A small button that opens a note in Obsidian. */
export function OpenInObsidian({ url }: { url: string }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      href={url}
      size="compact-xs"
      variant="subtle"
      leftSection={<IconExternalLink size={13} />}
    >
      {t('common.openInObsidian')}
    </Button>
  );
}
