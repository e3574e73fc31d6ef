import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnownEmbedder, SelfTest } from '../../../shared/contract/traces.ts';
import { useApp, useRead, useSession } from '../../context.tsx';
import { EmbedderSelect } from '../../ui/EmbedderSelect.tsx';
import { RetrievalForm } from '../../ui/RetrievalForm.tsx';
import { SelfTestResult } from './SelfTestResult.tsx';

/** Retrieval measured on what the user marked, with the present settings beside others that could be chosen. */
export function SelfTestControl() {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const settings = useApp((state) => state.settings);
  const [result, setResult] = useState<SelfTest | null>(null);
  const [embedders, setEmbedders] = useState<KnownEmbedder[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  useRead(
    useCallback(async () => setEmbedders(await client.traces.embedders()), [client]),
    settings.embedder,
  );
  const embedder = chosen ?? settings.embedder;
  return (
    <>
      <RetrievalForm
        start={settings}
        action={t('settings.selfTest.run')}
        onRun={async (bounds) => setResult(await client.traces.selfTest({ ...bounds, embedder }))}
      >
        <EmbedderSelect embedders={embedders} value={embedder} onChange={setChosen} />
      </RetrievalForm>
      <div role="status">{result && <SelfTestResult result={result} />}</div>
    </>
  );
}
