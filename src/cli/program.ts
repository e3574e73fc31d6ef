import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { Scope } from '../shared/choices.ts';
import { FactKind, FactStatus } from '../shared/contract/facts.ts';
import { REVIEW_GROUPS } from '../shared/contract/review.ts';
import { type ChoiceOptions, listChannels, setChannel, setConversation } from './choiceCommands.ts';
import { type ConversationListOptions, listConversations, setFolders } from './conversationCommands.ts';
import { backUp, doctor, erase, exportAll, restore, stats } from './dataCommands.ts';
import { eraseDeleted, listDeleted, restoreDeleted } from './deletedCommands.ts';
import {
  addFact,
  confirmFacts,
  deleteFact,
  editFact,
  type FactOptions,
  type ListOptions,
  listAliases,
  listFacts,
  showHistory,
} from './factCommands.ts';
import { type ForgetOptions, forgetTopic, undoForgetting } from './forgetCommands.ts';
import { type ImportOptions, importFile } from './importCommand.ts';
import { describeNotice, note, terminalLanguage, toFailure, writeJson } from './output.ts';
import {
  type AskOptions,
  ask,
  capture,
  type EvalOptions,
  evaluate,
  type RetrieveOptions,
  retrieve,
  type SearchOptions,
  search,
} from './questionCommands.ts';
import {
  type MergeOptions,
  mergeFacts,
  type ReviewOptions,
  showReview,
  unmergeFacts,
} from './reviewCommands.ts';
import {
  type CommandContext,
  type CommandOptions,
  openSession,
  readVersion,
  type Session,
} from './session.ts';
import { getSettings, setSetting } from './settingCommands.ts';
import { type StartOptions, start } from './start.ts';
import { confirmVault, index, listVaults } from './vaultCommands.ts';

const EMBEDDER = 'built-in, or the folder of a model on this computer; no index is built for it';
const USAGE = 2;

const whole = (from: number, to: number) => (value: string) => {
  const number = Number(value);
  if (!Number.isInteger(number) || number < from || number > to) {
    throw new InvalidArgumentError(`expected a whole number from ${from} to ${to}`);
  }
  return number;
};

const share = (value: string) => {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('expected a number from 0 to 1');
  return number;
};

const several = (value: string, before: string[] = []) => [...before, value];

/** Wraps the action of a command: opens a session of the core, runs the action, closes the session. */
function on<Rest extends unknown[]>(
  work: (context: CommandContext, ...rest: Rest) => Promise<void>,
  ports: { opensDamaged?: boolean } = {},
) {
  return async (command: Command, ...rest: Rest): Promise<void> => {
    const options = command.optsWithGlobals<CommandOptions>();
    const session = await openSession(options, ports);
    if (options.now !== undefined && !session.app)
      note('--now is ignored: a running Souvenir answers and uses its own clock.');
    try {
      await tellNotices(session);
      await work({ client: session.client, json: options.json === true }, ...rest);
    } finally {
      await session.close();
    }
  };
}

/** Says what happened to the data and was not read in a window yet. */
async function tellNotices({ client, app }: Session): Promise<void> {
  if (app?.damage) return;
  for (const notice of await client.app.notices()) note(describeNotice(notice));
}

function build(): Command {
  const program = new Command('souvenir')
    .description('A personal assistant that runs entirely on your own computer.')
    .version(readVersion())
    .exitOverride()
    // It repeats arguments that are not valid, which may hold anything.
    .configureOutput({ writeErr: (text) => note(text.replace(/\n$/, '')) })
    .showHelpAfterError();
  const common = (one: Command) =>
    one
      .exitOverride()
      .option('--data <dir>', "data folder (default: the platform's folder for application data)")
      .option('--now <iso>', 'use this time instead of the present')
      .option('--json', 'write one JSON document to standard output');
  const command = (name: string, description: string) =>
    common(program.command(name).description(description));

  command('start', 'open Souvenir in a browser window')
    .option('--vault <dir>', 'add this vault')
    .option('--port <n>', 'port on 127.0.0.1 (default: any free port)', whole(0, 65_535))
    .option('--no-open', 'print the address without opening a window')
    .action((_: unknown, self: Command) => start(self.optsWithGlobals<StartOptions>()));

  command('index', 'index a vault and report the result')
    .requiredOption('--vault <dir>', 'folder of the vault')
    .action((options: { vault: string }, self: Command) => on(index)(self, options));

  const vaults = program.command('vaults').description('list and confirm vaults').exitOverride();
  common(vaults.command('list').description('vaults in use, with their state')).action(
    (_: unknown, self: Command) => on(listVaults)(self),
  );
  common(
    vaults
      .command('confirm')
      .description("take a vault's folder as it is now: what it lost leaves the index")
      .argument('<vault>', 'its name, path or id'),
  ).action((vault: string, _: unknown, self: Command) => on(confirmVault)(self, vault));

  command('search', 'search notes and conversations')
    .argument('<text>')
    .addOption(new Option('--mode <mode>', 'semantic, text or hybrid').default('hybrid'))
    .option('--kind <kinds>', 'note, fact, turn, summary or attachment; separate several with commas')
    .option(
      '--level <levels>',
      '0 for turns, 1 for their summaries, 2 for summaries of several; separated by commas',
    )
    .option('--channel <name>', 'only conversations and facts of this channel')
    .option(
      '--folder <path>',
      'only notes in this folder of a vault or below it, and conversations tied to it',
    )
    .option('--from <date>', 'only what was written or said from this date on')
    .option('--to <date>', 'only what was written or said before this date')
    .option('--author <name>', 'only turns in which somebody of this name speaks, and their words')
    .option('--role <roles>', 'only the words of user, reply or tool; separate several with commas')
    .option('--limit <n>', 'maximum number of results', whole(1, 200), 20)
    .action((text: string, options: SearchOptions, self: Command) => on(search)(self, text, options));

  command('retrieve', 'show what the next turn would be given; changes nothing')
    .argument('[text]')
    .option('--conversation <id>')
    .option('--limit <n>', 'maximum number of injected items', whole(1, 100))
    .option('--min-score <x>', 'minimum relevance', share)
    .option('--batch <file>', 'JSON lines {"id","text","conversation"?}; one document per line')
    .option('--replay <trace>', 'a trace, or the turn that it is of: what it would give with other settings')
    .addOption(new Option('--scope <scope>', 'with --replay: what is searched').choices([...Scope.options]))
    .option('--embedder <embedder>', `with --replay: ${EMBEDDER}`)
    .action((text: string | undefined, options: RetrieveOptions, self: Command) => {
      const asked = [text?.trim() || undefined, options.batch, options.replay];
      if (asked.filter((one) => one !== undefined).length !== 1) {
        self.error('error: give a text, --batch or --replay', { exitCode: USAGE });
      }
      if ((options.scope ?? options.embedder) !== undefined && options.replay === undefined)
        self.error('error: --scope and --embedder need --replay', { exitCode: USAGE });
      return on(retrieve)(self, text, options);
    });

  command('eval', 'measure retrieval on the items that you marked, with your settings and with others')
    .option('--limit <n>', 'maximum number of injected items', whole(1, 100))
    .option('--min-score <x>', 'minimum relevance', share)
    .addOption(new Option('--scope <scope>', 'what is searched').choices([...Scope.options]))
    .option('--embedder <embedder>', EMBEDDER)
    .action((options: EvalOptions, self: Command) => on(evaluate)(self, options));

  command(
    'ask',
    'ask a question and print the reply; a request to forget prints what would go, and is not stored',
  )
    .argument('<text>')
    .option('--conversation <id>', 'continue this conversation')
    .option(
      '--folder <dir>',
      'a folder that the conversation is about: its notes rank higher; may be repeated',
      several,
    )
    .option('--attach <file>', 'attach a text, Markdown or PDF file; may be repeated', several)
    .option('--send', 'send the message even if it asks to forget something', false)
    .option('--system', 'a program’s own message: answered without notes and memory', false)
    .addOption(
      new Option('--no-memory', 'store and learn nothing, and use nothing that was said before').conflicts([
        'conversation',
        'system',
      ]),
    )
    .option('--notes', 'with --no-memory: read your notes', false)
    .action((text: string, options: AskOptions, self: Command) => on(ask)(self, text, options));

  command('capture', 'keep a thought without an answer, in the channel "quick"')
    .argument('<text>')
    .option('--send', 'keep it even if it asks to forget something', false)
    .action((text: string, options: Pick<AskOptions, 'send'>, self: Command) =>
      on(capture)(self, text, options),
    );

  command('export', 'export everything that cannot be derived, as one JSON document')
    .argument('[file]')
    .action((file: string | undefined, _: unknown, self: Command) => on(exportAll)(self, file));

  command('erase', 'erase conversations, facts, settings, the index and every backup; vaults are not touched')
    .option('--yes', 'confirm', false)
    .action((options: { yes: boolean }, self: Command) => on(erase, { opensDamaged: true })(self, options));

  command(
    'import',
    'import a Souvenir export, the data export of ChatGPT or Claude (zip or JSON), or a transcript in Markdown',
  )
    .argument('<file>')
    .option('--channel <name>', 'the channel of its conversations')
    .option('--preview', 'say what would be imported, and import nothing', false)
    .option('--facts', 'suggest facts that you state in it; they wait for your word', false)
    .action((file: string, options: ImportOptions, self: Command) => on(importFile)(self, file, options));

  const facts = program.command('facts').description('list and change remembered facts').exitOverride();
  const factOptions = (one: Command) =>
    one
      .addOption(new Option('--kind <kind>').choices(FactKind.options))
      .option('--subjects <list>', 'separate several with commas')
      .option('--importance <x>', 'from 0 to 1', share);
  common(facts.command('list').description('facts in use, newest first'))
    .option('--all', 'include pending, superseded, expired and forgotten facts', false)
    .option('--subject <name>', 'only facts about it, or about somebody of that name, alias or kinship')
    .addOption(new Option('--status <statuses...>').choices(FactStatus.options))
    .action((options: ListOptions, self: Command) => on(listFacts)(self, options));
  common(
    facts.command('history').description('what a fact said before, and what took its place').argument('<id>'),
  ).action((id: string, _: unknown, self: Command) => on(showHistory)(self, id));
  common(facts.command('aliases').description('the people whom facts name')).action(
    (_: unknown, self: Command) => on(listAliases)(self),
  );
  common(
    facts
      .command('review')
      .description('what needs a look: contradictions, suggestions, duplicates, facts never given'),
  )
    .addOption(new Option('--group <group>').choices(REVIEW_GROUPS))
    .option('--limit <n>', 'how many to show', whole(1, 500), 100)
    .action((options: ReviewOptions, self: Command) => on(showReview)(self, options));
  common(facts.command('merge').description('make one fact of several that say the same').argument('<id...>'))
    .option('--into <id>', 'the one to keep (default: the oldest)')
    .option('--content <text>', 'what it is to say (default: the fullest of their wordings)')
    .action((ids: string[], options: MergeOptions, self: Command) => on(mergeFacts)(self, ids, options));
  common(facts.command('unmerge').description('undo the last merge into a fact').argument('<id>')).action(
    (id: string, _: unknown, self: Command) => on(unmergeFacts)(self, id),
  );
  factOptions(common(facts.command('add').description('remember something').argument('<content>')))
    .option('--ttl <ttl>', 'forget the fact after this time: 1h, 7d, 2w')
    .action((content: string, options: FactOptions, self: Command) => on(addFact)(self, content, options));
  factOptions(
    common(facts.command('edit').description('change a fact; the old wording is kept').argument('<id>')),
  )
    .option('--content <text>')
    .action((id: string, options: FactOptions, self: Command) => on(editFact)(self, id, options));
  common(
    facts
      .command('forget')
      .description('forget what names a topic, after showing what would go')
      .argument('[topic]', 'separate several with semicolons'),
  )
    .option('--past', 'only what was so and is no longer', false)
    .option('--person', 'the topic is somebody: their facts go, whatever they are called there', false)
    .option('--conversation <id>', 'a conversation instead of a topic')
    .option('--from <iso>', 'everything since then, instead of a topic')
    .option('--to <iso>', 'everything before then, instead of a topic')
    .option('--yes', 'forget what is ticked without asking', false)
    .option('--erase-now', 'erase it at once instead of keeping it for a while', false)
    .option('--from-backups', 'erase it at once, from every backup in the data folder too', false)
    .action((topic: string | undefined, options: ForgetOptions, self: Command) =>
      on(forgetTopic)(self, topic, options),
    );
  common(facts.command('undo').description('bring back what was forgotten last')).action(
    (_: unknown, self: Command) => on(undoForgetting)(self),
  );
  common(
    facts
      .command('confirm')
      .description('make pending facts current, as if you had said them')
      .argument('<id...>'),
  ).action((ids: string[], _: unknown, self: Command) => on(confirmFacts)(self, ids));
  common(facts.command('delete').description('forget a fact').argument('<id>')).action(
    (id: string, _: unknown, self: Command) => on(deleteFact)(self, id),
  );

  const conversations = program
    .command('conversations')
    .description('list conversations, and tie them to folders')
    .exitOverride();
  common(conversations.command('list').description('pinned conversations first, then the latest'))
    .option('--folder <dir>', 'only those tied to this folder')
    .option('--channel <name>', 'only those of this channel')
    .option('--query <text>', 'only those whose title or turns hold this')
    .option('--archived', 'archived ones instead of the others', false)
    .option('--limit <n>', 'how many to show', whole(1, 1_000))
    .action((options: ConversationListOptions, self: Command) => on(listConversations)(self, options));
  common(
    conversations
      .command('folders')
      .description('tie a conversation to folders instead of those that it had; to none, if none is given')
      .argument('<id>')
      .argument('[dir...]'),
  ).action((id: string, folders: string[], _: unknown, self: Command) => on(setFolders)(self, id, folders));

  const choices = (one: Command) =>
    one
      .option('--model <name>', 'a model of the chosen server, or "passages"; "" takes it back')
      .option('--system-prompt <text>', 'instructions after Souvenir’s own; "" takes them back')
      .option('--scope <scope>', 'everything, channel or conversation; "" takes it back');
  choices(
    common(
      conversations
        .command('set')
        .description('what a conversation has otherwise than its channel')
        .argument('<id>'),
    ),
  ).action((id: string, options: ChoiceOptions, self: Command) => on(setConversation)(self, id, options));

  const channels = program
    .command('channels')
    .description('list channels, and set what each has otherwise than elsewhere')
    .exitOverride();
  common(channels.command('list').description('channels, with their model, scope and instructions')).action(
    (_: unknown, self: Command) => on(listChannels)(self),
  );
  choices(
    common(
      channels
        .command('set')
        .description('what its conversations have otherwise than elsewhere')
        .argument('<channel>'),
    ),
  ).action((channel: string, options: ChoiceOptions, self: Command) =>
    on(setChannel)(self, channel, options),
  );

  const deleted = program
    .command('deleted')
    .description('what was deleted or forgotten: list, restore, erase now')
    .exitOverride();
  common(deleted.command('list').description('list what can be restored')).action(
    (_: unknown, self: Command) => on(listDeleted)(self),
  );
  common(deleted.command('restore').description('restore deleted items').argument('<id...>')).action(
    (ids: string[], _: unknown, self: Command) => on(restoreDeleted)(self, ids),
  );
  common(deleted.command('erase').description('erase deleted items now').argument('<id...>'))
    .option('--from-backups', 'from every backup in the data folder too', false)
    .action((ids: string[], options: { fromBackups: boolean }, self: Command) =>
      on(eraseDeleted)(self, ids, options),
    );

  const settings = program.command('settings').description('read and change settings').exitOverride();
  common(settings.command('get').description('show one setting, or all').argument('[key]')).action(
    (key: string | undefined, _: unknown, self: Command) => on(getSettings)(self, key),
  );
  common(
    settings.command('set').description('change a setting').argument('<key>').argument('<value>'),
  ).action((key: string, value: string, _: unknown, self: Command) => on(setSetting)(self, key, value));

  command('backup', 'back up the database while it is in use, to a file or to the kept backups')
    .argument('[file]')
    .action((file: string | undefined, _: unknown, self: Command) => on(backUp)(self, file));

  command('restore', 'replace the database by a backup and keep the old one; without a file, list the copies')
    .argument('[file]')
    .action((file: string | undefined, _: unknown, self: Command) =>
      restore(self.optsWithGlobals<CommandOptions>(), file),
    );

  command('stats', 'show counts and states').action((_: unknown, self: Command) => on(stats)(self));

  command('doctor', 'compare rows, full text, vectors and disk; exits with 1 if something is wrong')
    .option('--repair', 'rebuild what can be derived', false)
    .action((options: { repair: boolean }, self: Command) => on(doctor)(self, options));

  return program;
}

/** Says what went wrong, in a line or as JSON, and has the process end with 1. */
export function fail(error: unknown, argv: readonly string[]): void {
  const failure = toFailure(error, terminalLanguage());
  if (argv.includes('--json')) writeJson({ error: failure });
  else note(`${failure.code}: ${failure.message}`);
  if (failure.code === 'INTERNAL' && process.env.SOUVENIR_DEBUG)
    note(String((error as Error).stack ?? error));
  process.exitCode = 1;
}

/**
 * Runs one command to its end, and sets the exit code of the process: 1 after a failure, 2 after wrong usage.
 * @param argv what follows the program's name
 */
export async function runCommand(argv: readonly string[]): Promise<void> {
  try {
    await build().parseAsync(argv, { from: 'user' });
  } catch (error) {
    // Asking for help or the version is not a failure.
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : USAGE;
    else fail(error, argv);
  }
}
