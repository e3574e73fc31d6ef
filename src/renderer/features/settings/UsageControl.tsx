import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Spent, Usage } from '../../../shared/contract/usage.ts';
import { useLanguage, useRead, useSession } from '../../context.tsx';
import { formatBytes, formatDay, formatDuration, formatMoment, formatNumber } from '../../ui/format.ts';
import { placeLine } from '../../ui/place.ts';

const PERIODS = ['7', '30', '365'] as const;
const MOST_DAYS = 14;

/** What replies cost and took, how fast and how useful it is, and how large. */
export function UsageControl({ labelId }: { labelId: string }) {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const [days, setDays] = useState<(typeof PERIODS)[number]>('30');
  const [usage, setUsage] = useState<Usage | null>(null);
  const read = useRead(
    useCallback(async () => setUsage(await client.usage.read({ days: Number(days) })), [client, days]),
    days,
  );
  if (read.state === 'failed') return <div role="alert">{read.message}</div>;
  return (
    <div className="usage">
      <SegmentedControl
        aria-labelledby={labelId}
        value={days}
        onChange={setDays}
        data={PERIODS.map((value) => ({ value, label: t('usage.days', { count: Number(value) }) }))}
      />
      {usage && <Figures usage={usage} />}
      {usage && <Tables usage={usage} />}
    </div>
  );
}

function Figures({ usage }: { usage: Usage }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { timesMs, searches, bytes, summaries, calibration, lastIndexedAt } = usage;
  const ms = (value: number) => `${formatNumber(Math.round(value * 10) / 10, language)} ms`;
  const times = (some: Usage['timesMs']['store']) =>
    some ? t('usage.times', { median: ms(some.p50), most: ms(some.p95) }) : t('usage.none');
  const rows: [string, string][] = [
    [t('usage.store'), times(timesMs.store)],
    [t('usage.search'), times(timesMs.search)],
    [t('usage.summarise'), times(timesMs.summarise)],
    [t('usage.reply'), times(timesMs.reply)],
    [
      t('usage.found'),
      searches.made === 0
        ? t('usage.none')
        : t('usage.foundShare', {
            share: Math.round((100 * searches.found) / searches.made),
            count: searches.made,
          }),
    ],
    [
      t('usage.summaries'),
      summaries.length === 0
        ? t('usage.none')
        : summaries.map((one) => t('usage.level', { level: one.level, count: one.summaries })).join(' · '),
    ],
    [
      t('usage.sizes'),
      t('usage.bytes', {
        database: formatBytes(bytes.database, language),
        vectors: formatBytes(bytes.vectors, language),
        backups: formatBytes(bytes.backups, language),
      }),
    ],
    [
      t('usage.calibration'),
      calibration === null
        ? t('usage.notCalibrated')
        : t('usage.calibrated', {
            pairs: t('usage.calibratedPairs', { count: calibration.pairs }),
            marks: t('usage.calibratedMarks', { count: calibration.marks }),
            when: formatMoment(calibration.at, language),
          }),
    ],
    [
      t('usage.lastIndexed'),
      lastIndexedAt === null ? t('usage.none') : formatMoment(lastIndexedAt, language),
    ],
  ];
  return (
    <dl className="facts-list">
      {rows.map(([name, value]) => (
        <div key={name} className="timing">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Tables({ usage: { total, byDay, byConversation, byModel, byMemory } }: { usage: Usage }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const number = (value: number) => formatNumber(value, language);
  if (total.replies === 0) return <p className="muted">{t('usage.nothing')}</p>;
  const spent = (one: Spent): string[] => [
    number(one.replies),
    number(one.promptTokens),
    number(one.retrievalTokens),
    number(one.completionTokens),
    formatDuration(one.replyMs / 1_000, language),
    number(one.toolCalls),
  ];
  const columns = [
    t('usage.replies'),
    t('usage.prompt'),
    t('usage.retrieval'),
    t('usage.completion'),
    t('usage.time'),
    t('usage.tools'),
  ];
  return (
    <>
      <Table
        name={t('usage.byDay')}
        first={t('usage.day')}
        columns={columns}
        rows={[
          { key: '', cells: [t('usage.total'), ...spent(total)] },
          ...byDay
            .slice(0, MOST_DAYS)
            .map((one) => ({ key: one.day, cells: [formatDay(dayOf(one.day), language), ...spent(one)] })),
        ]}
      />
      <Table
        name={t('usage.byConversation')}
        first={t('usage.conversation')}
        columns={columns}
        rows={byConversation.map((one) => ({ key: one.conversationId, cells: [one.title, ...spent(one)] }))}
      />
      <Table
        name={t('usage.byModel')}
        first={t('usage.model')}
        columns={columns}
        rows={byModel.map((one) => ({ key: one.model, cells: [one.model, ...spent(one)] }))}
      />
      <Table
        name={t('usage.byMemory')}
        first={t('usage.memory')}
        columns={[t('usage.tokens'), t('usage.given'), t('usage.cited')]}
        rows={byMemory.map(({ kind, id, title, heading, tokens, given, cited }) => ({
          key: `${kind} ${id}`,
          cells: [placeLine({ title, heading }) || id, number(tokens), number(given), number(cited)],
        }))}
      />
    </>
  );
}

interface TableRow {
  key: string;
  /** The first one names the row. */
  cells: string[];
}

interface TableProps {
  name: string;
  /** Heading of what names the rows. */
  first: string;
  columns: string[];
  rows: TableRow[];
}

/** Midnight where the user is: a date alone would be read as midnight UTC, which is the day before in the west. */
const dayOf = (day: string) => new Date(`${day}T00:00`).getTime();

/** A folded table. */
function Table({ name, first, columns, rows }: TableProps): ReactNode {
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>{name}</summary>
      <div className="usage-table">
        <table className="layout-table">
          <thead>
            <tr>
              <th scope="col">{first}</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells: [title, ...cells] }) => (
              <tr key={key}>
                <th scope="row">{title}</th>
                {cells.map((cell, column) => (
                  <td key={columns[column]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
