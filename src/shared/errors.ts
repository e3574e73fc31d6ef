/**
 * Every failure that a user may meet, with what to do about it, in both languages. `{name}` takes a parameter.
 * Anything else is INTERNAL: masked for the caller, logged with its cause.
 */
const messages = {
  INTERNAL: {
    en: 'Something failed inside Souvenir. Nothing was lost; the log has the details.',
    fr: 'Une erreur interne est survenue. Rien n’est perdu ; le journal contient les détails.',
  },
  BAD_INPUT: {
    en: 'This request is not valid: {reason}.',
    fr: 'Cette demande n’est pas valable : {reason}.',
  },
  NOT_FOUND: { en: 'This {what} no longer exists.', fr: '{what} n’existe plus.' },
  DATA_FOLDER_BUSY: {
    en: 'Another Souvenir is using {path}. Wait until it has finished, or close it.',
    fr: 'Souvenir utilise déjà {path}. Attendez qu’il ait fini, ou fermez-le.',
  },
  DATA_FOLDER_IN_VAULT: {
    en: 'The data folder {path} lies inside an Obsidian vault. Choose a folder outside it with --data.',
    fr: 'Le dossier de données {path} se trouve dans un coffre Obsidian. Choisissez-en un autre avec --data.',
  },
  DATA_FOLDER_SHARED: {
    en: 'The data folder {path} is on a network or synced folder, which can damage it. Choose a local one with --data.',
    fr: 'Le dossier de données {path} est sur un réseau ou synchronisé, ce qui peut l’abîmer. Choisissez un dossier local avec --data.',
  },
  DATA_FOLDER_UNWRITABLE: {
    en: 'The data folder {path} cannot be written. Check its owner and its permissions.',
    fr: 'Impossible d’écrire dans le dossier de données {path}. Vérifiez son propriétaire et ses droits.',
  },
  SCHEMA_NEWER: {
    en: 'The data in {path} was written by a newer Souvenir (version {found}; this one knows {known}). Update Souvenir; nothing was changed.',
    fr: 'Les données de {path} viennent d’un Souvenir plus récent (version {found} ; celui-ci connaît {known}). Mettez Souvenir à jour ; rien n’a été modifié.',
  },
  DATABASE_DAMAGED: {
    en: 'The database {path} is damaged ({reason}). Restore a copy from the “backups” folder beside it, or start with another data folder.',
    fr: 'La base {path} est endommagée ({reason}). Restaurez une copie du dossier « backups » voisin, ou choisissez un autre dossier de données.',
  },
  DISK_FULL: {
    en: 'The disk is full. Free some space and try again; what was saved is safe.',
    fr: 'Le disque est plein. Libérez de la place et réessayez ; ce qui était enregistré est intact.',
  },
  BACKUP_UNUSABLE: {
    en: 'The copy {path} cannot be used: {reason}. Nothing was changed.',
    fr: 'La copie {path} est inutilisable : {reason}. Rien n’a été modifié.',
  },
  VAULT_NOT_FOUND: {
    en: 'There is no folder at {path}. Check the path.',
    fr: 'Aucun dossier ne se trouve à {path}. Vérifiez le chemin.',
  },
  VAULT_UNREADABLE: {
    en: 'Souvenir cannot read the folder {path}. Check its permissions.',
    fr: 'Impossible de lire le dossier {path}. Vérifiez ses autorisations.',
  },
  VAULT_NESTED: {
    en: '{path} and the vault {other} have notes in common, which would be indexed twice. Remove that vault first, or choose another folder.',
    fr: '{path} et le coffre {other} ont des notes en commun, qui seraient indexées deux fois. Retirez d’abord ce coffre, ou choisissez un autre dossier.',
  },
  VAULT_UNAVAILABLE: {
    en: 'Souvenir cannot find the vault {path}: it was moved or renamed, or its disk is not mounted. Its index is kept. Put the folder back, or remove the vault in Settings.',
    fr: 'Le coffre {path} est introuvable : il a été déplacé ou renommé, ou son disque n’est pas monté. Son index est conservé. Remettez le dossier en place, ou retirez le coffre dans les Réglages.',
  },
  MODE_UNAVAILABLE: {
    en: 'Search mode “{mode}” is not available. Available: {available}.',
    fr: 'Le mode de recherche « {mode} » n’existe pas. Disponible : {available}.',
  },
  KIND_UNAVAILABLE: {
    en: 'Nothing of kind “{kind}” can be searched. Available: {available}.',
    fr: 'Aucun élément de type « {kind} » ne peut être cherché. Disponible : {available}.',
  },
  FILE_UNREADABLE: {
    en: 'The file {path} cannot be read: {reason}.',
    fr: 'Le fichier {path} ne peut pas être lu : {reason}.',
  },
  IMPORT_INVALID: {
    en: 'The file to import is not valid: {reason}. Nothing was imported.',
    fr: 'Le fichier à importer n’est pas valable : {reason}. Rien n’a été importé.',
  },
  TURN_IN_PROGRESS: {
    en: 'A reply is being written in this conversation. Stop it first, or wait.',
    fr: 'Une réponse est en cours dans cette conversation. Arrêtez-la d’abord, ou attendez.',
  },
  PORT_IN_USE: {
    en: 'Port {port} is taken by another program. Choose another, or leave --port out.',
    fr: 'Le port {port} est pris par un autre programme. Choisissez-en un autre, ou n’indiquez pas --port.',
  },
  SETTING_UNKNOWN: {
    en: 'There is no setting “{key}”. Settings: {available}.',
    fr: 'Il n’y a pas de réglage « {key} ». Réglages : {available}.',
  },
  SETTING_INVALID: {
    en: '“{value}” is not allowed for {key}: {allowed}.',
    fr: '« {value} » n’est pas permis pour {key} : {allowed}.',
  },
  MODEL_REFUSED: {
    en: 'No model server answers at {address}. Start it, or change the address in Settings. Your message is kept.',
    fr: 'Aucun serveur de modèles ne répond à {address}. Démarrez-le, ou changez l’adresse dans les Réglages. Votre message est conservé.',
  },
  MODEL_UNKNOWN: {
    en: 'The server at {address} does not have the model “{model}”. Choose another in Settings. Your message is kept.',
    fr: 'Le serveur à {address} n’a pas le modèle « {model} ». Choisissez-en un autre dans les Réglages. Votre message est conservé.',
  },
  MODEL_KEY: {
    en: 'The model server at {address} wants a key, or refuses the one it was given. Enter it in Settings. Your message is kept.',
    fr: 'Le serveur de modèles à {address} demande une clé, ou refuse celle qu’il a reçue. Saisissez-la dans les Réglages. Votre message est conservé.',
  },
  MODEL_FAILED: {
    en: 'The model server at {address} failed (status {status}). Its own log says why. Your message is kept.',
    fr: 'Le serveur de modèles à {address} a échoué (état {status}). Son propre journal dit pourquoi. Votre message est conservé.',
  },
  MODEL_SLOW: {
    en: 'The model server at {address} stopped sending. It may be overloaded. What had come is kept.',
    fr: 'Le serveur de modèles à {address} n’envoie plus rien. Il est peut-être surchargé. Ce qui était arrivé est conservé.',
  },
  MODEL_CUT: {
    en: 'The reply of {model} was cut off before its end. What had come is kept.',
    fr: 'La réponse de {model} a été coupée avant la fin. Ce qui était arrivé est conservé.',
  },
  MODEL_FORWARDS: {
    en: 'The server at {address} passes “{model}” on to another computer. Nothing was sent. Send your message again: it will go without notes or memory.',
    fr: 'Le serveur à {address} transmet « {model} » à un autre ordinateur. Rien n’a été envoyé. Renvoyez votre message : il partira sans notes ni mémoire.',
  },
  MODEL_GARBAGE: {
    en: 'What answers at {address} does not speak OpenAI’s protocol. Check the address: it usually ends in /v1.',
    fr: 'Ce qui répond à {address} ne parle pas le protocole d’OpenAI. Vérifiez l’adresse : elle finit d’ordinaire par /v1.',
  },
  EMBEDDER_UNUSABLE: {
    en: 'The embedding model {path} cannot be used: {reason}. Choose another in Settings; search goes on with what there is.',
    fr: 'Le modèle de vecteurs {path} est inutilisable : {reason}. Choisissez-en un autre dans les Réglages ; la recherche continue avec l’existant.',
  },
  EMBEDDER_FAILED: {
    en: 'The embedding model stopped ({reason}). It is started again by itself; text search goes on.',
    fr: 'Le modèle de vecteurs s’est arrêté ({reason}). Il redémarre de lui-même ; la recherche par mots continue.',
  },
  SEARCH_UNAVAILABLE: {
    en: 'Search has stopped ({reason}). It is started again by itself; try again in a moment.',
    fr: 'La recherche s’est arrêtée ({reason}). Elle redémarre d’elle-même ; réessayez dans un instant.',
  },
  JOB_TIMED_OUT: {
    en: 'A background task took too long. It is tried again by itself.',
    fr: 'Une tâche de fond a pris trop de temps. Elle est réessayée d’elle-même.',
  },
  FACT_CHANGED: {
    en: 'This fact was changed since. Nothing was undone; open it in Memory to correct it.',
    fr: 'Ce fait a été modifié depuis. Rien n’a été annulé ; ouvrez-le dans la Mémoire pour le corriger.',
  },
  CLOSING: {
    en: 'Souvenir is closing. Nothing was sent; try again once it is open.',
    fr: 'Souvenir se ferme. Rien n’est parti ; réessayez une fois qu’il est rouvert.',
  },
  OWNER_UNREACHABLE: {
    en: 'The running Souvenir cannot be reached. Close it and try again.',
    fr: 'Le Souvenir ouvert ne répond pas. Fermez-le et réessayez.',
  },
} as const;

export type ErrorCode = keyof typeof messages;
export type ErrorParams = Record<string, string | number>;
export type Language = 'en' | 'fr';

export const errorCodes = Object.keys(messages) as ErrorCode[];

/** Is `code` one of the closed set? */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(messages, code);
}

/** What NOT_FOUND may name, in French, where the article depends on the noun. */
const MISSING_IN_FRENCH: Readonly<Record<string, string>> = {
  conversation: 'Cette conversation',
  fact: 'Ce fait',
  note: 'Cette note',
  reply: 'Cette réponse',
  trace: 'Cette trace',
  turn: 'Cet échange',
  vault: 'Ce coffre',
  version: 'Cette version',
};

/** The message for a user, in `language`, with `{name}` replaced by `params.name`. */
export function describeError(code: ErrorCode, params: ErrorParams = {}, language: Language = 'en'): string {
  const values =
    code === 'NOT_FOUND' && language === 'fr'
      ? { what: MISSING_IN_FRENCH[String(params.what)] ?? 'Cet élément' }
      : params;
  return messages[code][language].replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole),
  );
}

/** A failure with a code from the closed set. `cause` goes to the log, never to the caller. */
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

/** What is kept or told of a failure: its code and parameters; INTERNAL for what is none of ours. */
export function codeOf(error: unknown): { code: ErrorCode; params: ErrorParams } {
  return error instanceof AppError
    ? { code: error.code, params: error.params }
    : { code: 'INTERNAL', params: {} };
}

/** The message of a failure that was kept or told by its code and parameters. */
export function describeTold(
  { code, params }: { code: string; params: ErrorParams },
  language: Language,
): string {
  return describeError(isErrorCode(code) ? code : 'INTERNAL', params, language);
}
