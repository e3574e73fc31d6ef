import { PROTOCOL_VERSION } from '../../shared/contract/app.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import { countRows, databaseBytes, schemaVersion } from '../lifecycle/diagnostics.ts';
import { examine } from '../lifecycle/doctor.ts';
import { measure } from '../lifecycle/figures.ts';
import { follow } from '../support/events.ts';
import { api, guarded } from './implementer.ts';
import { vectorsReady } from './vectorsReady.ts';

export const app = {
  hello: api.app.hello.handler(({ input, context }) => {
    if (input.protocol !== PROTOCOL_VERSION) {
      throw new AppError('BAD_INPUT', {
        reason: `protocol ${input.protocol}, expected ${PROTOCOL_VERSION}; reload the window`,
      });
    }
    const { version, dataDir, systemLanguage, damage } = context.services;
    return {
      version,
      protocol: PROTOCOL_VERSION,
      dataDir,
      reconnectToken: context.reconnectToken?.() ?? null,
      systemLanguage,
      host: context.host,
      damage: damage && codeOf(damage),
    };
  }),
  events: api.app.events.handler(({ context: { services }, signal }) =>
    guarded(follow(services.events, signal), services),
  ),
  openWindow: api.app.openWindow.handler(({ input, context }) => {
    if (!context.openWindow) throw new AppError('OWNER_UNREACHABLE');
    return { url: context.openWindow(input.as) };
  }),
  openOutside: api.app.openOutside.handler(({ input, context }) => {
    if (!context.openOutside?.(input.url)) throw new AppError('BROWSER_NOT_FOUND', { url: input.url });
  }),
  settings: api.app.settings.handler(({ context }) => context.services.settings.read()),
  changeSettings: api.app.changeSettings.handler(async ({ input, context: { services } }) => {
    const { embedder, factsNote } = services.settings.read();
    const isOtherNote = input.factsNote !== undefined && input.factsNote !== factsNote;
    if (isOtherNote) await services.factsNote.check(input.factsNote as string);
    const isOther = input.embedder !== undefined && input.embedder !== embedder;
    if (isOther) await services.vectors.check(input.embedder as string);
    const settings = services.settings.change(input);
    services.events.send({ type: 'settings', settings });
    if (isOther) await services.vectors.change();
    if (isOtherNote) {
      services.vaults.ownNoteChanged();
      services.factsNote.moved();
    }
    return settings;
  }),
  stats: api.app.stats.handler(async ({ context }) => {
    await vectorsReady(context);
    const { services } = context;
    const { pending, indexed, skipped, failed, chunks } = services.notes.counts();
    return {
      dataDir: services.dataDir,
      notes: { total: pending + indexed + skipped + failed, indexed, pending, skipped, failed },
      chunks,
      ...countRows(services.db, services.clock.now()),
      vectors: services.vectors.progress(),
      jobs: services.jobs.summaries(),
      databaseBytes: databaseBytes(services.db),
      figures: await measure(services),
      schemaVersion: schemaVersion(services.db),
    };
  }),
  notices: api.app.notices.handler(({ context }) => context.services.notices.list()),
  dismissNotice: api.app.dismissNotice.handler(({ input, context }) =>
    context.services.notices.dismiss(input.code),
  ),
  jobs: api.app.jobs.handler(({ context }) => context.services.jobs.summaries()),
  doctor: api.app.doctor.handler(({ input, context }) => examine(context.services, input.repair)),
};
