import { ipcRenderer } from 'electron';
import { LINE, LINE_WANTED } from '../shared/line.ts';

// Passes on the page's request for a port to the core, and the port that answers it. Nothing else crosses.
window.addEventListener('message', (event) => {
  if (event.source === window && event.data === LINE_WANTED) ipcRenderer.send(LINE_WANTED);
});
ipcRenderer.on(LINE, (event) => window.postMessage(LINE, window.location.origin, [...event.ports]));
