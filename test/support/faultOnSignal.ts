// Preloaded into a process: at each SIGUSR2, one error that nothing caught and one promise that nobody handled. The messages stand for
// the text of a note.
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new Error('words of a note');
  });
  void Promise.reject(new Error('words of a note'));
});
if (process.env.FAULT_AT_ONCE) setTimeout(() => process.kill(process.pid, 'SIGUSR2'));
