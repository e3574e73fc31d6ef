import { withFrenchSpaces } from './frenchSpaces.ts';

/**
 * Every failure that a user may meet, with its remedy, in both languages. `{name}` stands for a parameter.
 * Any other failure becomes INTERNAL: the caller sees no detail, the log keeps the cause.
 */
const messages = {
  INTERNAL: {
    en: 'Something failed inside Souvenir. Nothing was lost; the log has the details.',
    fr: 'Une erreur interne est survenue. Rien n’est perdu ; le journal donne les détails.',
  },
  UNEXPECTED: {
    en: 'Something failed inside Souvenir, which is still running. What was saved is safe; the log has the details. If something looks wrong, close Souvenir and start it again.',
    fr: 'Une erreur imprévue est survenue ; Souvenir continue de fonctionner. Ce qui était enregistré est intact ; le journal donne les détails. Si quelque chose semble anormal, fermez Souvenir et relancez-le.',
  },
  ADDRESS_REUSED: {
    en: 'Someone tried to open a window with an address that had already been used. They were refused. If that was not you, another user or program on this computer has seen the address: close Souvenir and start it again.',
    fr: 'Quelqu’un a essayé d’ouvrir une fenêtre avec une adresse qui avait déjà servi. L’accès a été refusé. Si ce n’était pas vous, un autre utilisateur ou programme a vu cette adresse sur cet ordinateur : fermez Souvenir et relancez-le.',
  },
  BAD_INPUT: {
    en: 'This request is not valid: {reason}.',
    fr: 'Cette demande n’est pas valable : {reason}.',
  },
  NOT_FOUND: { en: 'This {what} no longer exists.', fr: '{what} n’existe plus.' },
  DATA_FOLDER_BUSY: {
    en: 'Another Souvenir window or command is using {path}. Wait until it has finished, or close it.',
    fr: 'Une autre fenêtre ou commande de Souvenir utilise {path}. Attendez qu’elle ait terminé, ou fermez-la.',
  },
  DATA_FOLDER_IN_VAULT: {
    en: 'The data folder {path} is inside a vault. Choose a folder outside the vault with --data.',
    fr: 'Le dossier de données {path} se trouve dans un coffre. Choisissez un dossier hors du coffre avec --data.',
  },
  DATA_FOLDER_UNNAMED: {
    en: 'No data folder was named. Give --data a folder, or omit it.',
    fr: 'Aucun dossier de données n’est indiqué. Donnez un dossier à --data, ou omettez cette option.',
  },
  DATA_FOLDER_FOREIGN: {
    en: 'The folder {path} holds files that are not Souvenir’s. Nothing was changed. Choose an empty folder with --data, or one that Souvenir made.',
    fr: 'Le dossier {path} contient des fichiers qui ne sont pas de Souvenir. Rien n’a été modifié. Choisissez avec --data un dossier vide, ou un dossier créé par Souvenir.',
  },
  DATA_FOLDER_SHARED: {
    en: 'The data folder {path} is on a network drive or in a synced folder, which can damage the data. Choose a local folder with --data.',
    fr: 'Le dossier de données {path} est sur un lecteur réseau ou dans un dossier synchronisé, ce qui peut endommager les données. Choisissez un dossier local avec --data.',
  },
  DATA_FOLDER_UNWRITABLE: {
    en: 'Souvenir cannot write to the data folder {path}. Check its owner and its permissions.',
    fr: 'Souvenir ne peut pas écrire dans le dossier de données {path}. Vérifiez son propriétaire et ses autorisations.',
  },
  SCHEMA_NEWER: {
    en: 'A newer version of Souvenir wrote the data in {path} (data version {found}; this one reads up to {known}). Nothing was changed. Update Souvenir.',
    fr: 'Les données de {path} proviennent d’une version plus récente de Souvenir (version des données {found} ; celle-ci lit jusqu’à {known}). Rien n’a été modifié. Mettez Souvenir à jour.',
  },
  DATABASE_DAMAGED: {
    en: 'The database {path} is damaged ({reason}). Nothing was changed. Restore a copy from the “backups” folder next to it: “souvenir restore” lists them.',
    fr: 'La base de données {path} est endommagée ({reason}). Rien n’a été modifié. Revenez à une copie du dossier « backups » voisin : « souvenir restore » en donne la liste.',
  },
  DATABASE_MISSING: {
    en: 'The database {path} is missing or empty, but Souvenir has kept data there. Nothing was changed. Restore a copy from the “backups” folder next to it: “souvenir restore” lists them.',
    fr: 'La base de données {path} est absente ou vide, alors que Souvenir y conservait des données. Rien n’a été modifié. Revenez à une copie du dossier « backups » voisin : « souvenir restore » en donne la liste.',
  },
  DISK_FULL: {
    en: 'The disk is full. What was already saved is safe. Free some space, then try again.',
    fr: 'Le disque est plein. Ce qui était déjà enregistré est intact. Libérez de l’espace, puis réessayez.',
  },
  DISK_FAILED: {
    en: 'The disk could not be read or written. This was not saved. Check that the disk is connected and in good condition, then try again; if it happens again, back up your data to another disk.',
    fr: 'Le disque n’a pas pu être lu ou écrit. Ceci n’a pas été enregistré. Vérifiez que le disque est branché et en bon état, puis réessayez ; si cela se reproduit, sauvegardez vos données sur un autre disque.',
  },
  BACKUP_UNUSABLE: {
    en: 'The backup {path} cannot be used: {reason}. Nothing was changed.',
    fr: 'La sauvegarde {path} est inutilisable : {reason}. Rien n’a été modifié.',
  },
  VAULT_NOT_FOUND: {
    en: 'There is no folder at {path}. Check the path.',
    fr: 'Il n’y a pas de dossier à l’emplacement {path}. Vérifiez le chemin.',
  },
  VAULT_UNREADABLE: {
    en: 'Souvenir cannot read the folder {path}. Check its permissions.',
    fr: 'Souvenir ne peut pas lire le dossier {path}. Vérifiez ses autorisations.',
  },
  VAULT_NESTED: {
    en: '{path} and the vault {other} share notes, which would be indexed twice. Remove that vault first, or choose another folder.',
    fr: '{path} et le coffre {other} ont des notes en commun, qui seraient indexées deux fois. Retirez d’abord ce coffre, ou choisissez un autre dossier.',
  },
  VAULT_HOLDS_DATA: {
    en: '{path} and Souvenir’s data folder {dataDir} overlap. Choose another folder, or move the data folder out of the vault and start Souvenir with --data.',
    fr: '{path} et le dossier de données de Souvenir {dataDir} se recouvrent. Choisissez un autre dossier, ou sortez le dossier de données du coffre et lancez Souvenir avec --data.',
  },
  VAULT_UNAVAILABLE: {
    en: 'Souvenir cannot find the vault {path}. It was moved or renamed, or its disk is not mounted. Its index is kept. Put the folder back, or remove the vault in Settings.',
    fr: 'Le coffre {path} est introuvable. Il a été déplacé ou renommé, ou son disque n’est pas monté. Son index est conservé. Remettez le dossier en place, ou retirez le coffre dans les Réglages.',
  },
  VAULT_LOST: {
    en: 'The folder of the vault {path} no longer holds {lost} of its {known} notes. Its index is kept. If its disk is not mounted, mount it. If the notes were deleted on purpose, confirm it in Notes or with “souvenir vaults confirm”.',
    fr: 'Le dossier du coffre {path} ne contient plus {lost} de ses {known} notes. Son index est conservé. Si son disque n’est pas monté, montez-le. Si les notes ont été supprimées volontairement, confirmez-le dans Notes ou avec « souvenir vaults confirm ».',
  },
  VAULT_MOVED: {
    en: 'The path of the vault {path} now leads to {target}. Its index is kept. If you moved the vault there, confirm it in Notes or with “souvenir vaults confirm”; otherwise put the folder back.',
    fr: 'Le chemin du coffre {path} mène maintenant à {target}. Son index est conservé. Si vous y avez déplacé le coffre, confirmez-le dans Notes ou avec « souvenir vaults confirm » ; sinon, remettez le dossier en place.',
  },
  MODE_UNAVAILABLE: {
    en: 'There is no search mode “{mode}”. Choose one of: {available}.',
    fr: 'Le mode de recherche « {mode} » n’existe pas. Modes disponibles : {available}.',
  },
  KIND_UNAVAILABLE: {
    en: 'Souvenir cannot search items of kind “{kind}”. Choose one of: {available}.',
    fr: 'Souvenir ne peut pas chercher d’éléments de type « {kind} ». Types disponibles : {available}.',
  },
  FILE_UNREADABLE: {
    en: 'The file {path} cannot be read: {reason}.',
    fr: 'Le fichier {path} ne peut pas être lu : {reason}.',
  },
  FILE_UNWRITABLE: {
    en: 'The file {path} cannot be written: {reason}.',
    fr: 'Le fichier {path} ne peut pas être écrit : {reason}.',
  },
  FACTS_NOTE_FOREIGN: {
    en: 'There is already a note {path} that Souvenir did not write. It was not changed. Choose another name for the facts note, or move that note.',
    fr: 'Il existe déjà une note {path} que Souvenir n’a pas écrite. Elle n’a pas été modifiée. Choisissez un autre nom pour la note des faits, ou déplacez cette note.',
  },
  FACTS_NOTE_NO_FILE: {
    en: '{path} is a link, a folder, or not a text file, or it lies behind a link. Nothing was written. Choose another place for the facts note.',
    fr: '{path} est un lien, un dossier ou un fichier qui n’est pas du texte, ou se trouve derrière un lien. Rien n’a été écrit. Choisissez un autre emplacement pour la note des faits.',
  },
  FACTS_NOTE_TOO_LARGE: {
    en: 'The facts note {path} is too large to be read. It was not changed, nor were the facts. Shorten it, or delete it and have Souvenir restore it.',
    fr: 'La note des faits {path} est trop grande pour être lue. Ni elle ni les faits n’ont été modifiés. Raccourcissez-la, ou supprimez-la pour que Souvenir la rétablisse.',
  },
  NOTE_NOT_WRITTEN: {
    en: '{path} is a link, a folder, too large, or not a text file, or it lies behind a link. Nothing was written. Choose another place, or move what is there.',
    fr: '{path} est un lien, un dossier, un fichier trop grand ou qui n’est pas du texte, ou se trouve derrière un lien. Rien n’a été écrit. Choisissez un autre emplacement, ou déplacez ce qui s’y trouve.',
  },
  DAILY_NOTE_UNKNOWN: {
    en: 'Souvenir cannot tell which note is today’s daily note: Obsidian’s date format “{format}”, or its folder, has parts that Souvenir does not know. Nothing was written. Save it as a note of its own instead.',
    fr: 'Souvenir ne peut pas déterminer la note quotidienne d’aujourd’hui : le format de date d’Obsidian « {format} », ou son dossier, contient des éléments que Souvenir ne connaît pas. Rien n’a été écrit. Enregistrez plutôt une note à part.',
  },
  IMPORT_INVALID: {
    en: 'The file to import is not valid: {reason}. Nothing was imported.',
    fr: 'Le fichier à importer n’est pas valable : {reason}. Rien n’a été importé.',
  },
  IMPORT_NOTHING: {
    en: 'There are no conversations in {path}. Choose the data export of ChatGPT or Claude (the zip file, or conversations.json in it), a Souvenir export, or transcripts in Markdown.',
    fr: 'Il n’y a pas de conversations dans {path}. Choisissez l’export de données de ChatGPT ou de Claude (le fichier zip, ou conversations.json qu’il contient), un export de Souvenir ou des transcriptions en Markdown.',
  },
  ZIP_UNREADABLE: {
    en: 'The zip file {path} cannot be read ({reason}). Nothing was imported. Download it again, or unpack it and import the conversations.json in it.',
    fr: 'Le fichier zip {path} ne peut pas être lu ({reason}). Rien n’a été importé. Téléchargez-le de nouveau, ou décompressez-le et importez le fichier conversations.json qu’il contient.',
  },
  ATTACHMENT_KIND: {
    en: 'Souvenir cannot read “{name}”. Attach a text, a Markdown file or a PDF.',
    fr: 'Souvenir ne peut pas lire « {name} ». Joignez un texte, un fichier Markdown ou un PDF.',
  },
  ATTACHMENT_TOO_LARGE: {
    en: '“{name}” is larger than {limit} MB. Attach a smaller file, or a part of it.',
    fr: '« {name} » dépasse {limit} Mo. Joignez un fichier plus petit, ou une partie de celui-ci.',
  },
  ATTACHMENT_TOO_LONG: {
    en: '“{name}” has more than {characters} characters, or more than {pages} pages. Attach a part of it.',
    fr: '« {name} » compte plus de {characters} caractères ou plus de {pages} pages. Joignez-en une partie.',
  },
  ATTACHMENT_NO_TEXT: {
    en: 'No text was found in “{name}”. If its pages are pictures, have their text recognised first.',
    fr: 'Aucun texte n’a été trouvé dans « {name} ». Si ses pages sont des images, faites d’abord reconnaître leur texte.',
  },
  ATTACHMENT_LOCKED: {
    en: '“{name}” is protected by a password. Attach a copy without one.',
    fr: '« {name} » est protégé par un mot de passe. Joignez une copie sans mot de passe.',
  },
  ATTACHMENT_DAMAGED: {
    en: '“{name}” is damaged, or is no PDF. Open it in another program and save it anew, then attach it again.',
    fr: '« {name} » est endommagé ou n’est pas un PDF. Ouvrez-le dans un autre programme, enregistrez-le de nouveau, puis joignez-le.',
  },
  ATTACHMENT_TOO_HEAVY: {
    en: 'Reading “{name}” took too long or too much memory, and was ended. Attach a part of it, or its text.',
    fr: 'La lecture de « {name} » demandait trop de temps ou de mémoire ; elle a été arrêtée. Joignez-en une partie, ou son texte.',
  },
  ATTACHMENT_TOO_MANY: {
    en: 'A message can have {limit} attachments at most. Send these first, or remove one.',
    fr: 'Un message peut avoir {limit} pièces jointes au plus. Envoyez d’abord celles-ci, ou retirez-en une.',
  },
  ATTACHMENT_GONE: {
    en: 'What you attached is no longer at hand. Nothing was sent. Attach it again.',
    fr: 'Ce que vous aviez joint n’est plus disponible. Rien n’a été envoyé. Joignez-le de nouveau.',
  },
  TURN_IN_PROGRESS: {
    en: 'A reply is still being written in this conversation. Wait until it is complete, or stop it.',
    fr: 'Une réponse est encore en cours dans cette conversation. Attendez qu’elle soit terminée, ou arrêtez-la.',
  },
  PORT_IN_USE: {
    en: 'Another program is using port {port}. Choose another port, or omit --port.',
    fr: 'Un autre programme utilise le port {port}. Choisissez un autre port, ou omettez --port.',
  },
  SETTING_UNKNOWN: {
    en: 'There is no setting “{key}”. The settings are: {available}.',
    fr: 'Le réglage « {key} » n’existe pas. Réglages disponibles : {available}.',
  },
  SETTING_INVALID: {
    en: '“{value}” is not a valid value for {key}. Allowed: {allowed}.',
    fr: '« {value} » n’est pas une valeur valable pour {key}. Valeurs permises : {allowed}.',
  },
  ADDRESS_HOLDS_KEY: {
    en: 'A server’s address must not contain a user name or a password: addresses are logged and exported. Nothing was saved. Enter the address without them, and the key in the “Key” field in Settings.',
    fr: 'L’adresse d’un serveur ne doit contenir ni nom d’utilisateur ni mot de passe : les adresses sont journalisées et exportées. Rien n’a été enregistré. Saisissez l’adresse sans eux, et la clé dans le champ « Clé » des Réglages.',
  },
  ADDRESS_KEY_REMOVED: {
    en: 'The saved address {address} contained a user name or a password, which was removed: addresses are logged and exported. If this server needs a key, enter it in the “Key” field in Settings.',
    fr: 'L’adresse enregistrée {address} contenait un nom d’utilisateur ou un mot de passe, qui a été retiré : les adresses sont journalisées et exportées. Si ce serveur demande une clé, saisissez-la dans le champ « Clé » des Réglages.',
  },
  MODEL_NEEDED: {
    en: 'No model is chosen, and Passages can only quote your notes. Choose a model in Settings, or have your notes read.',
    fr: 'Aucun modèle n’est choisi, et Passages ne peut que citer vos notes. Choisissez un modèle dans les Réglages, ou faites lire vos notes.',
  },
  MODEL_REFUSED: {
    en: 'No model server answers at {address}. Start it, or change the address in Settings.',
    fr: 'Aucun serveur de modèles ne répond à l’adresse {address}. Démarrez-le, ou modifiez l’adresse dans les Réglages.',
  },
  MODEL_UNKNOWN: {
    en: 'The server at {address} does not have the model “{model}”. Choose another in Settings.',
    fr: 'Le serveur {address} ne propose pas le modèle « {model} ». Choisissez-en un autre dans les Réglages.',
  },
  MODEL_KEY: {
    en: 'The model server at {address} asks for a key, or refused the one that you entered. Enter a valid key in Settings.',
    fr: 'Le serveur de modèles {address} demande une clé, ou refuse celle que vous avez saisie. Saisissez une clé valable dans les Réglages.',
  },
  MODEL_FAILED: {
    en: 'The model server at {address} failed (status {status}). See that server’s log for the cause.',
    fr: 'Le serveur de modèles {address} a échoué (code {status}). Consultez le journal de ce serveur pour en connaître la cause.',
  },
  MODEL_SLOW: {
    en: 'The model server at {address} stopped sending. It may be overloaded. The partial answer is kept.',
    fr: 'Le serveur de modèles {address} n’envoie plus rien. Il est peut-être surchargé. La réponse partielle est conservée.',
  },
  MODEL_CUT: {
    en: '{model} broke off before the end of its answer. The partial answer is kept.',
    fr: '{model} s’est interrompu avant la fin de sa réponse. La réponse partielle est conservée.',
  },
  REPLY_CUT: {
    en: 'This answer was cut off at {characters} characters, the most that Souvenir keeps of one. What was written until then is kept. Ask for the rest to continue.',
    fr: 'Cette réponse a été coupée à {characters} caractères, le maximum que Souvenir conserve. Ce qui était écrit jusque-là est conservé. Pour continuer, demandez la suite.',
  },
  MODEL_FORWARDS: {
    en: 'The server at {address} forwards messages for “{model}” to another computer. Nothing was sent. Send your message again: it will be sent without notes or memory.',
    fr: 'Le serveur {address} transmet les messages destinés à « {model} » à un autre ordinateur. Rien n’a été envoyé. Renvoyez votre message : il partira sans notes ni mémoire.',
  },
  MODEL_GARBAGE: {
    en: 'The server at {address} does not speak OpenAI’s protocol. Check the address: it usually ends in /v1.',
    fr: 'Le serveur {address} n’utilise pas le protocole d’OpenAI. Vérifiez l’adresse : elle se termine en général par /v1.',
  },
  MODEL_ONLY_CALLS: {
    en: 'The model {model} called tools, but wrote no answer. Ask again, choose another model, or switch tools off in Settings.',
    fr: 'Le modèle {model} a appelé des outils, mais n’a pas écrit de réponse. Reposez la question, choisissez un autre modèle, ou désactivez les outils dans les Réglages.',
  },
  EMBEDDER_UNUSABLE: {
    en: 'The semantic search model {path} cannot be used: {reason}. Search continues without it. Choose another in Settings.',
    fr: 'Le modèle de recherche par le sens {path} est inutilisable : {reason}. La recherche continue sans lui. Choisissez-en un autre dans les Réglages.',
  },
  EMBEDDER_FAILED: {
    en: 'The semantic search model stopped ({reason}). Souvenir is restarting it; text search still works.',
    fr: 'Le modèle de recherche par le sens s’est arrêté ({reason}). Souvenir le redémarre ; la recherche par mots fonctionne toujours.',
  },
  SEARCH_UNAVAILABLE: {
    en: 'Search stopped ({reason}). Souvenir is restarting it; try again in a moment.',
    fr: 'La recherche s’est arrêtée ({reason}). Souvenir la redémarre ; réessayez dans un instant.',
  },
  JOB_TIMED_OUT: {
    en: 'A background task took too long. Souvenir will try it again.',
    fr: 'Une tâche de fond a pris trop de temps. Souvenir la réessaiera.',
  },
  SUMMARY_UNUSABLE: {
    en: 'What the model wrote is no summary of what was said. Souvenir keeps its own, and asks again later.',
    fr: 'Ce que le modèle a écrit ne résume pas ce qui a été dit. Souvenir garde son propre résumé et redemandera plus tard.',
  },
  FACT_CHANGED: {
    en: 'This fact has changed since then. Nothing was undone. Open it in Memory to correct it.',
    fr: 'Ce fait a été modifié depuis. Rien n’a été annulé. Ouvrez-le dans la Mémoire pour le corriger.',
  },
  FACTS_NOT_CURRENT: {
    en: 'Only different facts that are in use can be merged, and one of these no longer is. Nothing was merged. Choose at least two facts in use.',
    fr: 'Seuls des faits différents et en usage peuvent être fusionnés, et l’un de ceux-ci ne l’est plus. Rien n’a été fusionné. Choisissez au moins deux faits en usage.',
  },
  CLOSING: {
    en: 'Souvenir is closing. Nothing was sent. Start Souvenir again, then retry.',
    fr: 'Souvenir se ferme. Rien n’a été envoyé. Relancez Souvenir, puis réessayez.',
  },
  DATA_CLOSED: {
    en: 'The data was erased, restored or closed before this was finished. What was not finished was not saved. Try again.',
    fr: 'Les données ont été effacées, restaurées ou fermées avant la fin de cette opération. Ce qui n’était pas terminé n’a pas été enregistré. Réessayez.',
  },
  BROWSER_NOT_FOUND: {
    en: 'No browser was found that could open {url}. Copy the address into a browser yourself.',
    fr: 'Aucun navigateur n’a été trouvé pour ouvrir {url}. Copiez l’adresse dans un navigateur.',
  },
  OWNER_UNREACHABLE: {
    en: 'Souvenir is running but not responding. Close it, then try again.',
    fr: 'Souvenir est ouvert mais ne répond pas. Fermez-le, puis réessayez.',
  },
} as const;

export type ErrorCode = keyof typeof messages;
export type ErrorParams = Record<string, string | number>;
export type Language = 'en' | 'fr';

export const errorCodes = Object.keys(messages) as ErrorCode[];

/** Returns whether `code` belongs to the closed set. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(messages, code);
}

/** What NOT_FOUND may name, in French: the demonstrative depends on the gender of the noun. */
const MISSING_IN_FRENCH: Readonly<Record<string, string>> = {
  conversation: 'Cette conversation',
  fact: 'Ce fait',
  import: 'Cet import',
  note: 'Cette note',
  reply: 'Cette réponse',
  trace: 'Cette trace',
  turn: 'Cet échange',
  vault: 'Ce coffre',
  version: 'Cette version',
};

/** Returns the message for a user in `language`, with each `{name}` replaced by `params.name`. */
export function describeError(code: ErrorCode, params: ErrorParams = {}, language: Language = 'en'): string {
  const values =
    code === 'NOT_FOUND' && language === 'fr'
      ? { what: MISSING_IN_FRENCH[String(params.what)] ?? 'Cet élément' }
      : params;
  const message = messages[code][language];
  return (language === 'fr' ? withFrenchSpaces(message) : message).replace(
    /\{(\w+)\}/g,
    (whole, name: string) => String(values[name] ?? whole),
  );
}

/** A failure with a code from the closed set. The log keeps `cause`; the caller never sees it. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  constructor(code: ErrorCode, params: ErrorParams = {}, options?: { cause?: unknown }) {
    super(describeError(code, params), options);
    this.code = code;
    this.params = params;
  }
}

/** Codes of Node and of SQLite for a disk without room, and for a user who has used up their share of it. */
const NO_ROOM_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'];
/** LanceDB's errors have no code; their text ends with the system's. */
const NO_ROOM_TEXT = /no space left on device|disk quota exceeded|not enough space on the disk/i;

/** Returns whether a write failed for want of room, as the error or one of its causes says. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AppError && error.code === 'DISK_FULL') return true;
  const { code } = error as { code?: unknown };
  return NO_ROOM_CODES.includes(code) || NO_ROOM_TEXT.test(error.message) || isDiskFull(error.cause);
}

/**
 * Codes of Node and of SQLite for a disk that fails. SQLITE_IOERR has an ending that says at what; SQLite gives up with SQLITE_PROTOCOL
 * where it cannot make the index of its log, after many attempts.
 */
const FAILED_CODES = /^(EIO$|SQLITE_IOERR|SQLITE_PROTOCOL$)/;
/** As the system says it, in the text of LanceDB's errors. */
const FAILED_TEXT = /input\/output error/i;

function isDiskFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return FAILED_CODES.test(String(code)) || FAILED_TEXT.test(error.message) || isDiskFailure(error.cause);
}

/** Whether a disk that is full or fails is the reason of an error, as it or one of its causes says; null if it is not. */
export function diskProblem(error: unknown): 'DISK_FULL' | 'DISK_FAILED' | null {
  if (isDiskFull(error)) return 'DISK_FULL';
  return isDiskFailure(error) ? 'DISK_FAILED' : null;
}

/** Returns the code and parameters of a failure, to be stored or sent. What is neither an AppError nor the disk's becomes INTERNAL. */
export function codeOf(error: unknown): { code: ErrorCode; params: ErrorParams } {
  if (error instanceof AppError) return { code: error.code, params: error.params };
  return { code: diskProblem(error) ?? 'INTERNAL', params: {} };
}

/** Returns the message of a failure that was stored or sent as code and parameters. An unknown code becomes INTERNAL. */
export function describeTold(
  { code, params }: { code: string; params: ErrorParams },
  language: Language,
): string {
  return describeError(isErrorCode(code) ? code : 'INTERNAL', params, language);
}
