import type { Language } from '../shared/errors.ts';

/** Texts of menus, tray and dialogs. The window's texts are in renderer/ui/i18n. */
const en = {
  about: 'About Souvenir',
  file: 'File',
  edit: 'Edit',
  view: 'View',
  window: 'Window',
  newChat: 'New chat',
  capture: 'Quick capture…',
  settings: 'Settings…',
  palette: 'Go to anything…',
  chat: 'Chat',
  memory: 'Memory',
  notes: 'Notes',
  traces: 'Traces',
  open: 'Open Souvenir',
  quit: 'Quit Souvenir',
  cannotStart: 'Souvenir cannot start',
  windowGone: 'This window stopped working',
  windowGoneDetail:
    'What was saved is safe. Text that you had not sent or saved yet may be lost. Reload the window to go on.',
  reload: 'Reload',
  closeWindow: 'Close the window',
  coreEnded: 'Souvenir’s core stopped several times within a minute',
  coreEndedDetail:
    'Your data is kept as it was. Start Souvenir again; if it happens again, “souvenir doctor” says what is wrong, and the log is in the data folder: ',
};

const fr: typeof en = {
  about: 'À propos de Souvenir',
  file: 'Fichier',
  edit: 'Édition',
  view: 'Affichage',
  window: 'Fenêtre',
  newChat: 'Nouvelle discussion',
  capture: 'Saisie rapide…',
  settings: 'Réglages…',
  palette: 'Aller à…',
  chat: 'Discussion',
  memory: 'Mémoire',
  notes: 'Notes',
  traces: 'Traces',
  open: 'Ouvrir Souvenir',
  quit: 'Quitter Souvenir',
  cannotStart: 'Souvenir ne peut pas démarrer',
  windowGone: 'Cette fenêtre ne fonctionne plus',
  windowGoneDetail:
    'Ce qui était enregistré est intact. Un texte que vous n’aviez pas encore envoyé ou enregistré peut être perdu. Rechargez la fenêtre pour continuer.',
  reload: 'Recharger',
  closeWindow: 'Fermer la fenêtre',
  coreEnded: 'Le cœur de Souvenir s’est arrêté plusieurs fois en une minute',
  coreEndedDetail:
    'Vos données sont restées telles quelles. Relancez Souvenir ; si cela se reproduit, « souvenir doctor » dit ce qui ne va pas, et le journal se trouve dans le dossier de données : ',
};

export type Texts = typeof en;

export function textsIn(language: Language): Texts {
  return language === 'fr' ? fr : en;
}
